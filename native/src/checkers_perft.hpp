// Counts the games of English draughts, to check and to time the generator of checkers_moves.hpp.
#pragma once

#include <cstdint>

#include "checkers_board.hpp"

namespace ludens::checkers {

// Sequences of `depth` moves from a board, duplicates by different paths counted. Throws Error on a board on which
// squares are taken twice and on depths below 0.
std::int64_t perft(const Board& board, int depth);

}  // namespace ludens::checkers
