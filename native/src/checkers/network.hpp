// A small residual network over the 32 squares of the board, in whole numbers: what a position is worth to the side to
// move, and which moves look good. Trained by agent/checkers/training.py, whose network it equals to the last bit.
//
// A square has `width` activations from 0 to 127, which stand for 0 to 1. A convolution sees each square with its four
// neighbours on the diagonals, which is all that pieces step to (zero beyond the edge); weights are of one byte and
// stand for a 128th each. With a rectifier that is cut off at both ends,
//
//     stem      x = cut(convolution of the four planes: own pieces, the other side's, kings, the board)
//     block     x = cut(x + convolution of cut(convolution of x))
//     value     weights times cut(weights times all of x), `hidden_units` between them
//     moves     weights times x, for every square and direction
//
// where cut(s) = min(127, max(0, (s + 64) / 128 rounded down)). Sums are exact in 32 bits, and so the same with every
// instruction set. Residual networks: He et al., "Deep residual learning for image recognition", 2016. Training in
// the numbers that are used in play: Jacob et al., "Quantization and training of neural networks for efficient
// integer-arithmetic-only inference", 2018. Rectifiers that are cut off, and bytes: Nasu, "Efficiently updatable
// neural-network-based evaluation functions", 2018.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "checkers/board.hpp"

namespace ludens::checkers {

// What the side to move sees, which goes up the board: in rows of four squares, as everywhere outside.
struct SeenPosition {
    Squares own, others, kings;
};

// In the order of a file; see games/checkers/networks/network_file.py.
struct NetworkWeights {
    static constexpr int planes = 4, taps = 5, hidden_units = 32, widths = 32, most_width = 128, most_blocks = 16;

    int width = 0, blocks = 0;
    std::vector<std::int8_t> stem;            // [width][taps][planes]
    std::vector<std::int8_t> convolutions;    // [2 * blocks][width][taps][width]
    std::vector<std::int32_t> biases;         // [1 + 2 * blocks][width]
    std::vector<std::int8_t> hidden;          // [hidden_units][square_limit][width]
    std::vector<std::int32_t> hidden_biases;  // [hidden_units]
    std::vector<std::int8_t> value;           // [hidden_units]
    std::int32_t value_bias = 0;
    std::vector<std::int8_t> moves;         // [direction_count][width]
    std::vector<std::int32_t> move_biases;  // [direction_count]

    // Throws Error on sizes that do not fit together, and on numbers so large that a sum could overflow.
    void check() const;
};

// Immutable, shared by threads.
class Network {
public:
    static constexpr int moves = direction_count * square_limit;
    static constexpr float one = 127 * 128;  // what outputs are in units of

    // Throws Error on weights that do not pass their check(), and where there is no such instruction set; the empty one is
    // the best.
    Network(const NetworkWeights& weights, const std::string& instruction_set);

    // Writes values [count], and unless null logits [count][moves] of moves 4 * square + direction, both in units of
    // 1 / one. The hyperbolic tangent of a value is what the position is worth, from -1 to 1.
    void evaluate(std::int64_t count, const SeenPosition* positions, std::int32_t* values, std::int32_t* logits) const {
        evaluate_(*this, count, positions, values, logits);
    }

    // Packed for checkers/tower.cpp: four inputs of one output side by side.
    struct Layer {
        int inputs, outputs;
        std::vector<std::int8_t> weights;  // [taps][inputs / 4][outputs][4]
        std::vector<std::int32_t> biases;  // [outputs]
    };
    const Layer& stem() const { return layers_.front(); }
    // The two of a block follow each other.
    const Layer& convolution(int number) const { return layers_[static_cast<std::size_t>(number) + 1]; }
    const Layer& hidden() const { return hidden_; }     // squares in place of taps
    const Layer& move_layer() const { return moves_; }  // one tap, and 16 outputs of which four count
    const std::vector<std::int8_t>& value() const { return value_; }
    std::int32_t value_bias() const { return value_bias_; }
    int width() const { return width_; }
    int blocks() const { return blocks_; }

private:
    using Evaluate = void(const Network&, std::int64_t, const SeenPosition*, std::int32_t*, std::int32_t*);

    int width_, blocks_;
    std::vector<Layer> layers_;
    Layer hidden_, moves_;
    std::vector<std::int8_t> value_;
    std::int32_t value_bias_;
    Evaluate* evaluate_;
};

// The squares that a convolution sees, [tap][square]: the square itself, then its neighbours by direction;
// square_limit beyond the edge.
constexpr auto seen_squares = [] {
    constexpr int ways[NetworkWeights::taps][2] = {{0, 0}, {1, -1}, {1, 1}, {-1, -1}, {-1, 1}};  // ranks, files
    std::array<std::array<std::uint8_t, square_limit>, NetworkWeights::taps> seen{};
    for (int tap = 0; tap < NetworkWeights::taps; ++tap)
        for (int square = 0; square < square_limit; ++square) {
            const int rank = square / 4 + ways[tap][0], file = 2 * (square % 4) + square / 4 % 2 + ways[tap][1];
            const bool inside = rank >= 0 && rank < ranks && file >= 0 && file < ranks;
            seen[tap][square] = static_cast<std::uint8_t>(inside ? 4 * rank + file / 2 : square_limit);
        }
    return seen;
}();

}  // namespace ludens::checkers
