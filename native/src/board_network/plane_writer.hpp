// Writes the planes of states: which squares of which planes each proposition stands for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bits.hpp"
#include "board_network/bit_lists.hpp"
#include "board_network/weights.hpp"

namespace ludens::board_network {

// What the planes say of a state. Bits are those that evaluations see of it: its propositions, and then the features of
// the game.
struct PlaneColumns {
    struct Fill {
        std::int32_t bit, plane, value;
    };

    std::vector<std::int32_t> columns;  // [planes][squares] the bit that sets the activation to 127; -1: none
    std::vector<Fill> fills;            // where the bit is set, all of the plane is at least `value`, 0 to 127
};

// Immutable, shared by threads.
class PlaneWriter {
public:
    // A row of a position has `padded_planes` activations. Throws Error on planes that do not fit the sizes, and on
    // bits beyond those of a state.
    PlaneWriter(const Sizes& sizes, int padded_planes, const PlaneColumns& planes, int state_bits);

    // One more than the last bit that is looked at.
    int bits() const { return std::max(cells_.bits(), fills_.bits()); }
    // Writes activations [squares][padded_planes].
    void write(const Word* state, Activation* position) const;

    struct Level {
        std::uint8_t plane;
        Activation value;
    };

private:
    std::size_t row_, size_;         // activations of a square, and of all
    BitLists<std::uint32_t> cells_;  // places in a position
    BitLists<Level> fills_;
};

}  // namespace ludens::board_network
