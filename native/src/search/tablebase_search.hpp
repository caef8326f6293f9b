// A search that looks the root up, in endgame tables for example, and searches where nothing is known of it.
#pragma once

#include <memory>

#include "search/search.hpp"

namespace ludens {

// Returns a search that answers from `options.knowledge` where that knows the root, and is `search` elsewhere. `search`
// is never given a root of which something is known, so it may treat such states as ends of the game.
std::unique_ptr<Search> with_knowledge(std::unique_ptr<Search> search, const Game& game, const SearchOptions& options);

}  // namespace ludens
