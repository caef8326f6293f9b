#include "board_network/network.hpp"

#include <algorithm>

#include "board_network/instruction_sets.hpp"

namespace ludens::board_network {

namespace {

constexpr std::size_t line_bytes = 64;

struct alignas(line_bytes) Line {
    Activation bytes[line_bytes];
};

constexpr int padded(int number, int step) { return (number + step - 1) / step * step; }

constexpr std::size_t size(int n) { return static_cast<std::size_t>(n); }

// Weights [rows][places][inputs], and biases [rows].
struct PlainLayer {
    const std::int8_t* weights;
    const std::int32_t* biases;
    int rows, places, inputs;
};

// Packs a layer; there may be more places and outputs, without weights, than the layer has places and rows.
Layer packed(const PlainLayer& layer, int places, int outputs) {
    const int inputs = padded(layer.inputs, Network::inputs_together);
    Layer to{inputs, outputs, std::vector<std::int8_t>(size(places) * size(inputs) * size(outputs)),
             std::vector<std::int32_t>(size(outputs))};
    std::copy_n(layer.biases, layer.rows, to.biases.begin());
    const std::int8_t* weight = layer.weights;
    for (int row = 0; row < layer.rows; ++row)
        for (int place = 0; place < layer.places; ++place)
            for (int input = 0; input < layer.inputs; ++input) {
                const int together = (place * inputs + input) / Network::inputs_together;
                const int among = input % Network::inputs_together;
                to.weights[(size(together) * size(outputs) + size(row)) * Network::inputs_together + size(among)] =
                    *weight++;
            }
    return to;
}

// Returns where the rows of the squares that are seen begin, [taps][padded_squares]; unused squares see nothing.
std::vector<std::int32_t> seen_rows(const Weights& w, int padded_squares, int row) {
    std::vector<std::int32_t> rows(size(w.sizes.taps) * size(padded_squares), padded_squares * row);
    for (int tap = 0; tap < w.sizes.taps; ++tap)
        for (int square = 0; square < w.sizes.squares; ++square) {
            const std::int32_t seen = w.seen[size(tap) * size(w.sizes.squares) + size(square)];
            if (seen < w.sizes.squares) rows[size(tap) * size(padded_squares) + size(square)] = seen * row;
        }
    return rows;
}

std::size_t lines_for(int rows, int columns) { return (size(rows) * size(columns) + line_bytes - 1) / line_bytes; }

}  // namespace

Network::Network(const Weights& w, const std::string& instruction_set)
    : sizes_((w.check(), w.sizes)), padded_squares_(padded(sizes_.squares, squares_together)),
      seen_planes_(seen_rows(w, padded_squares_, padded(sizes_.planes, inputs_together))),
      seen_(seen_rows(w, padded_squares_, sizes_.width)),
      hidden_(packed({w.hidden.data(), w.hidden_biases.data(), Sizes::hidden_units, sizes_.squares, sizes_.width},
                     padded_squares_, Sizes::hidden_units)),
      moves_(packed({w.moves.data(), w.move_biases.data(), sizes_.directions, 1, sizes_.width}, 1, padded_directions)),
      value_(w.value), value_biases_(w.value_biases), evaluate_(evaluate_for(instruction_set)) {
    const int width = sizes_.width, taps = sizes_.taps;
    layers_.push_back(packed({w.stem.data(), w.biases.data(), width, taps, sizes_.planes}, taps, width));
    const std::ptrdiff_t convolution = std::ptrdiff_t{width} * taps * width;
    for (int i = 0; i < 2 * sizes_.blocks; ++i)
        layers_.push_back(packed({w.convolutions.data() + i * convolution,
                                  w.biases.data() + std::ptrdiff_t{i + 1} * width, width, taps, width},
                                 taps, width));
}

void Network::evaluate(std::int64_t count, const Activation* positions, std::int32_t* outputs,
                       std::int32_t* logits) const {
    thread_local std::vector<Line> lines;  // kept, as calls are many and short
    const std::size_t planes = lines_for(padded_squares_ + 1, padded_planes());
    const std::size_t board = lines_for(padded_squares_ + 1, sizes_.width);
    lines.resize(std::max(lines.size(), planes + 2 * board));
    const auto at = [&](std::size_t line) { return lines.data()[line].bytes; };
    evaluate_(*this, count, positions, {at(0), at(planes), at(planes + board)}, outputs, logits);
}

}  // namespace ludens::board_network
