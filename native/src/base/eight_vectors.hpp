// Eight numbers as a vector. Where a processor has no such registers the compiler takes several.
#pragma once

#include <cstdint>
#include <cstring>

namespace ludens {

constexpr int wide = 8;
using Floats [[gnu::vector_size(wide * sizeof(float))]] = float;
using Integers [[gnu::vector_size(wide * sizeof(std::int32_t))]] = std::int32_t;

template <class V, class T> [[gnu::always_inline]] inline V load(const T* numbers) {
    static_assert(sizeof(V) == wide * sizeof(T));
    V v;
    std::memcpy(&v, numbers, sizeof(V));
    return v;
}

}  // namespace ludens
