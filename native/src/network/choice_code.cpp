#include "network/choice_code.hpp"

#include "network/gate_recorder.hpp"

namespace ludens::network {
namespace {

#include "network/choice_steps.hpp"
#include "network/turn_steps.hpp"

}  // namespace

std::vector<StraightCode> choice_gates(const ChoicePlan& plan, std::uint32_t first_row, const GateSet& gates) {
    if (!plan.needed()) return {};
    ChoiceSteps<Wire, std::vector<Wire>> steps(plan);
    Recorder counting(first_row, gates), choosing(first_row, gates);
    steps.count(counting);
    steps.choose(choosing);
    return {counting.finish(), choosing.finish()};
}

std::vector<StraightCode> turn_gates(const TurnPlan& plan, std::uint32_t first_row, const GateSet& gates) {
    TurnSteps<Wire, std::vector<Wire>> turns(plan);
    std::vector<StraightCode> codes;
    Recorder settling(first_row, gates);
    turns.settle(settling);
    codes.push_back(settling.finish());
    if (!plan.merged()) return codes;
    ChoiceSteps<Wire, std::vector<Wire>> steps(*plan.choice);
    Recorder counting(first_row, gates), choosing(first_row, gates);
    turns.merge(counting);
    steps.count(counting);
    codes.push_back(counting.finish());
    steps.choose(choosing);
    turns.spread(choosing);
    codes.push_back(choosing.finish());
    return codes;
}

#if defined(LUDENS_JIT)
TurnCode::TurnCode(const TurnPlan& plan, InstructionSet set, RowBytes bytes) {
    FunctionWriter writer(make_encoder(set, bytes), plan.end);
    for (const StraightCode& code : turn_gates(plan, plan.end, writer.gate_set())) writer.add(code.gates, code.kept);
    code_ = RowFunctions(writer);
}
#endif

}  // namespace ludens::network
