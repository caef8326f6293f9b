#include "network/row_numbering.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ludens::network {
namespace {

constexpr std::uint32_t nowhere = UINT32_MAX;

}  // namespace

RowNumbering::RowNumbering(const Program& program, const std::vector<std::uint8_t>& kept)
    : number_(kept.size(), nowhere) {
    std::vector<std::uint8_t> in_memory = kept;
    std::fill_n(in_memory.begin(), program.rows, 1);
    for (const Segment* segment : program.segments())
        std::copy_n(kept.begin() + segment->first_row, segment->operands.size(),
                    in_memory.begin() + segment->first_row);
    for (std::size_t row = 0; row < in_memory.size(); ++row)
        if (in_memory[row]) number_[row] = count_++;
}

Program RowNumbering::renumbered(const Program& program) const {
    Program anew = program;
    const auto set = [&](std::uint32_t& row) { row = number_[row]; };
    const auto set_all = [&](std::vector<std::uint32_t>& rows) {
        for (auto& row : rows) set(row);
    };
    const auto set_pairs = [&](std::vector<std::array<std::uint32_t, 2>>& pairs) {
        for (auto& [first, second] : pairs) {
            set(first);
            set(second);
        }
    };
    for (Segment* segment : {&anew.world, &anew.choice, &anew.step, &anew.goals, &anew.features}) {
        *segment = {.first_row = count_, .operands = {}, .runs = {}, .pieces = std::move(segment->pieces)};
        for (Piece& piece : segment->pieces) {
            set_pairs(piece.feedback);
            set_all(piece.guards);
        }
    }
    for (Update& update : anew.updates) {
        set_pairs(update.values);
        set_all(update.guards);
    }
    for (auto* rows : {&anew.legal, &anew.playable, &anew.goal, &anew.feature, &anew.carried}) set_all(*rows);
    for (auto* row : {&anew.terminal, &anew.finished, &anew.over, &anew.changed}) set(*row);
    for (ChoicePlan& choice : anew.choices) {
        for (auto* rows : {&choice.preferable, &choice.playable, &choice.move}) set_all(*rows);
        for (auto& level : choice.levels) set(level.counts);
        for (auto* row : {&choice.rank, &choice.lanes, &choice.end}) set(*row);
    }
    anew.rows = count_;
    return anew;
}

StraightCode RowNumbering::renumbered(const StraightCode& code) const {
    StraightCode anew;
    anew.kept.resize(count_, 0);
    std::vector<std::uint32_t> numbers = number_;
    numbers.resize(std::max(numbers.size(), code.kept.size()), nowhere);
    const auto number = [&](std::uint32_t row) {
        if (numbers[row] == nowhere) {
            numbers[row] = static_cast<std::uint32_t>(anew.kept.size());
            anew.kept.push_back(0);
        }
        return numbers[row];
    };
    for (Gate gate : code.gates) {
        const bool kept = code.kept[gate.out];
        for (auto& row : gate.in) row = number(row);
        gate.out = number(gate.out);
        anew.kept[gate.out] = kept;
        anew.gates.push_back(gate);
    }
    return anew;
}

}  // namespace ludens::network
