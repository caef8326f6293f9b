// Which edge of a node a visit of the guided search follows: PUCT over rows of numbers, eight edges at a time.
#pragma once

#include <cstdint>

#include "guided/tree.hpp"

namespace ludens::guided {

constexpr float top_goal = 100;
constexpr float minimax_share = 0.5f;  // of a value; the mean has the rest
constexpr float temperature = 10;      // of the softmax of first values, in goals

template <class Number>
[[gnu::always_inline]] inline Number mix_in(Number mean, Number minimax) {
    return mean + minimax_share * (minimax - mean);
}

// The first edge with the highest  mix_in(mean, value) + scale prior / (1 + visits)  among those that are not proven;
// `otherwise` if all are.
std::uint32_t choose(const Rows& rows, std::uint32_t edges, float scale, std::uint32_t otherwise);

// One more visit. Written as it is read by choose(): a wider load would wait until a store has left the processor's
// store buffer, and the next visit often follows at once.
void depart(const Rows& rows, std::uint32_t edge);

// Shares of one by a softmax of the values, in goals.
void share_out(const float* values, std::uint32_t count, float* shares);

}  // namespace ludens::guided
