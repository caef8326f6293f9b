// Numbers the rows of a program anew for machine code, which keeps most gates in registers: only those that are read
// elsewhere have a row in memory, side by side with the others, in the same order.
//
// Rows in few pages of memory are found without a look into the tables of pages, and more of them are in reach of a
// short displacement.
#pragma once

#include <cstdint>
#include <vector>

#include "network/program.hpp"
#include "network/straight_code.hpp"

namespace ludens::network {

class RowNumbering {
public:
    // `kept` says of every row whether code writes it for other code.
    RowNumbering(const Program& program, const std::vector<std::uint8_t>& kept);

    // The program with its rows by their new numbers, but without its gates: these are in the code.
    Program renumbered(const Program& program) const;

    // Code with its rows by their new numbers. Those that are not in memory come behind those that are.
    StraightCode renumbered(const StraightCode& code) const;

private:
    std::vector<std::uint32_t> number_;  // of each row in memory
    std::uint32_t count_ = 0;
};

}  // namespace ludens::network
