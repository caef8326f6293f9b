// PUCT: which edge of a node a visit of the guided search follows, over rows of numbers, eight edges at a time.
#pragma once

#include <cstdint>

#include "guided/node_store.hpp"

namespace ludens::guided {

constexpr float top_goal = 100;
constexpr float minimax_share = 0.5f;  // in the value of an edge; the mean has the rest
constexpr float temperature = 10;      // of the softmax of first values, in goals

// The value of an edge: part mean, part minimax value.
template <class Number> [[gnu::always_inline]] inline Number mixed_value(Number mean, Number minimax) {
    return mean + minimax_share * (minimax - mean);
}

// Returns, of the edges that are not proven, the first with the highest
//     mixed_value(mean, value) + scale prior / (1 + visits)
// and `otherwise` if all are proven.
std::uint32_t choose(const EdgeRows& rows, std::uint32_t edges, float scale, std::uint32_t otherwise);

// Counts a visit that begins. Stores as many counts at a time as choose() loads: a wider load would wait until the
// store has left the processor's store buffer, and the next visit often follows at once.
void begin_visit(const EdgeRows& rows, std::uint32_t edge);

// Replaces each number x by e to the power x.
void exponentials(float* numbers, std::uint32_t count);

// Writes priors, which add up to one: a softmax of the values, in goals.
void softmax_priors(const float* values, std::uint32_t count, float* priors);

}  // namespace ludens::guided
