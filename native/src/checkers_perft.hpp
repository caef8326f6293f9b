// Counts the games of English draughts, to check and to time the generator of checkers_perft.inl.
#pragma once

#include <cstdint>
#include <string>

#include "checkers_board.hpp"

namespace ludens::checkers {

// Sequences of `depth` moves from a board, duplicates by different paths counted. The instruction set is a name of
// checkers_isa.cpp, or empty for the best. Throws Error on a board on which squares are taken twice, on depths below
// 0 and on instruction sets that are not there.
std::int64_t perft(const Board& board, int depth, const std::string& instruction_set);

}  // namespace ludens::checkers
