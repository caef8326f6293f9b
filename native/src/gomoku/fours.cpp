#include "gomoku/fours.hpp"

#include "base/random.hpp"

namespace ludens::gomoku {

namespace {

constexpr int usual_length = 5;

template <class Vector> bool any_bit(const Vector& lanes) {
    const auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(lanes);
    return (halves[0] | halves[1]) != 0;
}

}  // namespace

// `known`: the length of a row, for the compiler to make the most of; 0 for any.
template <int known>
void FourBoard::find(const Rules& rules, const Lanes& own, const Lanes& others, const Lanes& board, Found& found) {
    const int length = known ? known : rules.length;
    // A bit of what follows stands for the window that begins there.
    Lanes free = board & ~others, empty = free & ~own;
    const Lanes empty_cells = empty;
    Lanes windows = free, one = empty, two = {}, three = {};  // so many stones are missing, or more
    for (int i = 1; i < length; ++i) {
        free >>= 1;
        empty >>= 1;
        windows &= free;
        three |= two & empty;
        two |= one & empty;
        one |= empty;
    }
    if (rules.exact) windows &= ~(own << 1) & ~(own >> rules.length);
    Lanes last = windows & one & ~two, last_two = windows & two & ~three;
    Lanes fives = {}, fours = {}, strong = {};
    for (int i = 0; i < length; ++i) {
        fives |= last;
        strong |= fours & last_two;
        fours |= last_two;
        last <<= 1;
        last_two <<= 1;
    }
    found = {fives & empty_cells, fours & empty_cells, strong & empty_cells};
}

FourBoard::FourBoard(const Rules& rules)
    : rules_(rules), through_(static_cast<std::size_t>(rules.cells())), lines_(lanes * lines_of_direction),
      first_(lines_.size()), step_(lines_.size()), made_(through_.size() + 1), stone_keys_(through_.size()) {
    const auto on_board = [&](int row, int column) {
        return row >= 0 && row < rules.rows && column >= 0 && column < rules.columns;
    };
    for (std::size_t d = 0; d < directions.size(); ++d) {
        std::size_t lines = 0;  // of this direction so far
        for (int cell = 0; cell < rules.cells(); ++cell) {
            const auto [down, right] = directions[d];
            int row = cell / rules.columns, column = cell % rules.columns;
            if (on_board(row - down, column - right)) continue;  // not the first of its line
            const std::size_t number = d * lines_of_direction + lines;
            first_[number] = cell;
            step_[number] = down * rules.columns + right;
            std::vector<std::size_t> cells;
            for (; on_board(row, column); row += down, column += right)
                cells.push_back(static_cast<std::size_t>(row * rules.columns + column));
            for (std::size_t place = 0; place < cells.size(); ++place) {
                Through& through = through_[cells[place]];
                through.bits[d] = std::uint32_t{1} << place;
                through.board[d] = (std::uint32_t{1} << cells.size()) - 1;
                through.sets[d] = std::uint64_t{1} << lines;
                through.numbers[d] = static_cast<std::uint16_t>(number);
            }
            ++lines;
        }
    }
    for (std::size_t cell = 0; cell < stone_keys_.size(); ++cell)
        for (std::size_t side = 0; side < 2; ++side)
            stone_keys_[cell][side] = mix(golden_ratio * (2 * cell + side + 1));
}

void FourBoard::set(const Position& position) {
    lines_.assign(lines_.size(), Line{});
    made_[0] = {};
    count_ = 0;
    key_ = 0;
    for (int side = 0; side < 2; ++side)
        each_bit(position.stones[index(side)].words, [&](int cell) {
            make(cell, side);
            made_[0].busy = made_[1].busy;
            count_ = 0;
        });
}

void FourBoard::make(int cell, int side) {
    const Through& through = through_[index(cell)];
    const Made& before = made_[count_];
    Made& made = made_[++count_];
    made.cell = cell;
    made.side = side;
    key_ ^= stone_keys_[index(cell)][index(side)];
    if (rules_.length == usual_length) update<usual_length>(through, side, before, made);
    else update<0>(through, side, before, made);
}

void FourBoard::unmake() {
    const Made& made = made_[count_--];
    const auto& numbers = through_[index(made.cell)].numbers;
    for (std::size_t d = 0; d < lanes; ++d) lines_[numbers[d]] = made.lines[d];
    key_ ^= stone_keys_[index(made.cell)][index(made.side)];
}

// Puts a side's stone on the lines through a cell and marks them anew.
template <int known> void FourBoard::update(const Through& through, int side, const Made& before, Made& made) {
    const std::size_t own = index(side), other = own ^ 1;
    std::array<Lanes, lanes> stones, fours;
    for (std::size_t d = 0; d < lanes; ++d) {
        made.lines[d] = lines_[through.numbers[d]];
        stones[d] = made.lines[d].stones;
        fours[d] = made.lines[d].fours;
    }
    stones = transposed(stones);  // now by what it is, with the lines as lanes
    fours = transposed(fours);
    stones[own] |= through.bits;
    Found found;
    const auto keep = [&](std::size_t who) {
        stones[2 + who] = found.fives;
        fours[who] = found.fours;
        fours[2 + who] = found.strong;
    };
    find<known>(rules_, stones[own], stones[other], through.board, found);
    keep(own);
    if (any_bit(stones[2 + other] | fours[other])) {  // there can only be fewer
        find<known>(rules_, stones[other], stones[own], through.board, found);
        keep(other);
    }
    for (std::size_t who = 0; who < 2; ++who) {
        const auto write = [&](const Lines& was, Lines& is, const Lanes& cells) {
            is = (was & ~through.sets) | (through.sets & __builtin_convertvector(cells != 0, Lines));
        };
        write(before.busy[who].fives, made.busy[who].fives, stones[2 + who]);
        write(before.busy[who].fours, made.busy[who].fours, fours[who]);
    }
    stones = transposed(stones);
    fours = transposed(fours);
    for (std::size_t d = 0; d < lanes; ++d) lines_[through.numbers[d]] = {stones[d], fours[d]};
}

std::array<FourBoard::Lanes, FourBoard::lanes> FourBoard::transposed(const std::array<Lanes, lanes>& rows) {
    const auto& [a, b, c, d] = rows;
    const Lanes low = __builtin_shufflevector(a, b, 0, 4, 1, 5), low_too = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Lanes high = __builtin_shufflevector(a, b, 2, 6, 3, 7), high_too = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    return {__builtin_shufflevector(low, low_too, 0, 1, 4, 5), __builtin_shufflevector(low, low_too, 2, 3, 6, 7),
            __builtin_shufflevector(high, high_too, 0, 1, 4, 5), __builtin_shufflevector(high, high_too, 2, 3, 6, 7)};
}

FourBoard::Fives FourBoard::fives(int side) const {
    Fives found;
    each_five(side, [&](int cell) {
        if (cell == found.cell || found.count > 1) return;
        found = {found.count + 1, cell};
    });
    return found;
}

FourBoard::Fives FourBoard::fives_after(int cell, int side) const {
    const Through& through = through_[index(cell)];
    std::array<Lanes, lanes> stones;
    for (std::size_t d = 0; d < lanes; ++d) stones[d] = lines_[through.numbers[d]].stones;
    stones = transposed(stones);
    Found all;
    const Lanes own = stones[index(side)] | through.bits, others = stones[index(side ^ 1)];
    if (rules_.length == usual_length) find<usual_length>(rules_, own, others, through.board, all);
    else find<0>(rules_, own, others, through.board, all);
    Fives found;
    for (std::size_t d = 0; d < lanes; ++d)
        for (std::uint32_t rest = all.fives[d]; rest && found.count < 2; rest &= rest - 1)
            found = {found.count + 1, cell_at(through.numbers[d], std::countr_zero(rest))};
    return found;
}

}  // namespace ludens::gomoku
