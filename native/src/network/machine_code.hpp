// A network's segments, and the choice of moves, as machine code for AVX-512: one function a piece, straight-line, no
// indices to read.
//
// An interpreter of gates reads two indices and two rows and writes a row for every gate. Here the indices are in
// the code, and rows live in registers while they are needed (see network/straight_code.hpp). Two gates become one
// three-input instruction where the first is read by the second alone. Gates come in depth-first order from what
// they are needed for, which keeps lives short.
//
// Writing the code takes well under a microsecond a gate.
#pragma once

#include <span>

#include "network/program.hpp"
#include "network/straight_code.hpp"

namespace ludens::network {

class NetworkCode {
public:
    using Function = void (*)(void* rows);

    // For rows of 16, 32 or 64 bytes.
    NetworkCode(const Program& program, std::uint32_t row_bytes);

    // The function of each piece of one of the program's segments.
    std::span<const Function> functions(const Segment& segment) const;

    // The steps of a role's choice, if it is needed (see network/choice_steps.hpp).
    struct ChoiceFunctions {
        Function count = nullptr, choose = nullptr;
    };
    const ChoiceFunctions& choice(std::size_t role) const { return choices_[role]; }

    // How many rows the code uses, those of the program first.
    std::uint32_t rows() const { return rows_; }

private:
    const Program& program_;
    std::unique_ptr<ExecutableMemory> memory_;
    std::array<std::vector<Function>, 5> functions_;  // of each segment
    std::vector<ChoiceFunctions> choices_;            // of each role
    std::uint32_t rows_;
};

}  // namespace ludens::network
