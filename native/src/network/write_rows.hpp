// Writes rows of lanes for callers: a row of memory for each lane, with a byte or a bit for each of the rows.
//
// Included inside the namespace of one instruction set.

// Eight bits as bytes 0 and 1.
inline Word spread8(Word bits) {
    const Word each = (bits & 0xFF) * 0x0101010101010101ull & 0x8040201008040201ull;
    return (each + 0x7F7F7F7F7F7F7F7Full) >> 7 & 0x0101010101010101ull;
}

// Writes the first `count` bits of a word as bytes 0 and `value`.
inline void write_bytes(Word bits, int count, std::uint8_t* out, std::uint8_t value = 1) {
#if defined(LUDENS_AVX512)
    const __m512i bytes = _mm512_maskz_set1_epi8(bits, static_cast<char>(value));
    if (count == 64) _mm512_storeu_si512(out, bytes);
    else _mm512_mask_storeu_epi8(out, (Word{1} << count) - 1, bytes);
#else
    for (int done = 0; done < count; done += 8, bits >>= 8) {
        const Word bytes = spread8(bits) * value;
        if (count - done >= 8) std::memcpy(out + done, &bytes, 8);
        else std::memcpy(out + done, &bytes, static_cast<std::size_t>(count - done));
    }
#endif
}

template <class V> std::span<const Word> words_of(const V& row) {
    return {reinterpret_cast<const Word*>(&row), static_cast<std::size_t>(word_count<V>)};
}

// Writes `value` for those of the first `used` lanes that are in the set, which has no others; a byte each.
template <class V> void blend_bytes(const V& set, std::uint8_t value, std::uint8_t* out, int used) {
    for (int first = 0; first < used; first += 64) {
        const Word bits = words_of<V>(set)[static_cast<std::size_t>(first / 64)];
#if defined(LUDENS_AVX512)
        _mm512_mask_storeu_epi8(out + first, bits, _mm512_set1_epi8(static_cast<char>(value)));
#else
        for (int lane = first; lane < std::min(used, first + 64); lane += 8) {
            const Word mask = spread8(bits >> (lane - first)) * 0xFF;
            const auto bytes = static_cast<std::size_t>(std::min(8, used - lane));
            Word old = 0;
            std::memcpy(&old, out + lane, bytes);
            old = (old & ~mask) | (mask & 0x0101010101010101ull * value);
            std::memcpy(out + lane, &old, bytes);
        }
#endif
    }
}

// Bit `lane` of 64 words.
inline Word bits_at(const Word* words, int lane) {
    Word bits = 0;
#if defined(LUDENS_AVX512)
    const __m512i wanted = _mm512_set1_epi64(static_cast<long long>(Word{1} << lane));
    for (int i = 0; i < 8; ++i)
        bits |= Word{_mm512_test_epi64_mask(_mm512_loadu_si512(words + 8 * i), wanted)} << (8 * i);
#else
    for (int i = 0; i < 64; ++i) bits |= (words[i] >> lane & 1) << i;
#endif
    return bits;
}

// Calls visit(lane, first column, columns, bits) for each of the first `lanes` lanes and each 64 of the columns, of which
// row_of(column) are the rows.
template <class V, class RowOf, class Visit> void each_lane(int lanes, int columns, RowOf row_of, Visit visit) {
    constexpr int few = 4;  // lanes that are visited one by one faster than a matrix of 64 is transposed
    for (int first = 0; first < columns; first += 64) {
        const int bits = std::min(64, columns - first);
        if (lanes <= few) {
            Word m[64] = {};
            for (int i = 0; i < bits; ++i) m[i] = words_of<V>(row_of(first + i))[0];
            for (int lane = 0; lane < lanes; ++lane) visit(lane, first, bits, bits_at(m, lane));
            continue;
        }
        V m[64] = {};
        for (int i = 0; i < bits; ++i) m[i] = row_of(first + i);
        transpose64(m);
        for (int lane = 0; lane < lanes; ++lane) visit(lane, first, bits, word(&m[lane % 64], lane / 64));
    }
}

// Writes `columns` bytes for each of the first `lanes` lanes; rows of memory are `stride` bytes apart.
template <class V, class RowOf>
void write_columns(int lanes, int columns, RowOf row_of, std::uint8_t* out, std::size_t stride) {
    each_lane<V>(lanes, columns, row_of, [&](int lane, int first, int bits, Word word) {
        write_bytes(word, bits, out + static_cast<std::size_t>(lane) * stride + first);
    });
}

// Calls write(std::integral_constant<std::size_t, bytes>), for a number of bytes from 1 to 8.
template <class Write> void with_bytes(std::size_t bytes, Write write) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((bytes == I + 1 ? write(std::integral_constant<std::size_t, I + 1>()) : void()), ...);
    }(std::make_index_sequence<8>());
}

// Writes as many bits, the first one lowest, in whole bytes.
template <class V, class RowOf>
void write_packed(int lanes, int columns, RowOf row_of, std::uint8_t* out, std::size_t stride) {
    for (int first = 0; first < columns; first += 64) {
        const int bits = std::min(64, columns - first);
        with_bytes(static_cast<std::size_t>((bits + 7) / 8), [&](auto bytes) {
            each_lane<V>(
                lanes, bits, [&](int column) { return row_of(first + column); },
                [&](int lane, int, int, Word word) {
                    std::memcpy(out + static_cast<std::size_t>(lane) * stride + first / 8, &word, bytes);
                });
        });
    }
}

// Which of the 64 numbers are `value`.
inline Word equal_bits(const std::int32_t* numbers, std::int32_t value) {
    Word equal = 0;
#if defined(LUDENS_AVX512)
    const __m512i wanted = _mm512_set1_epi32(value);
    for (int i = 0; i < 4; ++i)
        equal |= Word{_mm512_cmpeq_epi32_mask(_mm512_loadu_si512(numbers + 16 * i), wanted)} << (16 * i);
#elif defined(LUDENS_AVX2)
    const __m256i wanted = _mm256_set1_epi32(value);
    for (int i = 0; i < 8; ++i) {
        const __m256i same =
            _mm256_cmpeq_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers + 8 * i)), wanted);
        equal |= Word{static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(same)))} << (8 * i);
    }
#else
    for (int i = 0; i < 64; ++i) equal |= Word{numbers[i] == value} << i;
#endif
    return equal;
}
