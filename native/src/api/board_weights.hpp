// Weights of networks over a board in the C API, which all such networks share.
#pragma once

#include <vector>

#include "api/handles.hpp"
#include "board_network/weights.hpp"

namespace ludens::api {

// Copies weights, but for what a square sees, which the caller knows. Throws Error on sizes out of range.
inline board_network::Weights weights_of(const ludens_board_weights& w, std::vector<std::int32_t> seen) {
    using board_network::Sizes;
    const Sizes sizes{w.squares, w.taps, w.planes, w.width, w.blocks, w.outputs, w.directions};
    sizes.check();
    const std::int64_t width = w.width, units = Sizes::hidden_units, convolutions = 2 * std::int64_t{w.blocks};
    return {sizes,
            std::move(seen),
            copy(w.stem, width * w.taps * w.planes),
            copy(w.convolutions, convolutions * width * w.taps * width),
            copy(w.biases, (1 + convolutions) * width),
            copy(w.hidden, units * w.squares * width),
            copy(w.hidden_biases, units),
            copy(w.value, w.outputs * units),
            copy(w.value_biases, w.outputs),
            copy(w.moves, w.directions * width),
            copy(w.move_biases, w.directions)};
}

}  // namespace ludens::api
