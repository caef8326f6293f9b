// What a stone makes of the line through its cell.
//
// The names are those of five in a row; for k in a row a "four" lacks one stone and a "three" two.
#pragma once

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

// What is on a cell of a line, in two bits: which sides' rows it stands in the way of.
enum Owner : unsigned { nobody = 0, second_side = 1, first_side = 2, off_board = 3 };

// The shapes that a stone of either side makes, by what is on its line nearby.
//
// On each side of the cell the cells that count are those up to the first that is not free for the stone's side, and no
// more than `reach`. What they tell both sides is the kind of that half of the line; there are no more than
// 2^(reach + 2) of them, so a small table gives the shapes for two kinds.
class ShapeTable {
public:
    explicit ShapeTable(const Rules& rules);

    // For an exact length the cell after the longest row counts, too.
    int reach() const { return reach_; }

    // The shapes of the first side's stone and, from bit 16 on, of the second's. The `reach` cells on each side of it are
    // those with two bits each, in the order of the line.
    std::uint32_t find(std::uint64_t below, std::uint64_t above) const {
        return shapes_[below_[below] + above_[above]];
    }

private:
    int reach_;
    std::vector<std::uint32_t> below_, above_;  // [4^reach] kinds of half a line; below: where theirs begin in shapes_
    std::vector<std::uint32_t> shapes_;         // [kind below][kind above]
};

}  // namespace ludens::gomoku
