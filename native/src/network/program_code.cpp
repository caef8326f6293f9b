#include "network/program_code.hpp"

#include <algorithm>
#include <utility>

#include "network/choice_code.hpp"
#include "network/code_chunks.hpp"
#include "network/gate_fusion.hpp"
#include "network/gate_order.hpp"
#include "network/loop_gates.hpp"
#include "network/network_gates.hpp"
#include "network/row_numbering.hpp"
#include "network/state_code.hpp"

namespace ludens::network {

namespace {

StraightCode piece_code(const Program& program, const Piece& piece, const std::vector<Gate>& gates,
                        const std::vector<std::uint8_t>& kept, const GateSet& set) {
    if (piece.feedback.empty()) return {depth_first(fused(gates, kept, set), kept, RootOrder::by_recent_use), kept};
    const auto needed = kept_in_loop(piece, kept);  // passes over loops wait for results, not for what is read
    return loop_gates(program, piece, depth_first(fused(gates, needed, set), needed, RootOrder::as_given), kept, set);
}

// Of at least so many rows, whether some code keeps it.
std::vector<std::uint8_t> kept_by(const std::vector<ProgramCode::Function>& functions, std::size_t rows) {
    std::vector<std::uint8_t> kept(rows, 0);
    for (const auto& [kind, code, ends] : functions) {
        kept.resize(std::max(kept.size(), code.kept.size()), 0);
        for (const Gate& gate : code.gates) kept[gate.out] |= code.kept[gate.out];
    }
    return kept;
}

}  // namespace

std::vector<std::span<const Gate>> ProgramCode::Function::chunks() const {
    std::vector<std::span<const Gate>> found;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        found.push_back(std::span(code.gates).subspan(begin, end - begin));
        begin = end;
    }
    return found;
}

ProgramCode::ProgramCode(const Program& original, const GateSet& set, std::size_t most_gates_of_chunk) {
    const auto add = [&](CodeKind kind, StraightCode code, std::size_t most_gates) {
        auto ends = cut_into_chunks(code, most_gates);
        functions.push_back({kind, std::move(code), std::move(ends)});
    };
    const auto kept = kept_rows(original);
    for (const Segment* segment : original.segments()) {
        const bool on_demand = segment == &original.goals || segment == &original.features;
        const auto pieces = gates_of(*segment);
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const Piece& piece = segment->pieces[i];
            add(on_demand ? CodeKind::on_demand : CodeKind::network, piece_code(original, piece, pieces[i], kept, set),
                piece.feedback.empty() ? most_gates_of_chunk : SIZE_MAX);
        }
    }
    // What is recorded is in gates of any three inputs already, where there are such gates.
    const auto add_recorded = [&](CodeKind kind, const StraightCode& code) {
        add(kind, set.any ? code : StraightCode{fused(code.gates, code.kept, set), code.kept}, most_gates_of_chunk);
    };
    for (const ChoicePlan& plan : original.choices) {
        const auto steps = choice_gates(plan, original.rows, set);
        for (const StraightCode& step : steps) add_recorded(CodeKind::choice, step);
        steps_of_choices.push_back(steps.size());
    }
    add_recorded(CodeKind::state, over_gates(original, original.rows, set));
    for (const StraightCode& update : update_gates(original, original.rows, set)) add_recorded(CodeKind::state, update);

    const RowNumbering numbering(original, kept_by(functions, original.rows));
    for (Function& function : functions) function.code = numbering.renumbered(function.code);
    program = numbering.renumbered(original);
}

}  // namespace ludens::network
