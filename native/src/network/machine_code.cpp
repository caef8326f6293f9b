#include "network/machine_code.hpp"

#if defined(LUDENS_JIT)

#include <algorithm>

#include "network/choice_code.hpp"
#include "network/gate_fusion.hpp"
#include "network/gate_order.hpp"
#include "network/network_gates.hpp"
#include "network/state_code.hpp"

namespace ludens::network {

NetworkCode::NetworkCode(const Program& program, InstructionSet set, std::uint32_t row_bytes) : program_(program) {
    RowFunctions::Writer writer(set, row_bytes, program.rows);
    const auto kept = kept_rows(program);
    for (const Segment* segment : program.segments())
        for (const auto& gates : gates_of(*segment))
            writer.add(depth_first(writer.three_inputs() ? fused(gates, kept) : gates, kept), kept);
    std::vector<std::size_t> steps_of_choices;
    for (const ChoicePlan& plan : program.choices) {
        const auto steps = choice_gates(plan, program.rows, writer.three_inputs());
        for (const StraightCode& step : steps) writer.add(step.gates, step.kept);
        steps_of_choices.push_back(steps.size());
    }
    const StraightCode over = over_gates(program, program.rows, writer.three_inputs());
    writer.add(over.gates, over.kept);
    for (const StraightCode& update : update_gates(program, program.rows, writer.three_inputs()))
        writer.add(update.gates, update.kept);
    code_ = writer.finish();
    auto rest = code_.functions();
    const auto take = [&](std::size_t count) {
        const auto taken = rest.first(count);
        rest = rest.subspan(count);
        return taken;
    };
    for (std::size_t i = 0; i < segments_.size(); ++i) segments_[i] = take(program.segments()[i]->pieces.size());
    for (const std::size_t steps : steps_of_choices) choices_.push_back(take(steps));
    over_ = take(1)[0];
    updates_ = rest;
}

std::span<const RowFunction> NetworkCode::functions(const Segment& segment) const {
    const auto segments = program_.segments();
    return segments_[static_cast<std::size_t>(std::ranges::find(segments, &segment) - segments.begin())];
}

}  // namespace ludens::network

#endif
