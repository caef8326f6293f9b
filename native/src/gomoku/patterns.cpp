#include "gomoku/patterns.hpp"

#include <algorithm>

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
        worths.push_back({{weights.moving, weights.waiting},
                          weights.own_promise,
                          weights.other_promise,
                          static_cast<Shape>(shapes.back())});
    }
    return worths;
}

Patterns::Patterns(const GomokuGame& game)
    : rules_(game.rules()), table_(rules_), worths_(all_worths()), places_(static_cast<std::size_t>(rules_.cells())),
      around_(places_.size()) {
    const auto on_board = [&](int row, int column) {
        return row >= 0 && row < rules_.rows && column >= 0 && column < rules_.columns;
    };
    for (std::size_t d = 0; d < directions.size(); ++d)
        for (int cell = 0; cell < rules_.cells(); ++cell) {
            int row = cell / rules_.columns, column = cell % rules_.columns;
            if (on_board(row - directions[d].down, column - directions[d].right))
                continue;  // not the first of its line
            Line line{};
            for (; on_board(row, column); row += directions[d].down, column += directions[d].right) {
                const int next = row * rules_.columns + column;
                places_[static_cast<std::size_t>(next)][d] = {static_cast<std::uint16_t>(lines_.size()),
                                                              static_cast<std::uint8_t>(line.cells.size())};
                line.cells.push_back(static_cast<std::uint16_t>(next));
            }
            for (std::size_t at = 0; at < line.cells.size(); ++at)
                for (std::size_t to = at < 2 ? 0 : at - 2; to < std::min(at + 3, line.cells.size()); ++to)
                    around_[line.cells[at]].add(line.cells[to]);
            lines_.push_back(std::move(line));
        }
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
    for (Line& line : lines_) line.stones = {};
    for (int side = 0; side < 2; ++side) {
        codes_[static_cast<std::size_t>(side)].assign(places_.size(), 0);
        each_bit(position.stones[static_cast<std::size_t>(side)].words, [&](int cell) {
            put(cell, side);
            near_.back() = joined(near_.back(), around_[static_cast<std::size_t>(cell)]);
        });
    }
    for (int cell = 0; cell < rules_.cells(); ++cell)
        for (int side = 0; empty(cell) && side < 2; ++side) {
            const auto own = static_cast<std::size_t>(side);
            for (std::size_t d = 0; d < directions.size(); ++d) {
                const auto [number, at] = places_[static_cast<std::size_t>(cell)][d];
                const Line& line = lines_[number];
                const Shape shape =
                    table_.find(line.stones[own], line.stones[own ^ 1], at, static_cast<int>(line.cells.size()));
                codes_[own][static_cast<std::size_t>(cell)] |=
                    static_cast<std::uint16_t>(static_cast<unsigned>(shape) << 3 * d);
            }
            count_side(side, cell, 1);
        }
    changes_.clear();
    relisted_.clear();
    made_.clear();
}

std::uint64_t Patterns::key_after(int cell) const { return key_ ^ stone_key(cell, position_.turn) ^ turn_key; }

void Patterns::make(int cell) {
    made_.push_back({cell, changes_.size(), relisted_.size(), sums_});
    const int side = position_.turn;
    count_cell(cell, -1);
    near_.push_back(joined(near_.back(), around_[static_cast<std::size_t>(cell)]));
    put(cell, side);
    for (std::size_t d = 0; d < directions.size(); ++d) {
        const auto [line, at] = places_[static_cast<std::size_t>(cell)][d];
        update(line, at, d);
    }
    pass();
}

void Patterns::unmake() {
    pass();
    const Made& made = made_.back();
    for (; changes_.size() > made.changes; changes_.pop_back()) {
        const Change& change = changes_.back();
        codes_[change.side][change.cell] = change.before;
    }
    for (; relisted_.size() > made.relisted; relisted_.pop_back()) {
        const Relisted& was = relisted_.back();
        relist(was.side, was.cell, was.after, was.before);
    }
    take(made.cell, position_.turn);
    near_.pop_back();
    for (int side = 0; side < 2; ++side) list(side, made.cell, best(side, made.cell), 1);
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
    key_ ^= stone_key(cell, side);
    for (const Place& place : places_[static_cast<std::size_t>(cell)]) lines_[place.line].stones[own] |= 1u << place.at;
}

void Patterns::take(int cell, int side) {
    const auto own = static_cast<std::size_t>(side);
    position_.stones[own].remove(cell);
    ++empty_count_;
    key_ ^= stone_key(cell, side);
    for (const Place& place : places_[static_cast<std::size_t>(cell)])
        lines_[place.line].stones[own] &= ~(1u << place.at);
}

// Works out anew what stones make of a line of which the cell `at` was taken. A side's shapes change as far as its
// stones could reach from there.
void Patterns::update(int number, int at, std::size_t direction) {
    const Line& line = lines_[static_cast<std::size_t>(number)];
    const int size = static_cast<int>(line.cells.size());
    const std::uint32_t taken = line.stones[0] | line.stones[1];
    const int wide = 2 * table_.reach();
    const auto nearby = static_cast<std::uint32_t>(((std::uint64_t{2} << 2 * wide) - 1) << at >> wide);
    for (std::size_t side = 0; side < 2; ++side) {
        const std::uint32_t others = line.stones[side ^ 1];
        if (rules_.length >= 5 && !(line.stones[side] & nearby)) continue;  // one stone alone makes nothing then
        for (const int step : {1, -1})
            for (int i = 1; i <= table_.reach(); ++i) {
                const int place = at + i * step;
                if (place < 0 || place >= size || others >> place & 1) break;
                if (taken >> place & 1) continue;
                const int cell = line.cells[static_cast<std::size_t>(place)];
                const std::uint16_t before = code(static_cast<int>(side), cell);
                const auto shape = static_cast<unsigned>(table_.find(line.stones[side], others, place, size));
                const unsigned shift = 3 * static_cast<unsigned>(direction);
                const auto after = static_cast<std::uint16_t>((before & ~(7u << shift)) | shape << shift);
                if (before == after) continue;
                write(side, cell, after);
            }
    }
}

// Notes another code of a cell, in a way that unmake() takes back.
void Patterns::write(std::size_t side, int cell, std::uint16_t code) {
    std::uint16_t& now = codes_[side][static_cast<std::size_t>(cell)];
    const Worth &before = worths_[now], &after = worths_[code];
    changes_.push_back({static_cast<std::uint16_t>(cell), now, static_cast<std::uint8_t>(side)});
    now = code;
    sums_[side].add(before.sums, -1);
    sums_[side].add(after.sums);
    if (after.best == before.best || std::max(after.best, before.best) < least_listed) return;
    relisted_.push_back({static_cast<std::uint16_t>(cell), static_cast<std::uint8_t>(side), before.best, after.best});
    relist(static_cast<int>(side), cell, before.best, after.best);
}

// Counts what stones on a cell make, or no longer (`by` -1).
void Patterns::count_cell(int cell, int by) {
    for (int side = 0; side < 2; ++side) count_side(side, cell, by);
}

void Patterns::count_side(int side, int cell, int by) {
    const Worth& all = worth(side, cell);
    list(side, cell, all.best, by);
    sums_[static_cast<std::size_t>(side)].add(all.sums, by);
}

void Patterns::relist(int side, int cell, Shape before, Shape after) {
    list(side, cell, before, -1);
    list(side, cell, after, 1);
}

void Patterns::list(int side, int cell, Shape shape, int by) {
    const auto own = static_cast<std::size_t>(side), which = static_cast<std::size_t>(shape);
    if (shape < least_listed) return;
    counts_[own][which] += by;
    if (by > 0) sets_[own][which].add(cell);
    else sets_[own][which].remove(cell);
}

}  // namespace ludens::gomoku
