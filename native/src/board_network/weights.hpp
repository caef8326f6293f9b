// A residual network over the squares of a board, in whole numbers: what a position is worth, and for some games which
// moves look good. The game gives the squares, which of them each one sees, and the planes that are put in.
//
// A square has `width` activations from 0 to 127, which stand for 0 to 1. A convolution sees each square through
// `taps`: the square itself and its neighbours, whichever these are (zero beyond the edge); weights are of one byte
// and stand for a 128th each. With a rectifier that is cut off at both ends,
//
//     stem      x = cut(convolution of the planes)
//     block     x = cut(x + convolution of cut(convolution of x))
//     outputs   weights times cut(weights times all of x), `hidden_units` between them
//     moves     weights times x, for every square and direction
//
// where cut(s) = min(127, max(0, (s + 64) / 128 rounded down)); in a block x is added after the division. Sums are exact
// in 32 bits, and so the same with every instruction set.
//
// Residual networks: He et al., "Deep residual learning for image recognition", 2016. Training in the numbers that are
// used in play: Jacob et al., "Quantization and training of neural networks for efficient integer-arithmetic-only
// inference", 2018. Rectifiers that are cut off, and bytes: Nasu, "Efficiently updatable neural-network-based
// evaluation functions", 2018.
#pragma once

#include <cstdint>
#include <vector>

namespace ludens::board_network {

// An activation, from 0 to 127.
using Activation = std::uint8_t;

struct Sizes {
    static constexpr int most_squares = 400, most_taps = 9, most_planes = 255, widths = 32, most_width = 128;
    static constexpr int most_blocks = 16, hidden_units = 32, most_outputs = 16, most_directions = 4;

    int squares = 0, taps = 0, planes = 0, width = 0, blocks = 0, outputs = 0;
    int directions = 0;  // in which there may be a move from each square; 0: the network says nothing of moves

    bool operator==(const Sizes&) const = default;
    // Throws Error on sizes out of range.
    void check() const;
};

struct Weights {
    Sizes sizes;
    std::vector<std::int32_t> seen;           // [taps][squares] squares; the number of squares beyond the edge
    std::vector<std::int8_t> stem;            // [width][taps][planes]
    std::vector<std::int8_t> convolutions;    // [2 * blocks][width][taps][width]
    std::vector<std::int32_t> biases;         // [1 + 2 * blocks][width]
    std::vector<std::int8_t> hidden;          // [hidden_units][squares][width]
    std::vector<std::int32_t> hidden_biases;  // [hidden_units]
    std::vector<std::int8_t> value;           // [outputs][hidden_units]
    std::vector<std::int32_t> value_biases;   // [outputs]
    std::vector<std::int8_t> moves;           // [directions][width]
    std::vector<std::int32_t> move_biases;    // [directions]

    // Throws Error on sizes that do not fit together, on squares that are none, and on numbers so large that a sum
    // could overflow.
    void check() const;
};

}  // namespace ludens::board_network
