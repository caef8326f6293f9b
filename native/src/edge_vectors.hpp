// The eight edges of a chunk as vectors. Where a processor has no such registers the compiler takes several.
#pragma once

#include <bit>
#include <cstring>

#include "tree.hpp"

namespace ludens {

#if defined(__x86_64__)
#define BEST_REGISTERS [[gnu::target_clones("avx2", "default")]]
#else
#define BEST_REGISTERS
#endif

constexpr int wide = Chunk::size;
using Floats [[gnu::vector_size(wide * sizeof(float))]] = float;
using Integers [[gnu::vector_size(wide * sizeof(std::int32_t))]] = std::int32_t;

template <class V, class T>
[[gnu::always_inline]] inline V load(const T* numbers) {
    static_assert(sizeof(V) == wide * sizeof(T));
    V v;
    std::memcpy(&v, numbers, sizeof(V));
    return v;
}

// A count is written along with three others (Chunk::depart), which are read as such: a wider load would wait until
// the store has left the processor's store buffer.
[[gnu::always_inline]] inline Integers load_counts(const std::uint32_t* counts) {
    using Four [[gnu::vector_size(wide / 2 * sizeof(std::int32_t)), gnu::may_alias]] = std::int32_t;
    const Four* halves = reinterpret_cast<const Four*>(counts);
    return __builtin_shufflevector(halves[0], halves[1], 0, 1, 2, 3, 4, 5, 6, 7);
}

}  // namespace ludens
