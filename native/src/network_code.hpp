// A network's segments as machine code for AVX-512: one function a piece, straight-line, no indices to read.
//
// An interpreter of gates reads two indices and two rows and writes a row for every gate. Here the indices are in
// the code, and rows live in the 32 vector registers while they are needed: the register whose next use is
// furthest away gives way (L. A. Belady, "A study of replacement algorithms for a virtual-storage computer", 1966,
// which is optimal for straight-line code but for the cost of writing back). Only rows that are read outside the
// piece are always written to memory. Two gates become one three-input instruction where the first is read by the
// second alone. Gates come in depth-first order from what they are needed for, which keeps lives short.
//
// Writing the code takes well under a microsecond a gate.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "network_program.hpp"

#if defined(__x86_64__) && defined(__unix__)
#define LUDENS_JIT
#endif

namespace ludens {

// Machine code in executable memory.
class ExecutableMemory {
public:
    explicit ExecutableMemory(const std::vector<std::uint8_t>& code);
    ~ExecutableMemory();
    ExecutableMemory(const ExecutableMemory&) = delete;
    ExecutableMemory& operator=(const ExecutableMemory&) = delete;

    const std::uint8_t* begin() const { return static_cast<const std::uint8_t*>(memory_); }

    // Some hardened systems allow none.
    static bool allowed();

private:
    void* memory_;
    std::size_t size_;
};

class NetworkCode {
public:
    using Function = void (*)(void* rows);

    explicit NetworkCode(const Program& program);

    // The function of each piece of one of the program's segments.
    std::span<const Function> functions(const Segment& segment) const;

private:
    const Program& program_;
    std::unique_ptr<ExecutableMemory> memory_;
    std::array<std::vector<Function>, 5> functions_;  // of each segment
};

}  // namespace ludens
