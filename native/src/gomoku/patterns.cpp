#include "gomoku/patterns.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace ludens::gomoku {

namespace {

std::uint64_t stone_key(int cell, int side) {
    return mix(golden_ratio * static_cast<std::uint64_t>(2 * cell + side + 1));
}
constexpr std::uint64_t turn_key = mix(golden_ratio * 0xFFFF);

}  // namespace

Patterns::Patterns(const GomokuGame& game)
    : rules_(game.rules()), table_(rules_), places_(static_cast<std::size_t>(rules_.cells())) {
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
    for (Line& line : lines_) line.stones = {};
    for (int side = 0; side < 2; ++side) {
        shapes_[static_cast<std::size_t>(side)].assign(places_.size(), {});
        each_bit(position.stones[static_cast<std::size_t>(side)].words, [&](int cell) { put(cell, side); });
    }
    for (int cell = 0; cell < rules_.cells(); ++cell)
        for (int side = 0; empty(cell) && side < 2; ++side) {
            for (std::size_t d = 0; d < directions.size(); ++d) {
                const auto [number, at] = places_[static_cast<std::size_t>(cell)][d];
                const Line& line = lines_[number];
                const auto own = static_cast<std::size_t>(side);
                shapes_[own][static_cast<std::size_t>(cell)][d] = static_cast<std::uint8_t>(
                    table_.find(line.stones[own], line.stones[own ^ 1], at, static_cast<int>(line.cells.size())));
            }
            list(side, cell, best(side, cell), 1);
        }
    changes_.clear();
    made_.clear();
}

void Patterns::make(int cell) {
    made_.emplace_back(cell, changes_.size());
    const int side = position_.turn;
    list(0, cell, best(0, cell), -1);
    list(1, cell, best(1, cell), -1);
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
    list(0, cell, best(0, cell), 1);
    list(1, cell, best(1, cell), 1);
}

void Patterns::pass() {
    position_.turn ^= 1;
    key_ ^= turn_key;
}

void Patterns::near(std::vector<int>& out) const {
    const std::size_t before = out.size();
    for (int cell = 0; cell < rules_.cells(); ++cell) {
        if (!empty(cell)) continue;
        const bool found = std::ranges::any_of(places_[static_cast<std::size_t>(cell)], [&](const Place& place) {
            const auto& [first, second] = lines_[place.line].stones;
            return ((first | second) << 2 >> place.at & 0b11111) != 0;
        });
        if (found) out.push_back(cell);
    }
    const int middle = rules_.rows / 2 * rules_.columns + rules_.columns / 2;
    if (out.size() == before && empty(middle)) out.push_back(middle);
}

void Patterns::put(int cell, int side) {
    const auto own = static_cast<std::size_t>(side);
    position_.stones[own].add(cell);
    key_ ^= stone_key(cell, side);
    for (const Place& place : places_[static_cast<std::size_t>(cell)]) lines_[place.line].stones[own] |= 1u << place.at;
}

void Patterns::take(int cell, int side) {
    const auto own = static_cast<std::size_t>(side);
    position_.stones[own].remove(cell);
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
    shapes[direction] = shape;
    const Shape after = best(side, cell);
    if (after == before) return;
    list(side, cell, before, -1);
    list(side, cell, after, 1);
}

void Patterns::list(int side, int cell, Shape shape, int by) {
    const auto own = static_cast<std::size_t>(side), which = static_cast<std::size_t>(shape);
    counts_[own][which] += by;
    if (by > 0) sets_[own][which].add(cell);
    else sets_[own][which].remove(cell);
}

}  // namespace ludens::gomoku
