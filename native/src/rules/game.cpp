#include "rules/game.hpp"

#include "rules/machine.hpp"

namespace ludens::rules {

RulesGame::RulesGame(const ProgramArrays& arrays)
    : program_(arrays), first_(first_state(program_)), plan_(program_, sample_states(program_, first_)),
      questions_(plan_), capacities_(arrays.moves), facts_(program_.symbols, arrays.state_bits, "fact"),
      initial_(static_cast<std::size_t>(words_for(arrays.state_bits))) {
    if (program_.roles.empty() || program_.roles.size() != arrays.moves.size())
        throw Error("rules: room for moves is needed for each of one or more roles");
    for (int capacity : arrays.moves) {
        if (capacity < 1) throw Error("rules: room for at least one move is needed");
        moves_.push_back(std::make_unique<InternTable>(program_.symbols, capacity, "move"));
    }
    for (Term fact : first_.states.front()) {
        const int bit = facts_.number(first_.terms, fact);
        set_bit(initial_.data(), bit);
    }
}

std::unique_ptr<Machine> RulesGame::machine(const MachineOptions& options) const {
    return std::make_unique<RulesMachine>(*this, options);
}

}  // namespace ludens::rules
