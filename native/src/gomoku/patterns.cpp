#include "gomoku/patterns.hpp"

#include <algorithm>
#include <bit>

#include "base/random.hpp"

namespace ludens::gomoku {

namespace {

std::uint64_t stone_key(int cell, int side) {
    return mix(golden_ratio * static_cast<std::uint64_t>(2 * cell + side + 1));
}

constexpr std::size_t code_count = std::size_t{1} << 3 * directions.size();

constexpr std::uint64_t turn_key = mix(golden_ratio * 0xFFFF);

Cells joined(Cells a, const Cells& b) {
    for (std::size_t w = 0; w < a.words.size(); ++w) a.words[w] |= b.words[w];
    return a;
}

}  // namespace

// The worths of all codes: the weights are those of classes, in which the order of the shapes does not count.
std::vector<Patterns::Worth> Patterns::all_worths() {
    std::vector<Worth> worths;
    for (std::size_t code = 0; code < code_count; ++code) {
        std::array<std::size_t, directions.size()> shapes;
        for (std::size_t d = 0; d < shapes.size(); ++d) shapes[d] = code >> 3 * d & 7;
        std::ranges::sort(shapes);
        const PatternWeights& weights = pattern_weights[class_number(shapes)];
        const auto best = static_cast<Shape>(shapes.back());
        worths.push_back({sums(weights.moving, weights.waiting), weights.own_promise, weights.other_promise, best,
                          best >= least_listed ? best : Shape::none});
    }
    return worths;
}

Patterns::Patterns(const GomokuGame& game)
    : rules_(game.rules()), table_(rules_), worths_(all_worths()), places_(static_cast<std::size_t>(rules_.cells())),
      codes_(places_.size()), around_(places_.size()), stone_keys_(places_.size()),
      changes_(places_.size() * 2 * directions.size() * static_cast<std::size_t>(table_.reach()) + 1) {
    const auto on_board = [&](int row, int column) {
        return row >= 0 && row < rules_.rows && column >= 0 && column < rules_.columns;
    };
    for (std::size_t d = 0; d < directions.size(); ++d)
        for (int cell = 0; cell < rules_.cells(); ++cell) {
            int row = cell / rules_.columns, column = cell % rules_.columns;
            if (on_board(row - directions[d].down, column - directions[d].right))
                continue;  // not the first of its line
            std::vector<std::size_t> cells;
            Line line{~std::uint64_t{0}, ~std::uint64_t{0}};
            for (; on_board(row, column); row += directions[d].down, column += directions[d].right) {
                const auto next = static_cast<std::size_t>(row * rules_.columns + column);
                const std::size_t begin = 2 * cells.size(), own = begin + 2 * static_cast<std::size_t>(margin());
                places_[next][d] = {static_cast<std::uint16_t>(empty_lines_.size()), static_cast<std::uint8_t>(begin),
                                    static_cast<std::uint8_t>(own)};
                line[own / word_bits] ^= std::uint64_t{off_board} << own % word_bits;
                cells.push_back(next);
            }
            for (std::size_t at = 0; at < cells.size(); ++at)
                for (std::size_t to = at < 2 ? 0 : at - 2; to < std::min(at + 3, cells.size()); ++to)
                    around_[cells[at]].add(static_cast<int>(cells[to]));
            empty_lines_.push_back(line);
        }
    for (int cell = 0; cell < rules_.cells(); ++cell)
        for (int side = 0; side < 2; ++side)
            stone_keys_[static_cast<std::size_t>(cell)][static_cast<std::size_t>(side)] = stone_key(cell, side);
    set({});
}

void Patterns::set(const Position& position) {
    position_ = {};
    position_.turn = position.turn;
    key_ = position.turn ? turn_key : 0;
    counts_ = {};
    sets_ = {};
    sums_ = {};
    empty_count_ = rules_.cells();
    near_.assign(1, {});
    lines_ = empty_lines_;
    for (int side = 0; side < 2; ++side)
        each_bit(position.stones[static_cast<std::size_t>(side)].words, [&](int cell) {
            put(cell, side);
            near_.back() = joined(near_.back(), around_[static_cast<std::size_t>(cell)]);
        });
    const int reach = table_.reach();
    const std::uint64_t half = (std::uint64_t{1} << 2 * reach) - 1;
    for (int cell = 0; cell < rules_.cells(); ++cell) {
        Codes& codes = codes_[static_cast<std::size_t>(cell)] = 0;
        if (!empty(cell)) continue;
        for (std::size_t d = 0; d < directions.size(); ++d) {
            const std::uint64_t line = nearby(places_[static_cast<std::size_t>(cell)][d]);
            codes |= table_.find(line >> 2 * reach & half, line >> (4 * reach + 2) & half) << 3 * d;
        }
        for (int side = 0; side < 2; ++side) count_side(side, cell, 1);
    }
    change_count_ = 0;
    relisted_.clear();
    made_.clear();
}

std::uint64_t Patterns::key_after(int cell) const {
    return key_ ^ stone_keys_[static_cast<std::size_t>(cell)][static_cast<std::size_t>(position_.turn)] ^ turn_key;
}

void Patterns::make(int cell) {
    made_.push_back({cell, change_count_, relisted_.size(), sums_});
    for (int side = 0; side < 2; ++side) count_side(side, cell, -1);
    near_.push_back(joined(near_.back(), around_[static_cast<std::size_t>(cell)]));
    put(cell, position_.turn);
    constexpr int usual_reach = 4;
    if (table_.reach() == usual_reach) update<usual_reach>(cell);
    else update<0>(cell);
    pass();
}

void Patterns::unmake() {
    pass();
    const Made& made = made_.back();
    while (change_count_ > made.changes) {
        const Change& change = changes_[--change_count_];
        codes_[change.cell] = change.before;
    }
    for (; relisted_.size() > made.relisted; relisted_.pop_back()) {
        const Relisted& was = relisted_.back();
        list(was.side, was.cell, was.after, -1);
        list(was.side, was.cell, was.before, 1);
    }
    take(made.cell, position_.turn);
    near_.pop_back();
    for (int side = 0; side < 2; ++side)
        list(static_cast<std::size_t>(side), static_cast<std::size_t>(made.cell), worth(side, made.cell).listed, 1);
    sums_ = made.sums;
    made_.pop_back();
}

void Patterns::pass() {
    position_.turn ^= 1;
    key_ ^= turn_key;
}

void Patterns::put(int cell, int side) {
    const auto own = static_cast<std::size_t>(side);
    position_.stones[own].add(cell);
    --empty_count_;
    key_ ^= stone_keys_[static_cast<std::size_t>(cell)][own];
    const std::uint64_t owner = side == 0 ? first_side : second_side;
    for (const Place& place : places_[static_cast<std::size_t>(cell)]) word_of(place) |= owner << place.own % word_bits;
}

void Patterns::take(int cell, int side) {
    const auto own = static_cast<std::size_t>(side);
    position_.stones[own].remove(cell);
    ++empty_count_;
    key_ ^= stone_keys_[static_cast<std::size_t>(cell)][own];
    for (const Place& place : places_[static_cast<std::size_t>(cell)])
        word_of(place) &= ~(std::uint64_t{off_board} << place.own % word_bits);
}

// Works out anew what stones make of the lines through a cell that was taken, as far as it can have changed. `known`: the
// reach, for the compiler to make the most of; 0 for any.
template <int known> void Patterns::update(int taken) {
    const int reach = known ? known : table_.reach();
    const std::uint64_t half = (std::uint64_t{1} << 2 * reach) - 1;
    const std::uint64_t cells = half << 2 * reach | half << (4 * reach + 2);  // that may change
    constexpr Codes both_shapes = 0x70007;
    constexpr std::uint64_t low_bits = 0x5555555555555555;
    Codes* const all_codes = codes_.data();
    const Worth* const worths = worths_.data();
    Change* changed = changes_.data() + change_count_;
    Sums first = sums_[0], second = sums_[1];
    for (std::size_t d = 0; d < directions.size(); ++d) {
        const std::uint64_t line = nearby(places_[static_cast<std::size_t>(taken)][d]);
        const int step = directions[d].down * rules_.columns + directions[d].right;
        for (std::uint64_t rest = ~(line | line >> 1) & cells & low_bits; rest; rest &= rest - 1) {
            const int at = std::countr_zero(rest);
            const auto cell = static_cast<std::size_t>(taken + (at / 2 - 2 * reach) * step);
            const Codes shapes = table_.find(line >> (at - 2 * reach) & half, line >> (at + 2) & half) << 3 * d;
            const Codes before = all_codes[cell], after = (before & ~(both_shapes << 3 * d)) | shapes;
            if (before == after) continue;
            all_codes[cell] = after;
            *changed++ = {static_cast<std::uint32_t>(cell), before};
            const Worth &first_before = worths[before & 0xFFF], &first_after = worths[after & 0xFFF];
            const Worth &second_before = worths[before >> 16], &second_after = worths[after >> 16];
            first += first_after.sums - first_before.sums;
            second += second_after.sums - second_before.sums;
            if (first_before.listed != first_after.listed || second_before.listed != second_after.listed)
                note_lists(cell, before, after);
        }
    }
    change_count_ = static_cast<std::size_t>(changed - changes_.data());
    sums_ = {first, second};
}

// Puts a cell whose codes have changed into other lists, in a way that unmake() takes back.
void Patterns::note_lists(std::size_t cell, Codes before, Codes after) {
    for (std::size_t side = 0; side < 2; ++side) {
        const Shape was = worths_[before >> 16 * side & 0xFFF].listed, is = worths_[after >> 16 * side & 0xFFF].listed;
        if (was == is) continue;
        relisted_.push_back({static_cast<std::uint16_t>(cell), static_cast<std::uint8_t>(side), was, is});
        list(side, cell, was, -1);
        list(side, cell, is, 1);
    }
}

// Counts what a side's stone on a cell makes, or no longer (`by` -1).
void Patterns::count_side(int side, int cell, int by) {
    const Worth& all = worth(side, cell);
    list(static_cast<std::size_t>(side), static_cast<std::size_t>(cell), all.listed, by);
    sums_[static_cast<std::size_t>(side)] += by * all.sums;
}

// Puts a cell into a list, or (`by` -1) takes it out; that of Shape::none tells nothing.
void Patterns::list(std::size_t side, std::size_t cell, Shape shape, int by) {
    counts_[side][static_cast<std::size_t>(shape)] += by;
    sets_[side][static_cast<std::size_t>(shape)].words[cell / 64] ^= Word{1} << cell % 64;
}

}  // namespace ludens::gomoku
