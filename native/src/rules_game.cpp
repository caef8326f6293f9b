#include "rules_game.hpp"

#include "rules_evaluator.hpp"
#include "rules_machine.hpp"

namespace ludens::rules {

RulesGame::RulesGame(const ProgramArrays& arrays)
    : program_(arrays),
      plan_(program_),
      capacities_(arrays.moves),
      facts_(program_.symbols, arrays.state_bits, "fact"),
      initial_(static_cast<std::size_t>(words_for(arrays.state_bits))) {
    if (program_.roles.empty() || program_.roles.size() != arrays.moves.size())
        throw Error("rules: room for moves is needed for each of one or more roles");
    for (int capacity : arrays.moves) {
        if (capacity < 1) throw Error("rules: room for at least one move is needed");
        moves_.push_back(std::make_unique<Registry>(program_.symbols, capacity, "move"));
    }
    start();
    questions_ = {plan_.procedure(Keyword::legal, 0b01), plan_.procedure(Keyword::next, 0), plan_.procedure(Keyword::terminal, 0),
                  plan_.procedure(Keyword::goal, 0b01)};
}

// The initial state is found with a plan of its own, since the order of all other bodies depends on it.
void RulesGame::start() {
    Plan plan(program_);
    const int init = plan.procedure(Keyword::init, 0);
    Evaluator evaluator(plan);
    std::vector<Term> state;
    for (const Answer* a = evaluator.ask(init, {}).first; a; a = a->next) state.push_back(a->terms()[0]);
    for (Term fact : state) {
        const int bit = facts_.number(evaluator.terms(), fact);
        initial_[static_cast<std::size_t>(bit) / 64] |= Word{1} << (bit % 64);
    }
    plan_.learn(state, evaluator.terms());
}

std::unique_ptr<Machine> RulesGame::machine(const MachineOptions& options) const {
    return std::make_unique<RulesMachine>(*this, options);
}

}  // namespace ludens::rules
