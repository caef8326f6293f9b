// The network of board_network/weights.hpp over the 32 squares of the board: what a position is worth to the side to
// move, and which moves look good. Trained by agent/checkers/training.py, whose network it equals to the last bit.
//
// A convolution sees each square with its four neighbours on the diagonals, which is all that pieces step to. The
// planes are own pieces, the other side's, kings, and the board.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "board_network/network.hpp"
#include "checkers/board.hpp"

namespace ludens::checkers {

// What the side to move sees, which goes up the board: in rows of four squares, as everywhere outside.
struct SeenPosition {
    Squares own, others, kings;
};

// Immutable, shared by threads.
class Network {
public:
    static constexpr int moves = direction_count * square_limit;
    static constexpr float one = board_network::Network::one;

    // The sizes of a network of checkers.
    static board_network::Sizes sizes(int width, int blocks);
    // The squares that a convolution sees, [tap][square]: the square itself, then its neighbours by direction;
    // square_limit beyond the edge.
    static std::vector<std::int32_t> seen_squares();

    // Throws Error on weights that do not pass their check() or are of other sizes, and where there is no such
    // instruction set; the empty one is the best.
    Network(const board_network::Weights& weights, const std::string& instruction_set);

    // Writes values [count], and unless null logits [count][moves] of moves 4 * square + direction, both in units of
    // 1 / one. The hyperbolic tangent of a value is what the position is worth, from -1 to 1.
    void evaluate(std::int64_t count, const SeenPosition* positions, std::int32_t* values, std::int32_t* logits) const;

private:
    const board_network::Network network_;
};

}  // namespace ludens::checkers
