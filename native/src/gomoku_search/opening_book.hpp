// The opening book of five in a row in free style on 15 x 15 cells.
#pragma once

#include "gomoku/game.hpp"

namespace ludens::gomoku {

// Returns the move of the book in a position, -1 where it has none: by other rules, or with other stones up to symmetry.
int book_move(const Rules& rules, const Position& position);

}  // namespace ludens::gomoku
