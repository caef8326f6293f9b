// A plain opponent for strength matches: alpha-beta to a fixed depth on English draughts.
//
// Material alone (a king is worth three halves of a man), no move ordering, no table; positions in which the mover
// must capture are never leaves. D. E. Knuth and R. W. Moore, "An analysis of alpha-beta pruning", 1975.
#pragma once

#include "checkers/game.hpp"

namespace ludens::checkers {

// The move to play in a state of a game with one jump a ply; whole chains are `depth`'s unit, of equally good moves
// the seed decides. It looks no further than to who cannot move: limits are unknown to it. Throws Error for other
// games, for depths below 1 and where there is no move.
int baseline_move(const CheckersGame& game, const Word* state, int depth, std::uint64_t seed);

}  // namespace ludens::checkers
