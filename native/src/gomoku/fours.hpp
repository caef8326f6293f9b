// A board with the cells that complete a row, or all but one stone of a row, kept up to date move by move.
//
// This is what searches for wins by fours work on. A line of the board is a word for each side, with a bit for each cell.
// A row may still come about in a window of k cells without stones of the other side; if one stone is missing, its cell
// is a five; if two are, each is a four, and the other one its answer. These are a few operations on all windows of a
// line at once, and on the four lines through a cell in the lanes of vectors.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "gomoku/game.hpp"

namespace ludens::gomoku {

class FourBoard {
public:
    explicit FourBoard(const Rules& rules);

    // Begins anew at a position, from which no move can be unmade.
    void set(const Position& position);
    // Puts a side's stone on an empty cell; unmake() takes the last one back.
    void make(int cell, int side);
    void unmake();

    // The same for equal stones, and very likely another for others.
    std::uint64_t key() const { return key_; }
    std::uint64_t key_after(int cell, int side) const { return key_ ^ stone_keys_[index(cell)][index(side)]; }

    // The cells that complete a row of a side: their number, and one of them; no more than two are counted.
    struct Fives {
        int count = 0, cell = -1;
    };
    Fives fives(int side) const;
    bool has_fives(int side) const { return any(busy_[index(side)].fives); }
    // Whether there are cells with which all but one stone of a row are there.
    bool has_fours(int side) const { return any(busy_[index(side)].fours); }
    // Calls visit(cell, strong) for each of them, and again where it is one in several lines. `strong`: it is one in
    // several windows of a line, so that several cells may then complete a row.
    template <class Visit> void each_four(int side, Visit visit) const {
        each_bit(busy_[index(side)].fours, [&](int number) {
            const Line& line = lines_[static_cast<std::size_t>(number)];
            const Marks& marks = line.marks[index(side)];
            for (std::uint32_t rest = marks.fours; rest; rest &= rest - 1)
                visit(cell_at(number, std::countr_zero(rest)), (marks.strong & rest & -rest) != 0);
        });
    }
    // Calls visit(cell) for each cell that completes a row, and again where it completes several.
    template <class Visit> void each_five(int side, Visit visit) const {
        each_bit(busy_[index(side)].fives, [&](int number) {
            for (std::uint32_t rest = lines_[static_cast<std::size_t>(number)].marks[index(side)].fives; rest;
                 rest &= rest - 1)
                visit(cell_at(number, std::countr_zero(rest)));
        });
    }

private:
    static constexpr int most_lines = 6 * most_side - 2;
    using Lines = std::array<Word, words_for(most_lines)>;  // a set of them

    struct Marks {
        std::uint32_t fives, fours, strong;
    };
    struct Line {
        std::array<std::uint32_t, 2> stones;  // of the sides
        std::array<Marks, 2> marks;
    };
    // The lines of a side with fives, and those with fours.
    struct Busy {
        Lines fives{}, fours{};
    };
    using Four = std::array<std::uint16_t, directions.size()>;  // the numbers of lines through a cell
    struct Made {
        std::uint16_t cell;
        std::uint8_t side;
        std::array<Line, directions.size()> lines;  // as they were before
        std::array<Busy, 2> busy;
    };

    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    static bool any(const Lines& lines) { return (lines[0] | lines[1] | lines[2]) != 0; }
    int cell_at(int line, int place) const { return first_[index(line)] + place * step_[index(line)]; }
    void update(const Four& lines);

    const Rules& rules_;
    std::vector<Four> through_;                                    // [cells]
    std::vector<std::array<std::uint8_t, directions.size()>> at_;  // [cells] the cell's place on each of them
    std::vector<Line> lines_;
    std::vector<std::uint32_t> length_bits_;  // [lines] a bit for each cell
    std::vector<int> first_, step_;           // [lines] their first cell, and from one to the next
    std::array<Busy, 2> busy_{};
    std::vector<Made> made_;
    std::vector<std::array<std::uint64_t, 2>> stone_keys_;  // [cells][sides]
    std::uint64_t key_ = 0;
};

}  // namespace ludens::gomoku
