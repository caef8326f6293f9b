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
        int sum = moving(sums_[side]) - waiting(sums_[other]) + tempo;
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

    // A line of the board in one direction, with two bits for each cell: see Owner. Below the first cell and above the
    // last are `margin()` cells or more that are off the board. In two words, since only one changes with a cell.
    using Line = std::array<std::uint64_t, 2>;
    static constexpr int word_bits = 64;
    // The line through a cell in one direction, the bit at which what is near the cell begins, and the bit of the cell.
    struct Place {
        std::uint16_t line;
        std::uint8_t begin, own;
    };
    std::uint64_t& word_of(const Place& place) { return lines_[place.line][place.own / word_bits]; }
    // What is on the line near a cell: `margin()` cells, its own, and as many again.
    std::uint64_t nearby(const Place& place) const {
        const Line& line = lines_[place.line];
        const auto both = static_cast<unsigned __int128>(line[1]) << word_bits | line[0];
        return static_cast<std::uint64_t>(both >> place.begin);
    }
    // The codes of a cell: from bit 0 on the first side's, from bit 16 on the other's, each with three bits of Shape for
    // each direction.
    using Codes = std::uint32_t;
    struct Change {
        std::uint32_t cell;
        Codes before;
    };
    // A cell in the lists of another shape than before.
    struct Relisted {
        std::uint16_t cell;
        std::uint8_t side;
        Shape before, after;
    };
    // Two sums in one number, which are added at once: what cells are worth to their side if it is to move, and if not.
    using Sums = std::int64_t;
    static Sums sums(int moving, int waiting) { return Sums{moving} + (Sums{waiting} << 32); }
    static int moving(Sums sums) { return static_cast<std::int32_t>(sums); }
    static int waiting(Sums sums) { return static_cast<int>((sums - moving(sums)) >> 32); }
    // What is known of a cell by what a side's stone makes of the lines through it.
    struct Worth {
        Sums sums;  // see PatternWeights
        std::int16_t own_promise, other_promise;
        Shape best, listed;  // the latter: none if the cell is in no list that is used
    };
    // A move, and what there was before it.
    struct Made {
        int cell;
        std::size_t changes, relisted;  // how many there were
        std::array<Sums, 2> sums;
    };

    // Cells near a stone that can change, with twice as many on each side, fit into a word: 2 * (4 * 7 + 1) bits.
    int margin() const { return 2 * table_.reach(); }
    void put(int cell, int side);
    void take(int cell, int side);
    template <int reach> void update(int cell);
    unsigned code(int side, int cell) const { return codes_[static_cast<std::size_t>(cell)] >> 16 * side & 0xFFF; }
    const Worth& worth(int side, int cell) const { return worths_[code(side, cell)]; }
    void note_lists(std::size_t cell, Codes before, Codes after);
    void list(std::size_t side, std::size_t cell, Shape shape, int by);
    void count_side(int side, int cell, int by);
    static std::vector<Worth> all_worths();

    const Rules& rules_;
    ShapeTable table_;
    const std::vector<Worth> worths_;  // by code
    Position position_;
    std::uint64_t key_ = 0;
    std::vector<std::array<Place, directions.size()>> places_;  // [cells]
    std::vector<Line> lines_, empty_lines_;                     // the latter: without a stone
    std::vector<Codes> codes_;                                  // [cells] those of empty ones are kept up to date
    std::array<std::array<int, shape_count>, 2> counts_{};
    std::array<std::array<Cells, shape_count>, 2> sets_{};
    std::array<Sums, 2> sums_{};  // over the empty cells, of sides
    int empty_count_ = 0;
    std::vector<Cells> around_;                             // [cells] those no more than two away in a line, and itself
    std::vector<std::array<std::uint64_t, 2>> stone_keys_;  // [cells][sides]
    std::vector<Cells> near_;                               // [moves made + 1] the cells around all stones
    std::vector<Change> changes_;                           // what make() has changed, to take it back: the first
    std::size_t change_count_ = 0;
    std::vector<Relisted> relisted_;
    std::vector<Made> made_;
};

}  // namespace ludens::gomoku
