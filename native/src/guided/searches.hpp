// The two searches that an evaluation guides: which of them plays is decided in guided/guided.cpp.
#pragma once

#include <memory>

#include "search/search.hpp"

namespace ludens::guided {

// For games by turns: guided/turn_search.cpp. Throws Error if several roles choose in the initial state, and later at
// such a root.
std::unique_ptr<Search> make_turn_search(const Game& game, const SearchOptions& options);

// For games in which several roles choose at once: guided/joint_search.cpp.
std::unique_ptr<Search> make_joint_search(const Game& game, const SearchOptions& options);

}  // namespace ludens::guided
