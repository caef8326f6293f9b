// Counting the bits of a word on any processor.
#pragma once

#include "base/machine.hpp"

namespace ludens {

// As std::popcount, which calls a function where the processor at hand may count no bits itself. Compilers know this
// form (Warren, "Hacker's Delight", 2nd ed., section 5-1) and take the instruction where there is one.
inline int count_bits(Word word) {
    constexpr Word ones = 0x0101010101010101, pairs = 0x5555555555555555, fours = 0x3333333333333333;
    word -= word >> 1 & pairs;
    word = (word & fours) + (word >> 2 & fours);
    return static_cast<int>(((word + (word >> 4)) & 0x0F * ones) * ones >> 56);
}

}  // namespace ludens
