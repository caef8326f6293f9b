// A search with a solver at its side: near the end of a game a part of the time goes to alpha-beta, and as soon as
// that has proven what to play, its result is reported.
#pragma once

#include <memory>

#include "search/search.hpp"

namespace ludens {

// Returns a search that divides its time between `search` and alpha-beta, which gets `options.solver_share` of it while
// games are about to end, or endgame tables are near. (Where the rules do not prove that the goals have the same sum at
// every end, alpha-beta proves forced wins alone.) With a limit of playouts instead of time, alpha-beta makes that
// share of so many states. The states that it makes count as playouts.
std::unique_ptr<Search> with_solver(std::unique_ptr<Search> search, const Game& game, const SearchOptions& options);

}  // namespace ludens
