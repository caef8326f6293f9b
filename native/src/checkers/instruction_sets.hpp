// What checkers is compiled to for each instruction set.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/compiled_sets.hpp"
#include "checkers/game.hpp"

namespace ludens::checkers {

// checkers/machine.cpp and checkers/perft.inl define these for each instruction set.
using Maker = std::unique_ptr<Machine>(const CheckersGame&, const char* instruction_set, int lanes, std::uint64_t seed);
using Perft = std::int64_t(const Board& board, int depth);

struct Functions {
    Maker* make;
    Perft* perft;
};

// Those of an instruction set, or of the best for the empty name. Throws Error where this process may not use it.
const CompiledSet<Functions>& functions_for(const std::string& name);

}  // namespace ludens::checkers
