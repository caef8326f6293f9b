// Counts the games of English draughts, to check and to time the generator of checkers/perft.inl.
#pragma once

#include <cstdint>
#include <string>

#include "checkers/board.hpp"

namespace ludens::checkers {

// Sequences of `depth` moves from a board, duplicates by different paths counted. The instruction set is a name of
// checkers/instruction_sets.cpp, or empty for the best. Throws Error on a board on which squares are taken twice, on depths below
// 0 and on instruction sets that are not there.
std::int64_t perft(const Board& board, int depth, const std::string& instruction_set);

}  // namespace ludens::checkers
