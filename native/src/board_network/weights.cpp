#include "board_network/weights.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>

#include "base/machine.hpp"

namespace ludens::board_network {

namespace {

// The largest sum is that of a hidden unit, which sees all squares; a bias and what is added to round come on top.
constexpr std::int64_t full = 127, half = 64, most_bias = 1 << 24;
constexpr std::int64_t most_inputs = Sizes::most_squares * Sizes::most_width;
static_assert(most_inputs >= Sizes::most_taps * std::max(Sizes::most_width, Sizes::most_planes));
static_assert(most_inputs * full * full + most_bias + half <= std::numeric_limits<std::int32_t>::max());

void require(bool holds, const char* what) {
    if (!holds) throw Error(std::string("network: ") + what);
}

bool within(int number, int least, int most) { return number >= least && number <= most; }

std::size_t size(int n) { return static_cast<std::size_t>(n); }

}  // namespace

void Sizes::check() const {
    require(within(squares, 1, most_squares), "there must be 1 to 400 squares");
    require(within(taps, 1, most_taps), "there must be 1 to 9 taps");
    require(within(planes, 1, most_planes), "there must be 1 to 255 planes");
    require(within(width, widths, most_width) && width % widths == 0, "the width must be 32, 64, 96 or 128");
    require(within(blocks, 0, most_blocks), "there may be 16 blocks at most");
    require(within(outputs, 1, most_outputs), "there must be 1 to 16 outputs");
    require(within(directions, 0, most_directions), "there may be 4 directions at most");
}

void Weights::check() const {
    sizes.check();
    const std::size_t w = size(sizes.width), taps = size(sizes.taps), squares = size(sizes.squares);
    const std::size_t convolved = 2 * size(sizes.blocks), units = Sizes::hidden_units;
    const std::size_t outputs = size(sizes.outputs), directions = size(sizes.directions);
    require(seen.size() == taps * squares && stem.size() == w * taps * size(sizes.planes) &&
                convolutions.size() == convolved * w * taps * w && biases.size() == (1 + convolved) * w &&
                hidden.size() == units * squares * w && hidden_biases.size() == units &&
                value.size() == outputs * units && value_biases.size() == outputs && moves.size() == directions * w &&
                move_biases.size() == directions,
            "the weights are of the wrong size");
    require(std::ranges::all_of(seen, [&](int square) { return within(square, 0, sizes.squares); }),
            "a tap sees a square that there is not");
    for (const auto* weights : {&stem, &convolutions, &hidden, &value, &moves})
        require(std::ranges::find(*weights, -128) == weights->end(), "a weight is -128");
    for (const auto* numbers : {&biases, &hidden_biases, &value_biases, &move_biases})
        for (const std::int32_t bias : *numbers)
            require(std::abs(std::int64_t{bias}) <= most_bias, "a bias is too large: more than 16,777,216");
}

}  // namespace ludens::board_network
