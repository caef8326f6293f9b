// Straight-line code as functions in executable memory.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/instruction_set.hpp"
#include "network/executable_memory.hpp"
#include "network/straight_code.hpp"

namespace ludens::network {

class Encoder;

// A function of rows, each of which fills a register.
using RowFunction = void (*)(void* rows);

// Functions that lie side by side, and the memory that they are in.
class RowFunctions {
public:
    class Writer {
    public:
        // For an instruction set with machine code, and rows of so many bytes; those from `first_free_row` on may be
        // used for what does not fit into registers.
        Writer(InstructionSet set, std::uint32_t row_bytes, std::uint32_t first_free_row);
        ~Writer();

        bool three_inputs() const;
        // Adds a function of the gates; `kept` says of every row whether it is read elsewhere.
        void add(const std::vector<Gate>& gates, const std::vector<std::uint8_t>& kept);
        RowFunctions finish() const;

    private:
        const std::unique_ptr<Encoder> encoder_;
        const std::uint32_t first_free_row_;
        std::uint32_t rows_;
        std::vector<std::size_t> starts_;
    };

    // In the order in which they were added.
    std::span<const RowFunction> functions() const { return functions_; }
    // How many rows they use, those before the first free one included.
    std::uint32_t rows() const { return rows_; }

private:
    std::unique_ptr<ExecutableMemory> memory_;
    std::vector<RowFunction> functions_;
    std::uint32_t rows_ = 0;
};

}  // namespace ludens::network
