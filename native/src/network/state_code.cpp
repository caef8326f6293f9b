#include "network/state_code.hpp"

#include "network/gate_recorder.hpp"

namespace ludens::network {
namespace {

// In a few chains side by side, which do not wait for each other.
Wire any_of(Recorder& rows, const std::vector<std::uint32_t>& of) {
    constexpr std::size_t chains = 4;
    std::array<Wire, chains> any{};
    for (std::size_t i = 0; i < of.size(); i += 2) {
        Wire& chain = any[i / 2 % chains];
        chain = or3(rows.load(of[i]), i + 1 < of.size() ? rows.load(of[i + 1]) : Wire{}, chain);
    }
    return or3(any[0] | any[1], any[2], any[3]);
}

}  // namespace

StraightCode over_gates(const Program& program, std::uint32_t first_row, const GateSet& gates) {
    Recorder rows(first_row, gates);
    Wire over = rows.load(program.terminal);
    for (const ChoicePlan& choice : program.choices) {
        std::vector<std::uint32_t> legal;
        for (const auto move : choice.move) legal.push_back(program.legal[move - program.move_row]);
        over = over | and_not(rows.load(Program::ones), any_of(rows, legal));
    }
    rows.store(program.over, over);
    return rows.finish();
}

std::vector<StraightCode> update_gates(const Program& program, std::uint32_t first_row, const GateSet& gates) {
    std::vector<StraightCode> codes;
    for (const Update& update : program.updates) {
        Recorder rows(first_row, gates);
        for (const auto [state, next] : update.values)
            rows.store(state, select(rows.load(program.finished), rows.load(state), rows.load(next)));
        codes.push_back(rows.finish());
    }
    return codes;
}

}  // namespace ludens::network
