#include "checkers/network.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/machine.hpp"
#include "checkers/instruction_sets.hpp"

namespace ludens::checkers {

namespace {

constexpr int inputs_together = 4, padded_directions = 16;
constexpr std::int32_t most_bias = 1 << 24;  // beside sums of less than 2^26

void require(bool holds, const char* what) {
    if (!holds) throw Error(std::string("network: ") + what);
}

constexpr std::size_t size(int n) { return static_cast<std::size_t>(n); }

// Packs weights [outputs][taps][inputs]; there may be more outputs, without weights, than there are rows.
Network::Layer packed(const std::int8_t* weights, const std::int32_t* biases, int rows, int taps, int inputs,
                      int outputs) {
    Network::Layer layer{inputs, outputs, std::vector<std::int8_t>(size(taps) * size(inputs) * size(outputs)),
                         std::vector<std::int32_t>(size(outputs))};
    std::copy_n(biases, rows, layer.biases.begin());
    for (int output = 0; output < rows; ++output)
        for (int tap = 0; tap < taps; ++tap)
            for (int input = 0; input < inputs; ++input) {
                const int together = (tap * inputs + input) / inputs_together;
                layer.weights[(size(together) * size(outputs) + size(output)) * inputs_together +
                              size(input % inputs_together)] = *weights++;
            }
    return layer;
}

}  // namespace

void NetworkWeights::check() const {
    require(width >= widths && width <= most_width && width % widths == 0, "the width must be 32, 64, 96 or 128");
    require(blocks >= 0 && blocks <= most_blocks, "there may be 16 blocks at most");
    const std::size_t w = size(width), convolution = w * taps * w;
    require(stem.size() == w * taps * planes && convolutions.size() == 2 * size(blocks) * convolution &&
                biases.size() == (1 + 2 * size(blocks)) * w && hidden.size() == size(hidden_units) * square_limit * w &&
                hidden_biases.size() == hidden_units && value.size() == hidden_units &&
                moves.size() == direction_count * w && move_biases.size() == direction_count,
            "the weights are of the wrong size");
    for (const auto* weights : {&stem, &convolutions, &hidden, &value, &moves})
        require(std::ranges::find(*weights, -128) == weights->end(), "a weight is -128");
    for (const auto* numbers : {&biases, &hidden_biases, &move_biases})
        for (const std::int32_t bias : *numbers)
            require(std::abs(std::int64_t{bias}) <= most_bias, "a bias is too large");
    require(std::abs(std::int64_t{value_bias}) <= most_bias, "a bias is too large");
}

Network::Network(const NetworkWeights& w, const std::string& instruction_set)
    : width_((w.check(), w.width)), blocks_(w.blocks),
      hidden_(packed(w.hidden.data(), w.hidden_biases.data(), w.hidden_units, square_limit, w.width, w.hidden_units)),
      moves_(packed(w.moves.data(), w.move_biases.data(), direction_count, 1, w.width, padded_directions)),
      value_(w.value), value_bias_(w.value_bias), evaluate_(functions_for(instruction_set).functions.evaluate) {
    layers_.push_back(packed(w.stem.data(), w.biases.data(), width_, w.taps, w.planes, width_));
    for (int i = 0; i < 2 * blocks_; ++i)
        layers_.push_back(packed(w.convolutions.data() + std::ptrdiff_t{i} * width_ * w.taps * width_,
                                 w.biases.data() + std::ptrdiff_t{i + 1} * width_, width_, w.taps, width_, width_));
}

}  // namespace ludens::checkers
