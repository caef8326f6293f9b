// Perft: how many games of English draughts there are of so many moves, a whole chain of captures being one.
// The leaves are counted in bulk, without making the boards. Included after a target is switched on.

#include "checkers_moves.hpp"

namespace ludens::checkers {
inline namespace LUDENS_CHECKERS_ISA {

template <Colour Turn>
std::int64_t count_games(Side<Turn> s, int depth) {
    if (depth == 1) return child_count(s);
    std::int64_t games = 0;
    children(s, [&](Side<opponent(Turn)> child) { games += count_games(child, depth - 1); });
    return games;
}

inline std::int64_t perft_here(const Board& b, int depth) {
    return b.turn == black ? count_games(Side<black>::of(b), depth) : count_games(Side<red>::of(b), depth);
}

}  // namespace LUDENS_CHECKERS_ISA
}  // namespace ludens::checkers
