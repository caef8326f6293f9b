// The turns and reflections of a square board.
#pragma once

#include <utility>

namespace ludens {

constexpr int board_symmetries = 8;

// Where a symmetry takes a cell of a board with `side` rows, numbered row by row. A bit each: for rows and columns
// exchanged, then for the order of rows and that of columns reversed.
constexpr int image_of_cell(int cell, int side, int symmetry) {
    int row = cell / side, column = cell % side;
    if (symmetry & 1) std::swap(row, column);
    if (symmetry & 2) row = side - 1 - row;
    if (symmetry & 4) column = side - 1 - column;
    return row * side + column;
}

}  // namespace ludens
