#include "gomoku/fours.hpp"

#include "base/random.hpp"

namespace ludens::gomoku {

namespace {

constexpr std::size_t lanes = directions.size();  // the lines through a cell
typedef std::uint32_t Lanes __attribute__((vector_size(lanes * sizeof(std::uint32_t))));

// The cells that complete a row (`fives`), or all but one stone of a row in one window or (`strong`) several.
struct Found {
    Lanes fives, fours, strong;
};

inline void find(const Rules& rules, const Lanes& own, const Lanes& others, const Lanes& board, Found& found) {
    // A bit of what follows stands for the window that begins there.
    Lanes free = board & ~others, empty = free & ~own;
    const Lanes empty_cells = empty;
    Lanes windows = free, one = empty, two = {}, three = {};  // so many stones are missing, or more
    for (int i = 1; i < rules.length; ++i) {
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
    for (int i = 0; i < rules.length; ++i) {
        fives |= last;
        strong |= fours & last_two;
        fours |= last_two;
        last <<= 1;
        last_two <<= 1;
    }
    found = {fives & empty_cells, fours & empty_cells, strong & empty_cells};
}

}  // namespace

FourBoard::FourBoard(const Rules& rules)
    : rules_(rules), through_(static_cast<std::size_t>(rules.cells())), at_(through_.size()),
      stone_keys_(through_.size()) {
    const auto on_board = [&](int row, int column) {
        return row >= 0 && row < rules.rows && column >= 0 && column < rules.columns;
    };
    for (std::size_t d = 0; d < directions.size(); ++d)
        for (int cell = 0; cell < rules.cells(); ++cell) {
            const auto [down, right] = directions[d];
            int row = cell / rules.columns, column = cell % rules.columns, place = 0;
            if (on_board(row - down, column - right)) continue;  // not the first of its line
            const auto number = static_cast<std::uint16_t>(first_.size());
            for (; on_board(row, column); row += down, column += right, ++place) {
                const auto next = static_cast<std::size_t>(row * rules.columns + column);
                through_[next][d] = number;
                at_[next][d] = static_cast<std::uint8_t>(place);
            }
            first_.push_back(cell);
            step_.push_back(down * rules.columns + right);
            length_bits_.push_back((std::uint32_t{1} << place) - 1);
        }
    lines_.resize(first_.size());
    for (std::size_t cell = 0; cell < stone_keys_.size(); ++cell)
        for (std::size_t side = 0; side < 2; ++side)
            stone_keys_[cell][side] = mix(golden_ratio * (2 * cell + side + 1));
    made_.reserve(static_cast<std::size_t>(rules.cells()));
}

void FourBoard::set(const Position& position) {
    lines_.assign(lines_.size(), {});
    busy_ = {};
    key_ = 0;
    for (int side = 0; side < 2; ++side)
        each_bit(position.stones[index(side)].words, [&](int cell) { make(cell, side); });
    made_.clear();
}

void FourBoard::make(int cell, int side) {
    const Four& through = through_[index(cell)];
    Made& made = made_.emplace_back();
    made.cell = static_cast<std::uint16_t>(cell);
    made.side = static_cast<std::uint8_t>(side);
    made.busy = busy_;
    for (std::size_t d = 0; d < through.size(); ++d) {
        Line& line = lines_[through[d]];
        made.lines[d] = line;
        line.stones[index(side)] |= std::uint32_t{1} << at_[index(cell)][d];
    }
    key_ ^= stone_keys_[index(cell)][index(side)];
    update(through);
}

void FourBoard::unmake() {
    const Made& made = made_.back();
    const Four& through = through_[made.cell];
    for (std::size_t d = 0; d < through.size(); ++d) lines_[through[d]] = made.lines[d];
    busy_ = made.busy;
    key_ ^= stone_keys_[made.cell][made.side];
    made_.pop_back();
}

// Marks the lines anew whose stones have changed.
void FourBoard::update(const Four& numbers) {
    const auto stones = [&](std::size_t side) {
        const auto of = [&](std::size_t d) { return lines_[numbers[d]].stones[side]; };
        return Lanes{of(0), of(1), of(2), of(3)};
    };
    const auto board_of = [&](std::size_t d) { return length_bits_[numbers[d]]; };
    const Lanes board{board_of(0), board_of(1), board_of(2), board_of(3)};
    const std::array<Lanes, 2> both{stones(0), stones(1)};
    for (std::size_t side = 0; side < 2; ++side) {
        Found found;
        find(rules_, both[side], both[side ^ 1], board, found);
        Busy& busy = busy_[side];
        for (std::size_t d = 0; d < lanes; ++d) {
            const std::size_t number = numbers[d];
            lines_[number].marks[side] = {found.fives[d], found.fours[d], found.strong[d]};
            const auto write = [&](Lines& lines, bool some) {
                Word& word = lines[number / 64];
                word = (word & ~(Word{1} << number % 64)) | Word{some} << number % 64;
            };
            write(busy.fives, found.fives[d] != 0);
            write(busy.fours, found.fours[d] != 0);
        }
    }
}

FourBoard::Fives FourBoard::fives(int side) const {
    Fives found;
    each_five(side, [&](int cell) {
        if (cell == found.cell || found.count > 1) return;
        found = {found.count + 1, cell};
    });
    return found;
}

}  // namespace ludens::gomoku
