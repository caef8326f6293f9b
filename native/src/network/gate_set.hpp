// Which gates of three inputs a processor has.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "network/straight_code.hpp"

namespace ludens::network {

// The tables of gates of three inputs, some of which processors have.
constexpr std::uint8_t inverted(int table) { return static_cast<std::uint8_t>(~table); }
constexpr std::uint8_t select_of(int a, int b, int c) { return static_cast<std::uint8_t>((a & b) | (~a & c)); }
constexpr std::uint8_t xor3_of(int a, int b, int c) { return static_cast<std::uint8_t>(a ^ b ^ c); }
constexpr std::uint8_t xor_and_not_of(int a, int b, int c) { return static_cast<std::uint8_t>(a ^ (b & ~c)); }

struct GateSet {
    bool any = false;     // of any function
    bool select = false;  // a ? b : c, bit by bit
    bool xors = false;    // a ^ b ^ c and a ^ (b & ~c)

    // Whether there is a gate with this table, in whatever order its inputs are.
    constexpr bool has(std::uint8_t table) const {
        if (any) return true;
        constexpr std::array<std::array<std::uint8_t, 3>, 6> orders{{{column_a, column_b, column_c},
                                                                     {column_a, column_c, column_b},
                                                                     {column_b, column_a, column_c},
                                                                     {column_b, column_c, column_a},
                                                                     {column_c, column_a, column_b},
                                                                     {column_c, column_b, column_a}}};
        return std::ranges::any_of(orders, [&](const std::array<std::uint8_t, 3>& order) {
            const auto [a, b, c] = order;
            return (select && table == select_of(a, b, c)) ||
                   (xors && (table == xor3_of(a, b, c) || table == xor_and_not_of(a, b, c)));
        });
    }
};

}  // namespace ludens::network
