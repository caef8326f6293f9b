#include "rules/join_statistics.hpp"

#include "base/random.hpp"
#include "rules/evaluator.hpp"

namespace ludens::rules {

namespace {

constexpr std::int64_t steps_of_inference = 300'000;  // some 10 ms
constexpr std::size_t max_states = 60;

class RandomPlaySampler {
public:
    RandomPlaySampler(const Program& program, const JoinStatistics& first)
        : program_(program), plan_(program, first), questions_(plan_), evaluator_(plan_), statistics_(first.terms) {
        for (Term fact : first.states.front()) initial_.push_back(first.terms.copy(fact, evaluator_.terms()));
    }

    JoinStatistics operator()() {
        evaluator_.set_budget(steps_of_inference);
        try {
            while (states_.size() < max_states) play();
        } catch (const Error&) {  // out of budget, or rules at fault: whoever plays in earnest will be told
        }
        for (const auto& state : states_) {
            statistics_.states.emplace_back();
            for (Term fact : state)
                statistics_.states.back().push_back(evaluator_.terms().copy(fact, statistics_.terms));
        }
        evaluator_.report(statistics_.answers);
        return std::move(statistics_);
    }

private:
    void play() {
        std::vector<Term> state = initial_, moves;
        while (states_.size() < max_states) {
            states_.push_back(state);
            evaluator_.set_state(state);
            if (!choose(moves)) return;
            step(moves, state);
        }
    }

    bool choose(std::vector<Term>& moves) {
        moves.clear();
        if (evaluator_.ask(questions_.terminal, {}).count > 0) return false;
        for (const Term role : program_.roles) {
            const Table& legal = evaluator_.ask(questions_.legal, {&role, 1});
            if (legal.count == 0) return false;
            const Answer* answer = legal.first;
            for (auto n = random_.below(static_cast<std::uint32_t>(legal.count)); n > 0; --n) answer = answer->next;
            moves.push_back(answer->terms()[0]);
        }
        return true;
    }

    void step(const std::vector<Term>& moves, std::vector<Term>& state) {
        evaluator_.set_moves(moves);
        state.clear();
        const Table& next = evaluator_.ask(questions_.next, {});
        for (const Answer* a = next.first; a; a = a->next) state.push_back(a->terms()[0]);
    }

    const Program& program_;
    Plan plan_;
    Questions questions_;
    Evaluator evaluator_;
    JoinStatistics statistics_;
    Random random_{1};
    std::vector<Term> initial_;
    std::vector<std::vector<Term>> states_;
};

}  // namespace

JoinStatistics first_state(const Program& program) {
    Plan plan(program, JoinStatistics(program.terms));
    const int init = plan.procedure(Keyword::init, 0);
    Evaluator evaluator(plan);
    std::vector<Term> state;
    for (const Answer* a = evaluator.ask(init, {}).first; a; a = a->next) state.push_back(a->terms()[0]);
    JoinStatistics first(evaluator.terms());
    first.states.push_back(state);
    return first;
}

JoinStatistics sample_states(const Program& program, const JoinStatistics& first) {
    return RandomPlaySampler(program, first)();
}

}  // namespace ludens::rules
