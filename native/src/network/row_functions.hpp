// Straight-line code as functions in executable memory.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "network/executable_memory.hpp"
#include "network/function_writer.hpp"

namespace ludens::network {

// A function of rows, each of which fills a register.
using RowFunction = void (*)(void* rows);

// Code cut into functions: each is called for every register of a row before the next one is.
using RowFunctionChunks = std::span<const RowFunction>;

// Functions that lie side by side, and the memory that they are in.
class RowFunctions {
public:
    RowFunctions() = default;
    // Of what has been written for this processor.
    explicit RowFunctions(const FunctionWriter& written);

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
