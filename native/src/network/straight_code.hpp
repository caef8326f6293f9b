// Straight-line code of gates over rows: the form between what writes gates down (network/network_gates.hpp for
// networks, network/choice_code.hpp for the choice of moves) and what puts them into registers and instructions
// (network/register_allocation.hpp, network/encoder.hpp).
//
// The code is in single static assignment form: each row is written by one gate at most, before any gate reads it. But
// the last gate that reads what a row holds from before may write it anew.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace ludens::network {

// One instruction to be: out = table(a, b, c); c repeats b for a gate of two inputs, and b and c repeat a for a copy.
struct Gate {
    std::array<std::uint32_t, 3> in;
    std::uint32_t out;
    std::uint8_t table;
};

// Tables are indexed by 4 a + 2 b + c, so these are the columns of a, b and c.
constexpr std::uint8_t column_a = 0xF0, column_b = 0xCC, column_c = 0xAA;

// The gates of two inputs that every back end has.
constexpr std::uint8_t table_and = column_a & column_b, table_or = column_a | column_b, table_xor = column_a ^ column_b,
                       table_and_not = column_a & static_cast<std::uint8_t>(~column_b);

struct StraightCode {
    std::vector<Gate> gates;
    std::vector<std::uint8_t> kept;  // of every row, whether it is read elsewhere
};

}  // namespace ludens::network
