// Puts straight-line code into registers and instructions.
//
// Values live in registers while they are needed: the register whose next use is furthest away gives way
// (L. A. Belady, "A study of replacement algorithms for a virtual-storage computer", 1966, which is optimal for
// straight-line code but for the cost of writing back). Only rows that are kept are always written to memory where
// they belong; others that must leave their register go to one of a few slots, which are used again and again and so
// stay in the nearest cache. A value in memory that is needed once more only, or not soon, is read from there by the
// instruction that needs it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/encoder.hpp"
#include "network/straight_code.hpp"

namespace ludens::network {

// Appends a function of the gates. `kept` says of every row whether it is read elsewhere. Slots are rows from `first_slot`
// on; returned is how many of them are used.
std::uint32_t write_code(Encoder& out, std::span<const Gate> gates, const std::vector<std::uint8_t>& kept,
                         std::uint32_t first_slot);

}  // namespace ludens::network
