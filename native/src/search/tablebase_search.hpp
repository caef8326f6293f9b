// A search that answers at once where something is known of the root, and searches elsewhere.
#pragma once

#include <memory>

#include "search/search.hpp"

namespace ludens {

// `search` with `options.knowledge`. It is never given a root of which something is known, so that what is known
// may be an end to it, as that of a game is.
std::unique_ptr<Search> with_knowledge(std::unique_ptr<Search> search, const Game& game, const SearchOptions& options);

}  // namespace ludens
