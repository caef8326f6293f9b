// A position with what a stone of either side would make of every empty cell, kept up to date move by move.
//
// This is what searches of gomoku work on: make() and unmake() moves, and ask for the cells where a side makes a five, a
// four or a three, or for all cells worth looking at.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "gomoku/game.hpp"
#include "gomoku/pattern_weights.hpp"
#include "gomoku/shapes.hpp"

namespace ludens::gomoku {

class Patterns {
public:
    // The game must outlive it.
    explicit Patterns(const GomokuGame& game);

    // Begins anew at a position, from which no move can be unmade.
    void set(const Position& position);

    const Rules& rules() const { return rules_; }
    const Position& position() const { return position_; }
    int turn() const { return position_.turn; }
    bool empty(int cell) const { return !position_.taken(cell); }
    // The same for equal positions, and very likely another for others.
    std::uint64_t key() const { return key_; }
    // The key after a move of the side to move.
    std::uint64_t key_after(int cell) const;

    // Puts a stone of the side to move on an empty cell, whatever rows there are; unmake() takes the last one back.
    void make(int cell);
    void unmake();
    // Lets the other side move; once more takes it back.
    void pass();

    // What a side's stone on an empty cell makes of the line in a direction, and of the best of its lines.
    Shape shape(int side, int cell, std::size_t direction) const {
        return static_cast<Shape>(code(side, cell) >> 3 * direction & 7);
    }
    Shape best(int side, int cell) const { return worth(side, cell).best; }
    // In how many empty cells a side's stone makes this at best; only of threes and more is there a list.
    int count(int side, Shape shape) const {
        return counts_[static_cast<std::size_t>(side)][static_cast<std::size_t>(shape)];
    }
    // The empty cells in which it does.
    const Cells& cells(int side, Shape shape) const {
        return sets_[static_cast<std::size_t>(side)][static_cast<std::size_t>(shape)];
    }
    // Calls visit(cell) for each empty cell in which a side's stone makes this or more, strongest first.
    template <class Visit> void each(int side, Shape least, Visit visit) const {
        for (int s = shape_count - 1; s >= static_cast<int>(least); --s)
            if (count(side, static_cast<Shape>(s)) > 0) each_bit(cells(side, static_cast<Shape>(s)).words, visit);
    }
    // Calls visit(cell) for each empty cell with a stone no more than two cells away in a line; for the middle of an empty
    // board.
    template <class Visit> void each_near(Visit visit) const {
        if (empty_count_ == rules_.cells()) return visit(rules_.rows / 2 * rules_.columns + rules_.columns / 2);
        Cells cells = near_.back();
        for (std::size_t w = 0; w < cells.words.size(); ++w)
            cells.words[w] &= ~(position_.stones[0].words[w] | position_.stones[1].words[w]);
        each_bit(cells.words, visit);
    }
    int empty_count() const { return empty_count_; }

    // How soon to look at a move to an empty cell, by what either side makes there.
    int promise(int cell) const {
        return worth(position_.turn, cell).own_promise + worth(position_.turn ^ 1, cell).other_promise;
    }
    // What the position is worth to the side to move, see pattern_weights.hpp.
    int estimate() const {
        const auto side = static_cast<std::size_t>(position_.turn), other = side ^ 1;
        int sum = sums_[side].moving - sums_[other].waiting + tempo;
        for (std::size_t i = 0; i < threat_weights[0].size(); ++i) {
            const auto number = [&](std::size_t who) {
                const int count = counts_[who][static_cast<std::size_t>(Shape::three) + i];
                return std::min(static_cast<std::size_t>(count), threat_weights[0][i].size() - 1);
            };
            sum += threat_weights[0][i][number(side)] + threat_weights[1][i][number(other)];
        }
        return sum;
    }

private:
    static constexpr Shape least_listed = Shape::three;

    // A line of the board in one direction, and where on it a cell is.
    struct Place {
        std::uint16_t line;
        std::uint8_t at;
    };
    struct Line {
        std::array<std::uint32_t, 2> stones;  // of the sides
        std::vector<std::uint16_t> cells;
    };
    struct Change {
        std::uint16_t cell, before;
        std::uint8_t side;
    };
    // A cell in the lists of another shape than before.
    struct Relisted {
        std::uint16_t cell;
        std::uint8_t side;
        Shape before, after;
    };
    struct Sums {
        int moving = 0, waiting = 0;
        void add(const Sums& other, int times = 1) {
            moving += times * other.moving;
            waiting += times * other.waiting;
        }
    };
    // What is known of a cell by what a side's stone makes of the lines through it.
    struct Worth {
        Sums sums;  // see PatternWeights
        std::int16_t own_promise, other_promise;
        Shape best;
    };
    // A move, and what there was before it.
    struct Made {
        int cell;
        std::size_t changes, relisted;  // how many there were
        std::array<Sums, 2> sums;
    };

    void put(int cell, int side);
    void take(int cell, int side);
    void update(int line, int at, std::size_t direction);
    std::uint16_t code(int side, int cell) const {
        return codes_[static_cast<std::size_t>(side)][static_cast<std::size_t>(cell)];
    }
    const Worth& worth(int side, int cell) const { return worths_[code(side, cell)]; }
    void write(std::size_t side, int cell, std::uint16_t code);
    void list(int side, int cell, Shape shape, int by);
    void relist(int side, int cell, Shape before, Shape after);
    void count_cell(int cell, int by);
    void count_side(int side, int cell, int by);
    static std::vector<Worth> all_worths();

    const Rules& rules_;
    ShapeTable table_;
    const std::vector<Worth> worths_;  // by code
    Position position_;
    std::uint64_t key_ = 0;
    std::vector<std::array<Place, 4>> places_;  // [cells][directions]
    std::vector<Line> lines_;
    std::array<std::vector<std::uint16_t>, 2> codes_;  // [sides][cells] the shapes, three bits for each direction
    std::array<std::array<int, shape_count>, 2> counts_{};
    std::array<std::array<Cells, shape_count>, 2> sets_{};
    std::array<Sums, 2> sums_{};  // over the empty cells, of sides
    int empty_count_ = 0;
    std::vector<Cells> around_;    // [cells] those no more than two away in a line, and itself
    std::vector<Cells> near_;      // [moves made + 1] the cells around all stones
    std::vector<Change> changes_;  // what make() has changed, to take it back
    std::vector<Relisted> relisted_;
    std::vector<Made> made_;
};

}  // namespace ludens::gomoku
