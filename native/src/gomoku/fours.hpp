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
    // The same after a stone of the side on an empty cell, of those on the lines through that cell.
    Fives fives_after(int cell, int side) const;
    bool has_fives(int side) const { return any(busy(side).fives); }
    // Whether there are cells with which all but one stone of a row are there.
    bool has_fours(int side) const { return any(busy(side).fours); }
    // Calls visit(cell, strong) for each of them, and again where it is one in several lines. `strong`: it is one in
    // several windows of a line, so that several cells may then complete a row.
    template <class Visit> void each_four(int side, Visit visit) const {
        each_line(busy(side).fours, [&](int number, const Line& line) {
            const std::uint32_t strong = line.fours[index(2 + side)];
            for (std::uint32_t rest = line.fours[index(side)]; rest; rest &= rest - 1)
                visit(cell_at(number, std::countr_zero(rest)), (strong & rest & -rest) != 0);
        });
    }
    // Calls visit(cell) for each cell that completes a row, and again where it completes several.
    template <class Visit> void each_five(int side, Visit visit) const {
        each_line(busy(side).fives, [&](int number, const Line& line) {
            for (std::uint32_t rest = line.stones[index(2 + side)]; rest; rest &= rest - 1)
                visit(cell_at(number, std::countr_zero(rest)));
        });
    }

private:
    static constexpr std::size_t lanes = directions.size();  // the lines through a cell
    static constexpr int lines_of_direction = 64;            // and no more
    static_assert(2 * most_side - 1 <= lines_of_direction);
    typedef std::uint32_t Lanes __attribute__((vector_size(lanes * sizeof(std::uint32_t))));
    typedef std::uint64_t Lines __attribute__((vector_size(lanes * sizeof(std::uint64_t))));  // a set of lines

    // What is on a line, with a bit for each cell; by the sides 0 and 1.
    struct Line {
        Lanes stones;  // 0, 1, and the cells that complete a row
        Lanes fours;   // the cells that make it lack one stone in a window, and (last two) in several
    };
    // The lines of a side with fives, and those with fours.
    struct Busy {
        Lines fives, fours;
    };
    // The lines through a cell.
    struct Through {
        Lanes bits, board;  // the cell's bit, and those of all cells of the line
        Lines sets;         // of the line alone
        std::array<std::uint16_t, lanes> numbers;
    };
    // A move, the lines through it as they were before, and what there is after it.
    struct Made {
        int cell, side;
        std::array<Line, lanes> lines;
        std::array<Busy, 2> busy;
    };
    // The cells that complete a row (`fives`), or all but one stone of a row in one window or (`strong`) several.
    struct Found {
        Lanes fives, fours, strong;
    };

    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    static bool any(const Lines& lines) { return (lines[0] | lines[1] | lines[2] | lines[3]) != 0; }
    const Busy& busy(int side) const { return made_[count_].busy[index(side)]; }
    template <class Visit> void each_line(const Lines& lines, Visit visit) const {
        for (int d = 0; d < static_cast<int>(lanes); ++d)
            for (std::uint64_t rest = lines[index(d)]; rest; rest &= rest - 1) {
                const int number = d * lines_of_direction + std::countr_zero(rest);
                visit(number, lines_[index(number)]);
            }
    }
    int cell_at(int line, int place) const { return first_[index(line)] + place * step_[index(line)]; }
    template <int known> void update(const Through& through, int side, const Made& before, Made& made);
    template <int known>
    static void find(const Rules& rules, const Lanes& own, const Lanes& others, const Lanes& board, Found& found);
    static std::array<Lanes, lanes> transposed(const std::array<Lanes, lanes>& rows);

    const Rules& rules_;
    std::vector<Through> through_;   // [cells]
    std::vector<Line> lines_;        // [directions][lines_of_direction]
    std::vector<int> first_, step_;  // [the same] their first cell, and from one to the next
    std::vector<Made> made_;         // [moves made + 1 ...] the first is none, but what there was at first
    std::size_t count_ = 0;          // of moves made
    std::vector<std::array<std::uint64_t, 2>> stone_keys_;  // [cells][sides]
    std::uint64_t key_ = 0;
};

}  // namespace ludens::gomoku
