// Vectors of 16-, 32- or 64-bit lanes, one game a lane, and the operations on them that a machine of Tak is made of.
//
// Included inside the namespace of one instruction set, after its target is switched on. A Mask says yes or no for
// every lane: a mask register with AVX-512, elsewhere a vector of all ones or zeros.
#pragma once

template <class CellType> struct Lanes {
    using Cell = CellType;
    typedef Cell V __attribute__((vector_size(vector_bytes)));
    static constexpr int bits = 8 * sizeof(Cell), size = vector_bytes / sizeof(Cell);

    static V all(Cell value) { return V{} + value; }

#if defined(LUDENS_AVX512)
    using Mask = std::conditional_t<bits == 16, __mmask32, std::conditional_t<bits == 32, __mmask16, __mmask8>>;

    static Mask mask_of(unsigned lanes) { return static_cast<Mask>(lanes); }
    static unsigned bits_of(Mask m) { return m; }
    static bool any(Mask m) { return m != 0; }
    static Mask both(Mask a, Mask b) { return static_cast<Mask>(a & b); }
    static Mask either(Mask a, Mask b) { return static_cast<Mask>(a | b); }
    static Mask without(Mask a, Mask b) { return static_cast<Mask>(a & ~b); }
    static Mask differ(Mask a, Mask b) { return static_cast<Mask>(a ^ b); }
    static Mask test(V a, V b) {
        if constexpr (bits == 16) return _mm512_test_epi16_mask((__m512i)a, (__m512i)b);
        else if constexpr (bits == 32) return _mm512_test_epi32_mask((__m512i)a, (__m512i)b);
        else return _mm512_test_epi64_mask((__m512i)a, (__m512i)b);
    }
    static Mask at_least(V a, V b) {
        if constexpr (bits == 16) return _mm512_cmpge_epu16_mask((__m512i)a, (__m512i)b);
        else if constexpr (bits == 32) return _mm512_cmpge_epu32_mask((__m512i)a, (__m512i)b);
        else return _mm512_cmpge_epu64_mask((__m512i)a, (__m512i)b);
    }
    static Mask equal(V a, V b) {
        if constexpr (bits == 16) return _mm512_cmpeq_epi16_mask((__m512i)a, (__m512i)b);
        else if constexpr (bits == 32) return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
        else return _mm512_cmpeq_epi64_mask((__m512i)a, (__m512i)b);
    }
    static V blend(Mask m, V yes, V no) {
        if constexpr (bits == 16) return (V)_mm512_mask_blend_epi16(m, (__m512i)no, (__m512i)yes);
        else if constexpr (bits == 32) return (V)_mm512_mask_blend_epi32(m, (__m512i)no, (__m512i)yes);
        else return (V)_mm512_mask_blend_epi64(m, (__m512i)no, (__m512i)yes);
    }
    static V keep(Mask m, V a) {
        if constexpr (bits == 16) return (V)_mm512_maskz_mov_epi16(m, (__m512i)a);
        else if constexpr (bits == 32) return (V)_mm512_maskz_mov_epi32(m, (__m512i)a);
        else return (V)_mm512_maskz_mov_epi64(m, (__m512i)a);
    }
    // a + b in the lanes of a mask, a in others.
    static V add(Mask m, V a, V b) {
        if constexpr (bits == 16) return (V)_mm512_mask_add_epi16((__m512i)a, m, (__m512i)a, (__m512i)b);
        else if constexpr (bits == 32) return (V)_mm512_mask_add_epi32((__m512i)a, m, (__m512i)a, (__m512i)b);
        else return (V)_mm512_mask_add_epi64((__m512i)a, m, (__m512i)a, (__m512i)b);
    }
    static V subtract(Mask m, V a, V b) {
        if constexpr (bits == 16) return (V)_mm512_mask_sub_epi16((__m512i)a, m, (__m512i)a, (__m512i)b);
        else if constexpr (bits == 32) return (V)_mm512_mask_sub_epi32((__m512i)a, m, (__m512i)a, (__m512i)b);
        else return (V)_mm512_mask_sub_epi64((__m512i)a, m, (__m512i)a, (__m512i)b);
    }
    // Bit by bit: `yes` where the bit of `which` is set.
    static V choose(V which, V yes, V no) {
        return (V)_mm512_ternarylogic_epi64((__m512i)which, (__m512i)yes, (__m512i)no, 0xCA);
    }
    static V parity(V a, V b, V c) { return (V)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0x96); }
    static V majority(V a, V b, V c) { return (V)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0xE8); }
    // a | (b & c).
    static V join(V a, V b, V c) { return (V)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0xF8); }
    static V count(V a) {
        if constexpr (bits == 16) return (V)_mm512_popcnt_epi16((__m512i)a);
        else if constexpr (bits == 32) return (V)_mm512_popcnt_epi32((__m512i)a);
        else return (V)_mm512_popcnt_epi64((__m512i)a);
    }
    // Shifted in the lanes of a mask.
    template <int By> static V left(Mask m, V a, V shifted) {
        if constexpr (bits == 16) return (V)_mm512_mask_slli_epi16((__m512i)a, m, (__m512i)shifted, By);
        else if constexpr (bits == 32) return (V)_mm512_mask_slli_epi32((__m512i)a, m, (__m512i)shifted, By);
        else return (V)_mm512_mask_slli_epi64((__m512i)a, m, (__m512i)shifted, By);
    }
    template <int By> static V right(Mask m, V a, V shifted) {
        if constexpr (bits == 16) return (V)_mm512_mask_srli_epi16((__m512i)a, m, (__m512i)shifted, By);
        else if constexpr (bits == 32) return (V)_mm512_mask_srli_epi32((__m512i)a, m, (__m512i)shifted, By);
        else return (V)_mm512_mask_srli_epi64((__m512i)a, m, (__m512i)shifted, By);
    }
#else
    using Mask = V;

    static Mask mask_of(unsigned lanes) {
        V own;
        for (int i = 0; i < size; ++i) own[i] = static_cast<Cell>(1u << i);
        return test(all(static_cast<Cell>(lanes)), own);
    }
    static unsigned bits_of(Mask m) {
#if defined(LUDENS_AVX2)
        if constexpr (bits == 16) return _pext_u32(static_cast<unsigned>(_mm256_movemask_epi8((__m256i)m)), 0x55555555);
        else if constexpr (bits == 32) return static_cast<unsigned>(_mm256_movemask_ps((__m256)m));
        else return static_cast<unsigned>(_mm256_movemask_pd((__m256d)m));
#else
        unsigned lanes = 0;
        for (int i = 0; i < size; ++i) lanes |= static_cast<unsigned>(m[i] & 1) << i;
        return lanes;
#endif
    }
    static bool any(Mask m) {
#if defined(LUDENS_AVX2)
        return !_mm256_testz_si256((__m256i)m, (__m256i)m);
#else
        typedef std::uint64_t Words __attribute__((vector_size(vector_bytes)));
        return (((Words)m)[0] | ((Words)m)[1]) != 0;
#endif
    }
    static Mask both(Mask a, Mask b) { return a & b; }
    static Mask either(Mask a, Mask b) { return a | b; }
    static Mask without(Mask a, Mask b) { return a & ~b; }
    static Mask differ(Mask a, Mask b) { return a ^ b; }
    static Mask test(V a, V b) { return (Mask)((a & b) != 0); }
    static Mask at_least(V a, V b) { return (Mask)(a >= b); }
    static Mask equal(V a, V b) { return (Mask)(a == b); }
    static V blend(Mask m, V yes, V no) { return choose(m, yes, no); }
    static V keep(Mask m, V a) { return m & a; }
    static V add(Mask m, V a, V b) { return a + (m & b); }
    static V subtract(Mask m, V a, V b) { return a - (m & b); }
    static V choose(V which, V yes, V no) { return no ^ (which & (yes ^ no)); }
    static V parity(V a, V b, V c) { return a ^ b ^ c; }
    static V majority(V a, V b, V c) { return (a & b) | (c & (a ^ b)); }
    static V join(V a, V b, V c) { return a | (b & c); }
    // Counts the bits of bytes, which are then added up.
    static V count(V a) {
        typedef std::uint8_t Bytes __attribute__((vector_size(vector_bytes)));
#if defined(LUDENS_AVX2)
        const __m256i counts =
            _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
        const V low = a & all(static_cast<Cell>(0x0F0F0F0F0F0F0F0F));
        const V high = (a >> 4) & all(static_cast<Cell>(0x0F0F0F0F0F0F0F0F));
        const Bytes sums =
            (Bytes)_mm256_shuffle_epi8(counts, (__m256i)low) + (Bytes)_mm256_shuffle_epi8(counts, (__m256i)high);
        if constexpr (bits == 64) return (V)_mm256_sad_epu8((__m256i)sums, __m256i{});
#else
        a -= (a >> 1) & all(static_cast<Cell>(0x5555555555555555));
        a = (a & all(static_cast<Cell>(0x3333333333333333))) + ((a >> 2) & all(static_cast<Cell>(0x3333333333333333)));
        const Bytes sums = (Bytes)((a + (a >> 4)) & all(static_cast<Cell>(0x0F0F0F0F0F0F0F0F)));
#endif
        V total = (V)sums;
        for (int by = 8; by < bits; by *= 2) total += total >> by;
        return total & 127;
    }
    template <int By> static V left(Mask m, V a, V shifted) { return blend(m, shifted << By, a); }
    template <int By> static V right(Mask m, V a, V shifted) { return blend(m, shifted >> By, a); }
#endif

    static Mask everywhere() { return equal(V{}, V{}); }
    // The upper halves of products of 16 bits.
    static V high_product(V a, V b) {
        static_assert(bits == 16);
#if defined(LUDENS_AVX512)
        return (V)_mm512_mulhi_epu16((__m512i)a, (__m512i)b);
#elif defined(LUDENS_AVX2)
        return (V)_mm256_mulhi_epu16((__m256i)a, (__m256i)b);
#else
        typedef std::uint32_t Wide __attribute__((vector_size(2 * vector_bytes)));
        return __builtin_convertvector((__builtin_convertvector(a, Wide) * __builtin_convertvector(b, Wide)) >> 16, V);
#endif
    }
    static bool some(V a) { return any(test(a, a)); }

    // The member of each set that has the given rank, by halves.
    [[gnu::always_inline]] static V member(V set, V rank) {
        V found = all(1);
        halve<bits / 2>(set, rank, found);
        return found;
    }

private:
    template <int Half> [[gnu::always_inline]] static void halve(V& set, V& rank, V& found) {
        const V lower = count(set & all(static_cast<Cell>((Cell{1} << Half) - 1)));
        const Mask above = at_least(rank, lower);
        rank = subtract(above, rank, lower);
        found = left<Half>(above, found, found);
        if constexpr (Half > 1) {
            set = right<Half>(above, set, set);
            halve<Half / 2>(set, rank, found);
        }
    }
};
