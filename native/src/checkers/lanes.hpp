// Vectors of 32-bit lanes, one game a lane, and the few operations on them that a checkers machine is made of.
//
// Included inside the namespace of one instruction set, after its target is switched on. A Mask says yes or no for
// every lane: a mask register with AVX-512, elsewhere a vector of all ones or zeros.
#pragma once

#if defined(LUDENS_AVX512)
typedef std::uint32_t V __attribute__((vector_size(64)));
typedef std::uint64_t Words __attribute__((vector_size(64)));
using Mask = __mmask16;
#elif defined(LUDENS_AVX2)
typedef std::uint32_t V __attribute__((vector_size(32)));
typedef std::uint64_t Words __attribute__((vector_size(32)));
using Mask = V;
#else
typedef std::uint32_t V __attribute__((vector_size(16)));
typedef std::uint64_t Words __attribute__((vector_size(16)));
using Mask = V;
#endif

constexpr int lane_count = sizeof(V) / sizeof(std::uint32_t);

inline V all(std::uint32_t value) { return V{} + value; }
// 0, 1, 2 ... in the lanes.
inline V lane_numbers() {
    V numbers;
    for (int i = 0; i < lane_count; ++i) numbers[i] = static_cast<std::uint32_t>(i);
    return numbers;
}

template <int By> inline V rotate(V x) { return (x << By) | (x >> (32 - By)); }

#if defined(LUDENS_AVX512)

inline Mask meets(V a, V b) { return _mm512_test_epi32_mask((__m512i)a, (__m512i)b); }
inline Mask at_least(V a, V b) { return _mm512_cmpge_epu32_mask((__m512i)a, (__m512i)b); }
inline V pick(Mask m, V yes, V no) { return (V)_mm512_mask_blend_epi32(m, (__m512i)no, (__m512i)yes); }
inline V keep(Mask m, V a) { return (V)_mm512_maskz_mov_epi32(m, (__m512i)a); }
inline Mask mask_of(unsigned bits) { return static_cast<Mask>(bits); }
inline unsigned bits_of(Mask m) { return m; }
inline bool holds(Mask m, int lane) { return m >> lane & 1; }
inline Mask without(Mask a, Mask b) { return static_cast<Mask>(a & ~b); }
inline Mask both(Mask a, Mask b) { return static_cast<Mask>(a & b); }
inline Mask either(Mask a, Mask b) { return static_cast<Mask>(a | b); }
inline V count(V a) { return (V)_mm512_popcnt_epi32((__m512i)a); }
inline V rotate(V a, V by) { return (V)_mm512_maskz_rolv_epi32(0xFFFF, (__m512i)a, (__m512i)by); }
// Writes the lanes of a mask one after the other; there must be room for all lanes.
inline void append(Mask m, V a, std::uint32_t* to) {
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(m, (__m512i)a));
}
// Reads numbers one after the other into the lanes of a mask, zeros into the others.
inline V spread(Mask m, const std::uint32_t* from) { return (V)_mm512_maskz_expandloadu_epi32(m, from); }
// Reads what is so many numbers after the first of `from` into the lanes of a mask, zeros into the others.
inline V gather(Mask m, const V* from, V places) {
    return (V)_mm512_mask_i32gather_epi32(__m512i{}, m, (__m512i)places, from, sizeof(std::uint32_t));
}
// The upper half of the product of 16-bit numbers.
inline V high_product(V a, V b) { return (V)_mm512_mulhi_epu16((__m512i)a, (__m512i)b); }

// Bit 31 becomes bit 0.
inline V reversed(V a) {
    const __m512i bits = _mm512_gf2p8affine_epi64_epi8((__m512i)a, _mm512_set1_epi64(0x8040201008040201), 0);
    return (V)_mm512_shuffle_epi8(bits, _mm512_set4_epi32(0x0C0D0E0F, 0x08090A0B, 0x04050607, 0x00010203));
}

// The member of each set that has the given rank, all bytes at a time: the byte of it is that in which fewer members
// than the rank lie below, but not below its end. A table finishes, entry 4 * nibble + rank.
[[gnu::always_inline]] inline V member(V set, V rank) {
    const __m512i inside = _mm512_popcnt_epi8((__m512i)set), below = (__m512i)((V)inside * 0x01010100);
    const __m512i copies = _mm512_shuffle_epi8((__m512i)rank, _mm512_set4_epi32(0x0C0C0C0C, 0x08080808, 0x04040404, 0));
    const __m512i left = _mm512_sub_epi8(copies, below);
    const __mmask64 here = _mm512_cmplt_epu8_mask(left, inside);
    const __m512i lower = _mm512_popcnt_epi8((__m512i)(set & 0x0F0F0F0F));
    const __mmask64 above = _mm512_cmpge_epu8_mask(left, lower);
    const V last = (V)_mm512_mask_sub_epi8(left, above, left, lower);
    const V nibble = (V)_mm512_mask_mov_epi8((__m512i)(set << 2), above, (__m512i)(set >> 2));
    alignas(64) static constexpr auto table = [] {
        std::array<std::uint8_t, 64> members{};
        for (int nibble = 0; nibble < 16; ++nibble)
            for (int bit = 0, rank = 0; bit < 4; ++bit)
                if (nibble >> bit & 1) members[4 * nibble + rank++] = static_cast<std::uint8_t>(1 << bit);
        return members;
    }();
    const V entry = (nibble & 0x3C3C3C3C) | last;
    const __m512i found = _mm512_maskz_permutexvar_epi8(here, (__m512i)entry, _mm512_load_si512(table.data()));
    return (V)_mm512_mask_mov_epi8(found, above, (__m512i)((V)found << 4));
}

#else

inline Mask meets(V a, V b) { return (Mask)((a & b) != 0); }
inline Mask at_least(V a, V b) { return (Mask)(a >= b); }
inline V pick(Mask m, V yes, V no) { return no ^ (m & (yes ^ no)); }
inline V keep(Mask m, V a) { return m & a; }
inline Mask without(Mask a, Mask b) { return a & ~b; }
inline Mask both(Mask a, Mask b) { return a & b; }
inline Mask either(Mask a, Mask b) { return a | b; }
inline Mask mask_of(unsigned bits) {
    V lanes;
    for (int i = 0; i < lane_count; ++i) lanes[i] = 1u << i;
    return meets(all(bits), lanes);
}
inline bool holds(Mask m, int lane) { return m[lane] != 0; }
inline unsigned bits_of(Mask m) {
#if defined(LUDENS_AVX2)
    return static_cast<unsigned>(_mm256_movemask_ps((__m256)m));
#else
    unsigned bits = 0;
    for (int i = 0; i < lane_count; ++i) bits |= m[i] & (1u << i);
    return bits;
#endif
}
// By sums of ever wider fields (Hacker's Delight, section 5-1).
inline V count(V a) {
    a -= (a >> 1) & 0x55555555;
    a = (a & 0x33333333) + ((a >> 2) & 0x33333333);
    a = (a + (a >> 4)) & 0x0F0F0F0F;
    a += a >> 8;
    return (a + (a >> 16)) & 63;
}
inline void append(Mask m, V a, std::uint32_t* to) {
#if defined(LUDENS_AVX2)
    const std::uint64_t lanes = _pdep_u64(bits_of(m), 0x0101010101010101) * 255;
    const auto from = static_cast<long long>(_pext_u64(0x0706050403020100, lanes));
    const __m256i order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(from));
    _mm256_storeu_si256((__m256i*)to, _mm256_permutevar8x32_epi32((__m256i)a, order));
#else
    for (int i = 0; i < lane_count; ++i) {
        *to = a[i];
        to += m[i] & 1;
    }
#endif
}
inline V spread(Mask m, const std::uint32_t* from) {
    V lanes;
    for (int i = 0; i < lane_count; ++i) {
        lanes[i] = *from & m[i];
        from += m[i] & 1;
    }
    return lanes;
}
inline V gather(Mask m, const V* from, V places) {
    const auto* numbers = reinterpret_cast<const std::uint32_t*>(from);
    V lanes{};
    for (int i = 0; i < lane_count; ++i)
        if (holds(m, i)) lanes[i] = numbers[places[i]];
    return lanes;
}
inline V rotate(V a, V by) { return (a << by) | (a >> (-by & 31)); }
inline V high_product(V a, V b) { return ((a & 0xFFFF) * b) >> 16; }
// Bit 31 becomes bit 0 (Hacker's Delight, section 7-1).
inline V reversed(V a) {
    a = ((a >> 1) & 0x55555555) | ((a & 0x55555555) << 1);
    a = ((a >> 2) & 0x33333333) | ((a & 0x33333333) << 2);
    a = ((a >> 4) & 0x0F0F0F0F) | ((a & 0x0F0F0F0F) << 4);
    a = ((a >> 8) & 0x00FF00FF) | ((a & 0x00FF00FF) << 8);
    return (a >> 16) | (a << 16);
}

// The member of each set that has the given rank, by halves.
[[gnu::always_inline]] inline V member(V set, V rank) {
    V result = all(1);
    for (int half = 16; half > 0; half /= 2) {
        const V lower = count(set & ((1u << half) - 1));
        const Mask above = at_least(rank, lower);
        rank -= above & lower;
        set = pick(above, set >> half, set);
        result = pick(above, result << half, result);
    }
    return result;
}

#endif

// Writes the first lanes to places that are so many numbers after the first of `to`.
inline void scatter(int count, V a, V* to, const std::uint32_t* places) {
    auto* numbers = reinterpret_cast<std::uint32_t*>(to);
    for (int i = 0; i < count; ++i) numbers[places[i]] = a[i];
}

// A stream of random 32-bit numbers for every lane: xoroshiro128+ (Blackman and Vigna, 2018) for every pair of
// lanes. Streams follow from the seed and the pair.
class alignas(sizeof(V)) RandomLanes {
public:
    void seed(std::uint64_t seed) {
        for (int i = 0; i < lane_count / 2; ++i) {
            std::uint64_t x = seed + 0x632BE59BD9B4E019ull * static_cast<std::uint64_t>(i + 1);
            s0_[i] = split(x);
            s1_[i] = split(x);
        }
    }
    V operator()() {
        const Words result = s0_ + s1_, t = s0_ ^ s1_;
        s0_ = ((s0_ << 24) | (s0_ >> 40)) ^ t ^ (t << 16);
        s1_ = (t << 37) | (t >> 27);
        return (V)result;
    }

private:
    static std::uint64_t split(std::uint64_t& x) {  // splitmix64
        std::uint64_t z = (x += 0x9E3779B97F4A7C15ull);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }

    Words s0_, s1_;
};
