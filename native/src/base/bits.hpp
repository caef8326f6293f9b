// Sets of small numbers, such as lanes or moves, as bits of words.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ludens {

using Word = std::uint64_t;

constexpr int words_for(int bits) { return (bits + 63) / 64; }

inline bool is_set(std::span<const Word> set, int i) { return set[static_cast<std::size_t>(i) / 64] >> (i % 64) & 1; }
inline bool is_set(const Word* set, int i) { return set[i / 64] >> (i % 64) & 1; }
inline void set_bit(Word* set, int i) { set[i / 64] |= Word{1} << (i % 64); }

// Calls visit(i) for each member, in rising order.
template <class Visit> void each_bit(std::span<const Word> set, Visit visit) {
    for (std::size_t w = 0; w < set.size(); ++w)
        for (Word rest = set[w]; rest != 0; rest &= rest - 1) visit(static_cast<int>(w) * 64 + std::countr_zero(rest));
}

constexpr Word each_byte = 0x0101010101010101;

// How many bits each byte has, in its place (Warren, "Hacker's Delight", 2nd ed., section 5-1).
constexpr Word bits_of_bytes(Word word) {
    constexpr Word pairs = 0x5555555555555555, fours = 0x3333333333333333;
    word -= word >> 1 & pairs;
    word = (word & fours) + (word >> 2 & fours);
    return (word + (word >> 4)) & 0x0F * each_byte;
}

// Counts as std::popcount does, which calls a function where the processor at hand may count no bits itself. Compilers
// know this form and take the instruction where there is one.
constexpr int count_bits(Word word) { return static_cast<int>(bits_of_bytes(word) * each_byte >> 56); }

}  // namespace ludens
