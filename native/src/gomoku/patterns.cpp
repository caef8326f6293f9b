#include "gomoku/patterns.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace ludens::gomoku {

namespace {

std::uint64_t stone_key(int cell, int side) {
    return mix(golden_ratio * static_cast<std::uint64_t>(2 * cell + side + 1));
}

// What a shape is worth in one line.
constexpr std::array<int, shape_count> shape_worths{0, 1, 4, 6, 18, 20, 60, 100};

constexpr std::uint64_t turn_key = mix(golden_ratio * 0xFFFF);

Cells joined(Cells a, const Cells& b) {
    for (std::size_t w = 0; w < a.words.size(); ++w) a.words[w] |= b.words[w];
    return a;
}

}  // namespace

Patterns::Patterns(const GomokuGame& game)
    : rules_(game.rules()), table_(rules_), places_(static_cast<std::size_t>(rules_.cells())), around_(places_.size()) {
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
    worths_ = {};
    empty_count_ = rules_.cells();
    near_.assign(1, {});
    for (Line& line : lines_) line.stones = {};
    for (int side = 0; side < 2; ++side) {
        shapes_[static_cast<std::size_t>(side)].assign(places_.size(), {});
        cell_worths_[static_cast<std::size_t>(side)].assign(places_.size(), 0);
        each_bit(position.stones[static_cast<std::size_t>(side)].words, [&](int cell) {
            put(cell, side);
            near_.back() = joined(near_.back(), around_[static_cast<std::size_t>(cell)]);
        });
    }
    for (int cell = 0; cell < rules_.cells(); ++cell)
        for (int side = 0; empty(cell) && side < 2; ++side) {
            for (std::size_t d = 0; d < directions.size(); ++d) {
                const auto [number, at] = places_[static_cast<std::size_t>(cell)][d];
                const Line& line = lines_[number];
                const auto own = static_cast<std::size_t>(side);
                const Shape shape =
                    table_.find(line.stones[own], line.stones[own ^ 1], at, static_cast<int>(line.cells.size()));
                shapes_[own][static_cast<std::size_t>(cell)][d] = static_cast<std::uint8_t>(shape);
                cell_worths_[own][static_cast<std::size_t>(cell)] += shape_worths[static_cast<std::size_t>(shape)];
            }
            worths_[static_cast<std::size_t>(side)] += worth(side, cell);
            list(side, cell, best(side, cell), 1);
        }
    changes_.clear();
    made_.clear();
}

void Patterns::make(int cell) {
    made_.emplace_back(cell, changes_.size());
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
    const auto [cell, before] = made_.back();
    made_.pop_back();
    for (; changes_.size() > before; changes_.pop_back()) {
        const Change& change = changes_.back();
        write(change.side, change.cell, change.direction, change.before);
    }
    take(cell, position_.turn);
    near_.pop_back();
    count_cell(cell, 1);
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
    for (std::size_t side = 0; side < 2; ++side) {
        const std::uint32_t others = line.stones[side ^ 1];
        for (const int step : {1, -1})
            for (int i = 1; i <= table_.reach(); ++i) {
                const int place = at + i * step;
                if (place < 0 || place >= size || others >> place & 1) break;
                if (taken >> place & 1) continue;
                const int cell = line.cells[static_cast<std::size_t>(place)];
                const auto before = shapes_[side][static_cast<std::size_t>(cell)][direction];
                const auto after = static_cast<std::uint8_t>(table_.find(line.stones[side], others, place, size));
                if (before == after) continue;
                changes_.push_back({static_cast<std::uint16_t>(cell), static_cast<std::uint8_t>(side),
                                    static_cast<std::uint8_t>(direction), before});
                write(static_cast<int>(side), cell, direction, after);
            }
    }
}

void Patterns::write(int side, int cell, std::size_t direction, std::uint8_t shape) {
    auto& shapes = shapes_[static_cast<std::size_t>(side)][static_cast<std::size_t>(cell)];
    const Shape before = best(side, cell);
    const int gain = shape_worths[shape] - shape_worths[shapes[direction]];
    cell_worths_[static_cast<std::size_t>(side)][static_cast<std::size_t>(cell)] += gain;
    worths_[static_cast<std::size_t>(side)] += gain;
    shapes[direction] = shape;
    const Shape after = best(side, cell);
    if (after == before) return;
    list(side, cell, before, -1);
    list(side, cell, after, 1);
}

// Counts what stones on a cell make, or no longer (`by` -1).
void Patterns::count_cell(int cell, int by) {
    for (int side = 0; side < 2; ++side) {
        list(side, cell, best(side, cell), by);
        worths_[static_cast<std::size_t>(side)] += by * worth(side, cell);
    }
}

void Patterns::list(int side, int cell, Shape shape, int by) {
    const auto own = static_cast<std::size_t>(side), which = static_cast<std::size_t>(shape);
    counts_[own][which] += by;
    if (by > 0) sets_[own][which].add(cell);
    else sets_[own][which].remove(cell);
}

}  // namespace ludens::gomoku
