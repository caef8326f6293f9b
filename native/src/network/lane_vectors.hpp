// Vectors of lanes: one bit for each of N * 64 games, and the few operations on them that everything is made of.
//
// Included inside the namespace of one instruction set (see network/machine.cpp), after its target is switched on.

// How many words fill a register.
constexpr int register_words = vector_bytes / static_cast<int>(sizeof(Word));

// N words side by side. One word is a plain integer, those that fit into a register are a compiler vector, and more are
// several of these.
template <int N> struct Registers;
template <int N, bool fit = (N <= register_words)> struct VectorOf {
    typedef Word type __attribute__((vector_size(8 * N)));
};
template <> struct VectorOf<1, true> {
    typedef Word type;
};
template <int N> struct VectorOf<N, false> {
    typedef Registers<N> type;
};
template <int N> using Lanes = typename VectorOf<N>::type;
template <class V> constexpr int word_count = static_cast<int>(sizeof(V) / sizeof(Word));

// (Compilers split wider vectors by themselves, too, but into words.)
template <int N> struct Registers {
    using Register = Lanes<register_words>;
    static constexpr int count = N / register_words;

    Register at[count];
};

template <int N> inline Registers<N>& operator&=(Registers<N>& a, const Registers<N>& b) {
    for (int i = 0; i < Registers<N>::count; ++i) a.at[i] &= b.at[i];
    return a;
}
template <int N> inline Registers<N>& operator|=(Registers<N>& a, const Registers<N>& b) {
    for (int i = 0; i < Registers<N>::count; ++i) a.at[i] |= b.at[i];
    return a;
}
template <int N> inline Registers<N>& operator^=(Registers<N>& a, const Registers<N>& b) {
    for (int i = 0; i < Registers<N>::count; ++i) a.at[i] ^= b.at[i];
    return a;
}
template <int N> inline Registers<N>& operator+=(Registers<N>& a, const Registers<N>& b) {
    for (int i = 0; i < Registers<N>::count; ++i) a.at[i] += b.at[i];
    return a;
}
template <int N> inline Registers<N> operator&(Registers<N> a, const Registers<N>& b) { return a &= b; }
template <int N> inline Registers<N> operator|(Registers<N> a, const Registers<N>& b) { return a |= b; }
template <int N> inline Registers<N> operator^(Registers<N> a, const Registers<N>& b) { return a ^= b; }
template <int N> inline Registers<N> operator+(Registers<N> a, const Registers<N>& b) { return a += b; }
template <int N> inline Registers<N> operator~(Registers<N> a) {
    for (auto& each : a.at) each = ~each;
    return a;
}
// Of all words alike.
template <int N> inline Registers<N> operator+(Registers<N> a, Word word) {
    for (auto& each : a.at) each += word;
    return a;
}
template <int N> inline Registers<N> operator-(Registers<N> a, Word word) {
    for (auto& each : a.at) each -= word;
    return a;
}
template <int N> inline Registers<N> operator<<(Registers<N> a, int bits) {
    for (auto& each : a.at) each <<= bits;
    return a;
}
template <int N> inline Registers<N> operator>>(Registers<N> a, int bits) {
    for (auto& each : a.at) each >>= bits;
    return a;
}

template <class V> constexpr bool spans_registers = word_count<V> > register_words;
template <class V> using RegisterOf = Lanes<std::min(word_count<V>, register_words)>;

#if defined(LUDENS_AVX512)
template <class V, int Table> inline V ternary(V a, V b, V c) {
    if constexpr (sizeof(V) == 64) {
        return (V)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, Table);
    } else if constexpr (sizeof(V) == 32) {
        return (V)_mm256_ternarylogic_epi64((__m256i)a, (__m256i)b, (__m256i)c, Table);
    } else if constexpr (Table == 0x96) {
        return a ^ b ^ c;
    } else if constexpr (Table == 0xE8) {
        return (a & b) | (c & (a | b));
    } else if constexpr (Table == 0xCA) {
        return (a & b) | (~a & c);
    } else if constexpr (Table == 0x8E) {
        return (~a & b) | (c & (~a | b));
    } else if constexpr (Table == 0xFE) {
        return a | b | c;
    } else {
        static_assert(Table == 0xF8);
        return a | (b & c);
    }
}
template <class V> inline V xor3(V a, V b, V c) { return ternary<V, 0x96>(a, b, c); }
template <class V> inline V majority(V a, V b, V c) { return ternary<V, 0xE8>(a, b, c); }
// a ? b : c, bit by bit.
template <class V> inline V select(V a, V b, V c) { return ternary<V, 0xCA>(a, b, c); }
// Whether a - b - c borrows, bit by bit.
template <class V> inline V borrow(V a, V b, V c) { return ternary<V, 0x8E>(a, b, c); }
template <class V> inline V or_and(V a, V b, V c) { return ternary<V, 0xF8>(a, b, c); }
template <class V> inline V or3(V a, V b, V c) { return ternary<V, 0xFE>(a, b, c); }
#else
template <class V> inline V xor3(V a, V b, V c) { return a ^ b ^ c; }
// Sums, carries and borrows share a ^ b.
template <class V> inline V majority(V a, V b, V c) { return (a & b) | (c & (a ^ b)); }
template <class V> inline V select(V a, V b, V c) { return c ^ (a & (b ^ c)); }
template <class V> inline V borrow(V a, V b, V c) { return (b & ~a) | (c & ~(a ^ b)); }
template <class V> inline V or_and(V a, V b, V c) { return a | (b & c); }
template <class V> inline V or3(V a, V b, V c) { return a | b | c; }
#endif

// a | (b & c), where a and b exclude each other; NEON selects in one instruction.
template <class V> inline V or_and_apart(V a, V b, V c) {
#if defined(__aarch64__)
    return select<V>(b, c, a);
#else
    return or_and<V>(a, b, c);
#endif
}

template <class V> inline V and_not(V a, V b) { return a & ~b; }

template <class V> inline V all_ones() { return ~V{}; }

template <class V> inline bool any(V v) {
    if constexpr (word_count<V> == 1) {
        return v != 0;
    } else if constexpr (spans_registers<V>) {
        typename V::Register some{};
        for (int i = 0; i < V::count; ++i) some |= v.at[i];
        return any(some);
    } else {
#if defined(LUDENS_AVX512)
        if constexpr (sizeof(V) == 64) return _mm512_test_epi64_mask((__m512i)v, (__m512i)v) != 0;
#endif
        Word sum = 0;
        for (int i = 0; i < word_count<V>; ++i) sum |= v[i];
        return sum != 0;
    }
}

// A fixed number of rows, zero at first. (Not std::vector: its code would be shared between instruction sets.)
template <class V> class Rows {
public:
    Rows() = default;
    explicit Rows(std::size_t count) {
        const std::size_t bytes = (std::max<std::size_t>(count, 1) * sizeof(V) + 63) / 64 * 64;
        memory_.reset(static_cast<V*>(std::aligned_alloc(std::max<std::size_t>(64, alignof(V)), bytes)));
        if (!memory_) throw Error("out of memory for the lanes of a simulator");
        std::memset(static_cast<void*>(memory_.get()), 0, bytes);
    }
    V* begin() { return memory_.get(); }
    const V* begin() const { return memory_.get(); }
    V& operator[](std::size_t i) { return memory_.get()[i]; }

private:
    struct Free {
        void operator()(V* p) const { std::free(p); }
    };
    std::unique_ptr<V, Free> memory_;
};

template <class V> inline Word& word(V* row, int i) { return reinterpret_cast<Word*>(row)[i]; }

// Transposes, in every word position on its own, the 64 x 64 bit matrix whose row r is m[r].
// Recursive halving: H. S. Warren, "Hacker's Delight", 2nd ed., section 7-3.
template <class V> inline void transpose64(V* m) {
    Word mask = 0x00000000FFFFFFFFull;
    for (int j = 32; j != 0; j >>= 1, mask ^= mask << j) {
        for (int k = 0; k < 64; k = ((k | j) + 1) & ~j) {
            const V t = ((m[k] >> j) ^ m[k | j]) & (V{} + mask);
            m[k] ^= t << j;
            m[k | j] ^= t;
        }
    }
}

// Each word rotated to the left by 24 bits: three bytes, which AVX2 moves in one instruction.
template <class V> inline V rotated24(V v) {
#if defined(LUDENS_AVX2)
    if constexpr (spans_registers<V>) {
        for (auto& each : v.at) each = rotated24<typename V::Register>(each);
        return v;
    } else if constexpr (sizeof(V) == 32) {
        const __m256i from = _mm256_set_epi8(12, 11, 10, 9, 8, 15, 14, 13, 4, 3, 2, 1, 0, 7, 6, 5, 12, 11, 10, 9, 8, 15,
                                             14, 13, 4, 3, 2, 1, 0, 7, 6, 5);
        return (V)_mm256_shuffle_epi8((__m256i)v, from);
    }
#endif
    return (v << 24) | (v >> 40);
}

// A stream of random words for every word position: xoroshiro128+ (Blackman and Vigna, 2018), seeded through
// splitmix64. A lane reads its own bit column, so what it draws depends on the seed, the lane and the number of
// draws alone, not on how many lanes there are beside it.
template <class V> struct alignas(sizeof(V)) RandomLanes {
    V s0, s1;

    explicit RandomLanes(std::uint64_t seed) {
        for (int i = 0; i < word_count<V>; ++i) {
            std::uint64_t x = seed + 0x632BE59BD9B4E019ull * static_cast<std::uint64_t>(i + 1);
            word(&s0, i) = splitmix(x);
            word(&s1, i) = splitmix(x);
        }
    }

    static std::uint64_t splitmix(std::uint64_t& x) {
        std::uint64_t z = (x += 0x9E3779B97F4A7C15ull);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }

    V operator()() {
        const V result = s0 + s1;
        const V t = s0 ^ s1;
        s0 = xor3<V>(rotated24<V>(s0), t, t << 16);
        s1 = (t << 37) | (t >> 27);
        return result;
    }
};
