// Writes straight-line code of three-input gates over rows.
//
// Rows live in the 32 vector registers while they are needed: the register whose next use is furthest away gives way
// (L. A. Belady, "A study of replacement algorithms for a virtual-storage computer", 1966, which is optimal for
// straight-line code but for the cost of writing back). Only rows that are `kept` are always written to memory where
// they belong; others that must leave their register go to one of a few slots, which are used again and again and so
// stay in the nearest cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/machine.hpp"

#if defined(__x86_64__) && defined(__unix__)
#define LUDENS_JIT
#endif

namespace ludens::network {

// One instruction to be: out = table(a, b, c); c repeats b for a gate of two inputs.
struct TernaryGate {
    std::array<std::uint32_t, 3> in;
    std::uint32_t out;
    std::uint8_t table;
};

// Tables are indexed by 4 a + 2 b + c, so these are the columns of a, b and c.
constexpr std::uint8_t column_a = 0xF0, column_b = 0xCC, column_c = 0xAA;

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

class X86Assembler;

// Appends a function of the gates. `kept` says of every row that is written whether it is read elsewhere. Slots are
// rows from `first_slot` on; returned is how many of them are used.
std::uint32_t write_code(X86Assembler& out, const std::vector<TernaryGate>& gates,
                         const std::vector<std::uint8_t>& kept, std::uint32_t first_slot);

}  // namespace ludens::network
