#include "network/network_gates.hpp"

#include <algorithm>

namespace ludens::network {
namespace {

std::uint8_t table_of(Op op) {
    switch (op) {
        case Op::And: return table_and;
        case Op::AndNot: return table_and_not;
        case Op::Or: return table_or;
    }
    return 0;
}

}  // namespace

std::vector<std::vector<Gate>> gates_of(const Segment& segment) {
    std::vector<std::vector<Gate>> pieces;
    std::size_t gate = 0;
    for (const Piece& piece : segment.pieces) {
        auto& gates = pieces.emplace_back();
        for (auto r = piece.first_run; r < piece.last_run; ++r)
            for (std::uint32_t i = 0; i < segment.runs[r].count; ++i, ++gate) {
                const auto [a, b] = segment.operands[gate];
                gates.push_back(
                    {{a, b, b}, segment.first_row + static_cast<std::uint32_t>(gate), table_of(segment.runs[r].op)});
            }
    }
    return pieces;
}

std::vector<std::uint8_t> kept_rows(const Program& program) {
    std::vector<std::uint8_t> kept(program.rows, 0);
    const auto keep = [&](const std::vector<std::uint32_t>& rows) {
        for (auto row : rows) kept[row] = 1;
    };
    for (const Segment* segment : program.segments()) {
        const auto pieces = gates_of(*segment);
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const auto& gates = pieces[i];
            const auto outside = [&](std::uint32_t row) {
                return gates.empty() || row < gates.front().out || row > gates.back().out;
            };
            for (const Gate& gate : gates)
                for (const auto row : gate.in)
                    if (outside(row)) kept[row] = 1;
            for (auto [input, driver] : segment->pieces[i].feedback)
                if (outside(driver)) kept[driver] = 1;
            keep(segment->pieces[i].guards);
        }
    }
    for (const Update& update : program.updates) {
        for (auto [state, next] : update.values) kept[next] = 1;
        keep(update.guards);
    }
    for (const auto* rows : {&program.legal, &program.playable, &program.goal, &program.feature}) keep(*rows);
    kept[program.terminal] = 1;
    return kept;
}

std::uint32_t rows_in_memory(const Program& program) {
    const auto kept = kept_rows(program);
    std::uint32_t rows = program.rows;
    for (const Segment* segment : program.segments())
        rows -= static_cast<std::uint32_t>(
            std::count(kept.begin() + segment->first_row,
                       kept.begin() + segment->first_row + static_cast<std::ptrdiff_t>(segment->operands.size()), 0));
    return rows;
}

}  // namespace ludens::network
