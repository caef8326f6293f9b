// A network's segments, and the choice of moves, as machine code: one function a piece, straight-line, no indices to
// read.
//
// An interpreter of gates reads two indices and two rows and writes a row for every gate. Here the indices are in the
// code, and values live in registers while they are needed. Gates are fused where the processor has gates of three
// inputs (network/gate_fusion.hpp), put in order (network/gate_order.hpp), given registers
// (network/register_allocation.hpp) and encoded (network/encoder.hpp).
//
// Writing the code takes well under a microsecond a gate.
#pragma once

#include <array>

#include "network/program.hpp"
#include "network/row_functions.hpp"

namespace ludens::network {

class NetworkCode {
public:
    // For an instruction set with machine code.
    NetworkCode(const Program& program, InstructionSet set, RowBytes bytes);

    // With rows as the code numbers them.
    const Program& program() const { return program_; }

    // The code of each piece of one of its segments.
    std::span<const RowFunctionChunks> functions(const Segment& segment) const;

    // Counting and choosing, the steps of a role's choice (see network/choice_steps.hpp); none if there is no choice.
    std::span<const RowFunctionChunks> choice(std::size_t role) const { return choices_[role]; }

    // What evaluate() of a machine does besides gates, and the new values of each update (see network/state_code.hpp).
    RowFunctionChunks over() const { return over_; }
    std::span<const RowFunctionChunks> updates() const { return updates_; }

    // How many rows the code uses, those of the program first.
    std::uint32_t rows() const { return code_.rows(); }

private:
    Program program_;
    RowFunctions code_;
    std::vector<RowFunctionChunks> functions_;
    std::array<std::span<const RowFunctionChunks>, 5> segments_;
    std::vector<std::span<const RowFunctionChunks>> choices_;  // of each role
    RowFunctionChunks over_;
    std::span<const RowFunctionChunks> updates_;
};

}  // namespace ludens::network
