// A network of board_network/weights.hpp that judges positions: its weights, laid out for the tower.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "board_network/weights.hpp"

namespace ludens::board_network {

// Packed for board_network/tower.cpp: four inputs of one output side by side. A place is a tap, or a square.
struct Layer {
    int inputs, outputs;               // inputs are of one place
    std::vector<std::int8_t> weights;  // [places][inputs / 4][outputs][4]
    std::vector<std::int32_t> biases;  // [outputs]
};

// Activations of one position that is being judged, [padded_squares + 1] rows of as many as a square has.
struct Boards {
    Activation *planes, *seen, *inner;
};

// Immutable, shared by threads.
class Network {
public:
    static constexpr float one = 127 * 128;     // what outputs are in units of
    static constexpr int squares_together = 8;  // that the tower works on at once, or an integral part of them
    static constexpr int inputs_together = 4;   // whose products are summed at once
    static constexpr int padded_directions = 16;

    // Throws Error on weights that do not pass their check(), and where there is no such instruction set; the empty one
    // is the best.
    Network(const Weights& weights, const std::string& instruction_set);

    const Sizes& sizes() const { return sizes_; }
    // The planes, and unused ones up to a multiple of four.
    int padded_planes() const { return stem().inputs; }
    // Activations that describe a position: [squares][padded_planes].
    int position_size() const { return sizes_.squares * padded_planes(); }

    // Writes outputs [count][outputs], and unless null logits [count][squares][directions] of moves, both in units of
    // 1 / one, of positions as position_size() has them; activations are from 0 to 127, those of unused planes 0.
    void evaluate(std::int64_t count, const Activation* positions, std::int32_t* outputs, std::int32_t* logits) const;

    // For the tower. The squares and unused ones; the row after them stands for what is beyond the edge.
    int padded_squares() const { return padded_squares_; }
    // Where the activations of the squares that are seen begin, [taps][padded_squares]: among the planes, and in the
    // tower.
    const std::int32_t* seen_planes() const { return seen_planes_.data(); }
    const std::int32_t* seen() const { return seen_.data(); }
    const Layer& stem() const { return layers_.front(); }
    // The two of a block follow each other.
    const Layer& convolution(int number) const { return layers_[static_cast<std::size_t>(number) + 1]; }
    const Layer& hidden() const { return hidden_; }     // places are squares
    const Layer& move_layer() const { return moves_; }  // one place, and 16 outputs of which the directions count
    const std::vector<std::int8_t>& value() const { return value_; }
    const std::vector<std::int32_t>& value_biases() const { return value_biases_; }

private:
    using Evaluate = void(const Network&, std::int64_t, const Activation*, const Boards&, std::int32_t*, std::int32_t*);

    Sizes sizes_;
    int padded_squares_;
    std::vector<std::int32_t> seen_planes_, seen_;
    std::vector<Layer> layers_;
    Layer hidden_, moves_;
    std::vector<std::int8_t> value_;
    std::vector<std::int32_t> value_biases_;
    Evaluate* evaluate_;
};

}  // namespace ludens::board_network
