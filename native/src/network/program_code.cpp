#include "network/program_code.hpp"

#include "network/choice_code.hpp"
#include "network/gate_fusion.hpp"
#include "network/gate_order.hpp"
#include "network/loop_gates.hpp"
#include "network/network_gates.hpp"
#include "network/state_code.hpp"

namespace ludens::network {

namespace {

StraightCode piece_code(const Program& program, const Piece& piece, const std::vector<Gate>& gates,
                        const std::vector<std::uint8_t>& kept, const GateSet& set) {
    if (piece.feedback.empty()) return {depth_first(fused(gates, kept, set), kept), kept};
    const auto needed = kept_in_loop(piece, kept);
    return loop_gates(program, piece, depth_first(fused(gates, needed, set), needed), kept, set);
}

}  // namespace

std::vector<std::size_t> each_function(const Program& program, const GateSet& set, const TakeCode& take) {
    const auto kept = kept_rows(program);
    for (const Segment* segment : program.segments()) {
        const bool on_demand = segment == &program.goals || segment == &program.features;
        const auto pieces = gates_of(*segment);
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const auto code = piece_code(program, segment->pieces[i], pieces[i], kept, set);
            take(on_demand ? CodeKind::on_demand : CodeKind::network, code.gates, code.kept);
        }
    }
    // What is recorded is in gates of any three inputs already, where there are such gates.
    const auto take_recorded = [&](CodeKind kind, const StraightCode& code) {
        take(kind, set.any ? code.gates : fused(code.gates, code.kept, set), code.kept);
    };
    std::vector<std::size_t> steps_of_choices;
    for (const ChoicePlan& plan : program.choices) {
        const auto steps = choice_gates(plan, program.rows, set);
        for (const StraightCode& step : steps) take_recorded(CodeKind::choice, step);
        steps_of_choices.push_back(steps.size());
    }
    take_recorded(CodeKind::state, over_gates(program, program.rows, set));
    for (const StraightCode& update : update_gates(program, program.rows, set)) take_recorded(CodeKind::state, update);
    return steps_of_choices;
}

}  // namespace ludens::network
