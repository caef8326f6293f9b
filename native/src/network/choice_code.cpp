#include "network/choice_code.hpp"

#if defined(LUDENS_JIT)

#include "network/gate_recorder.hpp"

namespace ludens::network {
namespace {

#include "network/choice_steps.hpp"
#include "network/turn_steps.hpp"

}  // namespace

std::vector<StraightCode> choice_gates(const ChoicePlan& plan, std::uint32_t first_row, bool three_inputs) {
    if (!plan.needed()) return {};
    ChoiceSteps<Wire, std::vector<Wire>> steps(plan);
    Recorder counting(first_row, three_inputs), choosing(first_row, three_inputs);
    steps.count(counting);
    steps.choose(choosing);
    return {counting.finish(), choosing.finish()};
}

std::vector<StraightCode> turn_gates(const TurnPlan& plan, std::uint32_t first_row, bool three_inputs) {
    TurnSteps<Wire, std::vector<Wire>> turns(plan);
    std::vector<StraightCode> codes;
    Recorder settling(first_row, three_inputs);
    turns.settle(settling);
    codes.push_back(settling.finish());
    if (!plan.merged()) return codes;
    ChoiceSteps<Wire, std::vector<Wire>> steps(*plan.choice);
    Recorder counting(first_row, three_inputs), choosing(first_row, three_inputs);
    turns.merge(counting);
    steps.count(counting);
    codes.push_back(counting.finish());
    steps.choose(choosing);
    turns.spread(choosing);
    codes.push_back(choosing.finish());
    return codes;
}

TurnCode::TurnCode(const TurnPlan& plan, InstructionSet set, std::uint32_t row_bytes) {
    RowFunctions::Writer writer(set, row_bytes, plan.end);
    for (const StraightCode& code : turn_gates(plan, plan.end, writer.three_inputs()))
        writer.add(code.gates, code.kept);
    code_ = writer.finish();
}

}  // namespace ludens::network

#endif
