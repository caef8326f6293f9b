#include "gomoku_search/opening_book.hpp"

#include "base/square_board.hpp"
#include "gomoku_search/opening_lines.hpp"

namespace ludens::gomoku {

namespace {

int image(int cell, int symmetry) { return image_of_cell(cell, book_side, symmetry); }

// Whether a symmetry takes the stones of a line, as many as those of the position, to these.
bool is_same(const BookLine& line, const Position& position, int symmetry) {
    for (std::size_t i = 0; i < line.stones; ++i)
        if (!position.stones[i % 2][image(line.cells[i], symmetry)]) return false;
    return true;
}

}  // namespace

int book_move(const Rules& rules, const Position& position) {
    if (rules.rows != book_side || rules.columns != book_side || rules.length != book_length || rules.exact) return -1;
    const int black = position.stones[0].count(), white = position.stones[1].count();
    if (position.turn != 0 || black != white) return -1;
    for (const BookLine& line : book_lines) {
        if (line.stones != static_cast<std::size_t>(black + white)) continue;
        for (int symmetry = 0; symmetry < board_symmetries; ++symmetry)
            if (is_same(line, position, symmetry)) return image(line.cells[line.stones], symmetry);
    }
    return -1;
}

}  // namespace ludens::gomoku
