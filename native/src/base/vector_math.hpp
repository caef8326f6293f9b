// Eight numbers as a vector, and functions of every element of a vector, the same to the last bit on all instruction
// sets.
#pragma once

#include <cstdint>
#include <cstring>

namespace ludens {

// Where a processor has no such registers the compiler takes several.
constexpr int wide = 8;
using Floats [[gnu::vector_size(wide * sizeof(float))]] = float;
using Integers [[gnu::vector_size(wide * sizeof(std::int32_t))]] = std::int32_t;

template <class V, class T> [[gnu::always_inline]] inline V load(const T* numbers) {
    static_assert(sizeof(V) == wide * sizeof(T));
    V v;
    std::memcpy(&v, numbers, sizeof(V));
    return v;
}

// e to the power x, within two units in the last place; x is held between -80 and 80. By powers of two and a polynomial,
// as in Moshier's Cephes library, 1992.
template <class Floats> [[gnu::always_inline]] inline Floats exponential(Floats x) {
    using Integers = decltype(x < x);
    constexpr float bound = 80, log2_e = 1.44269504f, round_off = 3 << 22;  // which pushes fractions out of a float
    constexpr float ln_2_high = 0.693359375f, ln_2_low = -2.12194440e-4f;
    x = x < bound ? x : Floats{} + bound;
    x = x > -bound ? x : Floats{} - bound;
    const Floats n = (x * log2_e + round_off) - round_off;
    const Floats r = x - n * ln_2_high - n * ln_2_low;
    Floats p = r * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    const Integers exponent = (__builtin_convertvector(n, Integers) + 127) << 23;
    Floats power;
    std::memcpy(&power, &exponent, sizeof(power));
    return (p * r * r + r + 1) * power;
}

}  // namespace ludens
