#include "network/program_code.hpp"

#include "network/choice_code.hpp"
#include "network/gate_fusion.hpp"
#include "network/gate_order.hpp"
#include "network/network_gates.hpp"
#include "network/state_code.hpp"

namespace ludens::network {

std::vector<std::size_t> each_function(const Program& program, const GateSet& set, const TakeCode& take) {
    const auto kept = kept_rows(program);
    for (const Segment* segment : program.segments())
        for (const auto& gates : gates_of(*segment))
            take(CodeKind::network, depth_first(fused(gates, kept, set), kept), kept);
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
