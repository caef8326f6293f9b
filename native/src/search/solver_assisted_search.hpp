// A search with a solver at its side: near the end of a game a part of the time goes to alpha-beta, and as soon as
// that has proven what to play, its word counts.
#pragma once

#include <memory>

#include "search/search.hpp"

namespace ludens {

// `search` shares its time with alpha-beta, which gets `options.solver_share` of it while games are about to end, or
// what is known of their ends begins. (Alpha-beta goes by the ends that it has met where the rules do not say whether
// their goals have the same sum.) The states that it makes count as playouts. With a limit of playouts instead of time it
// makes that share of so many.
std::unique_ptr<Search> with_solver(std::unique_ptr<Search> search, const Game& game, const SearchOptions& options);

}  // namespace ludens
