// A row becomes words of bits. A number is drawn below their count, and that bit found in three steps: its word, its byte
// by the sums of the bytes before it, which one multiplication gives (S. Vigna, "Broadword implementation of rank/select
// queries", 2008), and its place by a table.
#include "base/mask_choice.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "base/bits.hpp"
#include "base/random.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ludens {
namespace {

// Byte i: how many bits are set in bytes 0 … i.
Word sums_of_bytes(Word bits) { return bits_of_bytes(bits) * each_byte; }

// The place of bit `rank` of each byte.
constexpr auto places = [] {
    std::array<std::array<std::uint8_t, 8>, 256> places{};
    for (std::size_t byte = 0; byte < 256; ++byte)
        for (std::size_t place = 0, rank = 0; place < 8; ++place)
            if (byte >> place & 1) places[byte][rank++] = static_cast<std::uint8_t>(place);
    return places;
}();

// The place of the bit below which `rank` others are set.
int select_bit(Word bits, Word sums, Word rank) {
    const Word reached = ((rank * each_byte | 0x80 * each_byte) - sums) & 0x80 * each_byte;  // bytes with sums <= rank
    const int first = 8 * count_bits(reached);
    return first + places[bits >> first & 0xFF][rank - (sums << 8 >> first & 0xFF)];
}

// As many bytes as a number has, or those that there are until the end.
template <class Number> Number load(const std::uint8_t* from, const std::uint8_t* end) {
    Number number{};
    if (end - from >= static_cast<std::ptrdiff_t>(sizeof number)) std::memcpy(&number, from, sizeof number);
    else std::memcpy(&number, from, static_cast<std::size_t>(end - from));
    return number;
}

// Which of the first `count` of 64 bytes are not 0.
Word bits_of_bytes(const std::uint8_t* bytes, int count, const std::uint8_t* end) {
    Word bits = 0;
#if defined(__SSE2__)
    for (int i = 0; i < count; i += 16) {
        const __m128i zero = _mm_cmpeq_epi8(load<__m128i>(bytes + i, end), __m128i{});
        bits |= Word{static_cast<std::uint16_t>(~_mm_movemask_epi8(zero))} << i;
    }
#else
    for (int i = 0; i < count; i += 8) {
        Word eight = load<Word>(bytes + i, end);
        eight = (((eight & 0x7F * each_byte) + 0x7F * each_byte) | eight) >> 7 & each_byte;
        bits |= (eight * 0x0102040810204080ull >> 56) << i;
    }
#endif
    return bits & ~Word{0} >> (64 - count);
}

template <class BitsAt>
void choose(std::int64_t rows, std::int32_t columns, BitsAt bits_at, std::uint64_t seed, std::int32_t* chosen) {
    struct Part {
        Word bits, sums;
    };
    std::vector<Part> parts(static_cast<std::size_t>((columns + 63) / 64));
    Random random(seed);
    for (std::int64_t row = 0; row < rows; ++row) {
        std::uint32_t total = 0;
        for (int first = 0; Part& part : parts) {
            part.bits = bits_at(row, first, std::min(64, columns - first));
            part.sums = sums_of_bytes(part.bits);
            total += static_cast<std::uint32_t>(part.sums >> 56);
            first += 64;
        }
        chosen[row] = 0;
        if (total == 0) continue;
        Word rank = random.below(total);
        int first = 0;
        for (const Part& part : parts) {
            const Word here = part.sums >> 56;
            if (rank < here) {
                chosen[row] = first + select_bit(part.bits, part.sums, rank);
                break;
            }
            rank -= here;
            first += 64;
        }
    }
}

}  // namespace

void choose_columns(const std::uint8_t* masks, std::int64_t rows, std::int32_t columns, bool packed, std::uint64_t seed,
                    std::int32_t* chosen) {
    const std::int64_t width = packed ? (columns + 7) / 8 : columns;
    const std::uint8_t* const end = masks + rows * width;
    const auto of_bytes = [=](std::int64_t row, int first, int count) {
        return bits_of_bytes(masks + row * width + first, count, end);
    };
    const auto of_bits = [=](std::int64_t row, int first, int count) {
        return load<Word>(masks + row * width + first / 8, end) & ~Word{0} >> (64 - count);
    };
    if (packed) choose(rows, columns, of_bits, seed, chosen);
    else choose(rows, columns, of_bytes, seed, chosen);
}

}  // namespace ludens
