// What outputs of a network are worth as goals.
#pragma once

#include "base/vector_math.hpp"
#include "board_network/network.hpp"

namespace ludens::board_network {

// Returns the goals, from 0 to 100, whose share of 100 has these logits: 50 + 50 tanh(x) = 100 / (1 + exp(-2 x)).
[[gnu::always_inline]] inline Floats goals_of(const std::int32_t* outputs) {
    const Floats x = __builtin_convertvector(load<Integers>(outputs), Floats) / Network::one;
    return 100 / (1 + exponential(-2 * x));
}

}  // namespace ludens::board_network
