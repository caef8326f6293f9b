// The instruction sets for which checkers is compiled, and which of them this process may use.
#pragma once

#include <memory>
#include <string>

#include "checkers/game.hpp"

namespace ludens::checkers {

using Maker = std::unique_ptr<Machine>(const CheckersGame&, const char* instruction_set, int lanes, std::uint64_t seed);
using Perft = std::int64_t(const Board& board, int depth);

struct MachineKind {
    const char* name;
    Maker* make;
    Perft* perft;
};

// That of this name, or the best for the empty one. Throws Error if it may not be used here.
const MachineKind& machine_kind(const std::string& name);

}  // namespace ludens::checkers
