// Rows of lanes as bytes: one byte for each bit, a row of memory for each lane.
//
// Included inside the namespace of one instruction set.

// Writes the first `count` bits of a word as bytes 0 and 1.
inline void write_bytes(Word bits, int count, std::uint8_t* out) {
#if defined(LUDENS_AVX512)
    const __mmask64 written = count == 64 ? ~Word{0} : (Word{1} << count) - 1;
    _mm512_mask_storeu_epi8(out, written, _mm512_maskz_set1_epi8(bits, 1));
#else
    // Eight bits at a time: each has a byte of its own, which becomes 1 if it is not 0.
    for (int done = 0; done < count; done += 8, bits >>= 8) {
        const Word spread = (bits & 0xFF) * 0x0101010101010101ull & 0x8040201008040201ull;
        const Word bytes = (spread + 0x7F7F7F7F7F7F7F7Full) >> 7 & 0x0101010101010101ull;
        for (int i = 0; i < std::min(8, count - done); ++i) out[done + i] = static_cast<std::uint8_t>(bytes >> (8 * i));
    }
#endif
}

// Writes `columns` bytes for each of the first `lanes` lanes, from row_of(column); rows of memory are `stride` apart.
template <class V, class RowOf>
void write_columns(int lanes, int columns, RowOf row_of, std::uint8_t* out, std::size_t stride) {
    for (int first = 0; first < columns; first += 64) {
        V m[64] = {};
        const int bits = std::min(64, columns - first);
        for (int i = 0; i < bits; ++i) m[i] = row_of(first + i);
        transpose64(m);
        for (int lane = 0; lane < lanes; ++lane)
            write_bytes(word(&m[lane % 64], lane / 64), bits, out + static_cast<std::size_t>(lane) * stride + first);
    }
}
