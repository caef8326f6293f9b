#include "gomoku/rules.hpp"

#include <algorithm>
#include <string>

#include "base/machine.hpp"

namespace ludens::gomoku {

namespace {

// Moves all bits of a set towards lower numbers.
void shift_down(Cells& set, int by, std::size_t words) {
    const auto whole = static_cast<std::size_t>(by) / 64;
    const int rest = by % 64;
    for (std::size_t w = 0; w < words; ++w) {
        const Word low = w + whole < words ? set.words[w + whole] : 0;
        const Word high = w + whole + 1 < words ? set.words[w + whole + 1] : 0;
        set.words[w] = rest == 0 ? low : low >> rest | high << (64 - rest);
    }
}

}  // namespace

bool Rules::constant_sum() const {
    return std::ranges::all_of(goals, [](const auto& both) { return both[0] + both[1] == 100; });
}

bool Rules::rows_win() const {
    const auto role = static_cast<std::size_t>(first_role);
    return constant_sum() && goals[first_wins][role] > goals[drawn][role] &&
           goals[drawn][role] > goals[second_wins][role];
}

void Rules::check() const {
    if (std::min(rows, columns) < 1 || std::max(rows, columns) > most_side)
        throw Error("gomoku: a board has 1 to 22 rows and columns, not " + std::to_string(rows) + " x " +
                    std::to_string(columns));
    if (length < least_length || length > most_length)
        throw Error("gomoku: 3 to 7 in a row win, not " + std::to_string(length));
    if (first_role != 0 && first_role != 1) throw Error("gomoku: the first mover is role 0 or 1");
    for (const auto& both : goals)
        for (const int goal : both)
            if (goal < 0 || goal > 100) throw Error("gomoku: goals are 0 to 100, not " + std::to_string(goal));
}

Rows::Rows(const Rules& rules)
    : rows_(rules.rows), columns_(rules.columns), length_(rules.length), exact_(rules.exact),
      words_(static_cast<std::size_t>(words_for(rules.cells()))) {
    for (std::size_t d = 0; d < directions.size(); ++d)
        for (int row = 0; row < rows_; ++row)
            for (int column = 0; column < columns_; ++column) {
                const int last_row = row + (length_ - 1) * directions[d].down;
                const int last_column = column + (length_ - 1) * directions[d].right;
                if (last_row < rows_ && last_column >= 0 && last_column < columns_)
                    first_[d].add(row * columns_ + column);
            }
}

bool Rows::any(const Cells& stones) const {
    for (std::size_t d = 0; d < directions.size(); ++d) {
        const int step = directions[d].down * columns_ + directions[d].right;
        Cells rows = stones;  // where so many stones in a row begin
        for (int found = 1; found < length_;) {
            const int more = std::min(found, length_ - found);
            Cells further = rows;
            shift_down(further, more * step, words_);
            for (std::size_t w = 0; w < words_; ++w) rows.words[w] &= further.words[w];
            found += more;
        }
        for (std::size_t w = 0; w < words_; ++w)
            for (Word rest = rows.words[w] & first_[d].words[w]; rest; rest &= rest - 1) {
                const int cell = static_cast<int>(w) * 64 + std::countr_zero(rest);
                if (!exact_ || wins(1 + run(stones, cell, directions[d], 1) + run(stones, cell, directions[d], -1)))
                    return true;
            }
    }
    return false;
}

bool Rows::through(const Cells& stones, int cell) const {
    return std::ranges::any_of(directions, [&](const Direction& direction) {
        return wins(1 + run(stones, cell, direction, 1) + run(stones, cell, direction, -1));
    });
}

int Rows::run(const Cells& stones, int cell, const Direction& direction, int sign) const {
    int row = cell / columns_, column = cell % columns_;
    for (int count = 0;; ++count) {
        row += sign * direction.down;
        column += sign * direction.right;
        const bool on_board = row >= 0 && row < rows_ && column >= 0 && column < columns_;
        if (!on_board || !stones[row * columns_ + column]) return count;
    }
}

}  // namespace ludens::gomoku
