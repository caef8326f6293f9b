// xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2018), seeded by
// splitmix64: small, fast, and the same numbers on every platform.
#pragma once

#include <cstdint>
#include <span>

namespace ludens {

// The fractional part of the golden ratio, whose multiples are spread evenly over the whole range.
constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15u;

// The splitmix64 finaliser: a bijection that spreads every input bit over the whole word.
constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// A hash of words, such as those of a state.
constexpr std::uint64_t hash_words(std::span<const std::uint64_t> words) {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : words) hash = mix(hash + golden_ratio + word);
    return hash;
}

// The seed of one of several threads.
constexpr std::uint64_t thread_seed(std::uint64_t seed, int thread) {
    return mix(seed + static_cast<std::uint64_t>(thread) * golden_ratio);
}

class Random {
public:
    explicit Random(std::uint64_t seed) {
        for (auto& word : state_) word = mix(seed += golden_ratio);
    }

    std::uint64_t operator()() {
        const std::uint64_t result = rotate(state_[1] * 5, 7) * 9, shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = rotate(state_[3], 45);
        return result;
    }

    // Uniform below `bound` (bias under 2^-32 of it).
    std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(((*this)() >> 32) * bound >> 32); }

    // Uniform in [0, 1).
    double unit() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

private:
    static constexpr std::uint64_t rotate(std::uint64_t x, int by) { return x << by | x >> (64 - by); }

    std::uint64_t state_[4];
};

}  // namespace ludens
