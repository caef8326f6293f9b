// All straight-line code of a program, fitted to the gates that a processor has.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "network/gate_set.hpp"
#include "network/program.hpp"
#include "network/straight_code.hpp"

namespace ludens::network {

// What a function is for: gates of the network, the choice of moves, the end of games and the new state, or gates of
// goals and features, which are evaluated on demand alone.
enum class CodeKind { network, choice, state, on_demand };

struct ProgramCode {
    struct Function {
        CodeKind kind;
        StraightCode code;
        std::vector<std::size_t> ends;  // of its chunks: see network/code_chunks.hpp

        // The gates of each chunk.
        std::vector<std::span<const Gate>> chunks() const;
    };

    // Loops are not cut: they are run again and again.
    ProgramCode(const Program& program, const GateSet& set, std::size_t most_gates_of_chunk);

    Program program;  // with rows as the code numbers them (see network/row_numbering.hpp), and without gates
    // The pieces of each segment, the steps of each role's choice, where games are over, and the updates.
    std::vector<Function> functions;
    std::vector<std::size_t> steps_of_choices;  // how many steps each role's choice has
};

}  // namespace ludens::network
