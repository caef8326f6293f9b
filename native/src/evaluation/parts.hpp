// Rows of numbers for all sums of an evaluation, in parts as wide as a vector, and code that knows how many these are.
#pragma once

#include "base/vector_math.hpp"

namespace ludens {

constexpr int most_parts = 14;

// A vector as an element of containers, which would forget its alignment.
struct alignas(sizeof(Floats)) Part {
    Floats sums;
};

// Calls visit.operator()<parts>(), with what is otherwise known only at run time.
template <int least = 1, class Visit> [[gnu::always_inline]] inline void with_parts(int parts, const Visit& visit) {
    if constexpr (least < most_parts) {
        if (parts != least) return with_parts<least + 1>(parts, visit);
    }
    visit.template operator()<least>();
}

// In an order that all instruction sets keep to.
[[gnu::always_inline]] inline float added_up(Floats x) {
    const auto halves = __builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7);
    return (halves[0] + halves[2]) + (halves[1] + halves[3]);
}

}  // namespace ludens
