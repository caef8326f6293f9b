// What a stone makes of the line through its cell.
//
// The names are those of five in a row; for k in a row a "four" lacks one stone and a "three" two.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "gomoku/rules.hpp"

namespace ludens::gomoku {

// In rising order of strength.
enum class Shape : std::uint8_t {
    none,
    two,         // one stone more makes a three
    open_two,    // one stone more makes an open three
    three,       // one stone more makes a four
    open_three,  // one stone more makes an open four
    four,        // one cell completes a row
    open_four,   // several cells complete a row, so that one answer is too few
    five,        // a row that wins
};
constexpr int shape_count = 8;

// The shapes that a stone makes, by what is on its line nearby.
//
// On each side of the cell the cells that count are those up to the first that is not free for the stone's side, and no
// more than `reach`. A side is a number: a bit for each cell that counts, set where the side has a stone, below a bit
// that ends them.
class ShapeTable {
public:
    explicit ShapeTable(const Rules& rules);

    // For an exact length the cell after the longest row counts, too.
    int reach() const { return reach_; }

    // The shape that a stone makes at a place of a line of so many cells. `own` and `others` are the stones on it.
    Shape find(std::uint32_t own, std::uint32_t others, int place, int line_length) const {
        const std::uint32_t blocked = others | ~((std::uint32_t{1} << line_length) - 1);
        const int above = std::min(std::countr_zero(blocked >> place >> 1 | std::uint32_t{1} << reach_), reach_);
        const std::uint32_t before = others & ((std::uint32_t{1} << place) - 1);
        const int room = before ? place - std::bit_width(before) : place;
        const int below = std::min(room, reach_);
        const std::uint32_t high = (own >> place >> 1 & ((1u << above) - 1)) | 1u << above;
        const std::uint32_t low = (own >> (place - below) & ((1u << below) - 1)) | 1u << below;
        return shapes_[low << (reach_ + 1) | high];
    }

private:
    int reach_;
    std::vector<Shape> shapes_;  // [below][above]
};

}  // namespace ludens::gomoku
