// The gomoku family as parameters: k stones in a row win on a board of m x n cells.
#pragma once

#include <array>
#include <vector>

#include "base/bits.hpp"

namespace ludens::gomoku {

constexpr int most_side = 22, most_cells = most_side * most_side, least_length = 3, most_length = 7;

// Who has won, and whose stones are in a set: the side that moves first, and the other.
enum Outcome : int { first_wins, second_wins, drawn };

struct Rules {
    int rows = 15, columns = 15;
    int length = 5;      // so many stones in a row win,
    bool exact = false;  // ... and more do not
    int first_role = 0;
    std::array<std::array<int, 2>, 3> goals{{{100, 0}, {0, 100}, {50, 50}}};  // [Outcome][role]

    int cells() const { return rows * columns; }
    bool constant_sum() const;
    // Whether a row wins what the other side loses, and is better than a draw.
    bool rows_win() const;
    void check() const;  // throws Error
};

// The steps along rows, columns and both diagonals.
struct Direction {
    int down, right;
};
constexpr std::array<Direction, 4> directions{{{0, 1}, {1, 0}, {1, 1}, {1, -1}}};

// A set of cells, which are numbered row by row.
struct Cells {
    std::array<Word, words_for(most_cells)> words{};

    bool operator[](int cell) const { return words[static_cast<std::size_t>(cell) / 64] >> cell % 64 & 1; }
    void add(int cell) { words[static_cast<std::size_t>(cell) / 64] |= Word{1} << cell % 64; }
    void remove(int cell) { words[static_cast<std::size_t>(cell) / 64] &= ~(Word{1} << cell % 64); }
    int count() const {
        int sum = 0;
        for (const Word word : words) sum += count_bits(word);
        return sum;
    }
    bool operator==(const Cells&) const = default;
};

// Finds rows on whole boards.
class Rows {
public:
    explicit Rows(const Rules& rules);

    // Whether these stones have a row that wins.
    bool any(const Cells& stones) const;
    // Whether the one on `cell` is part of such a row.
    bool through(const Cells& stones, int cell) const;

private:
    // How many of the stones are next to a cell, going on in a direction or (sign -1) against it.
    int run(const Cells& stones, int cell, const Direction& direction, int sign) const;
    bool wins(int run) const { return exact_ ? run == length_ : run >= length_; }

    int rows_, columns_, length_;
    bool exact_;
    std::size_t words_;
    std::array<Cells, directions.size()> first_;  // where a row of a direction may begin
};

}  // namespace ludens::gomoku
