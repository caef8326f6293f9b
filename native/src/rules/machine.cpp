// The game and the machine over interpreted rules: lanes are scalar, each state is worked out on its own.
//
// Everything is asked of a state while its tables are at hand: evaluate() finds out about each new state and, if
// the game goes on, chooses the joint move and works out the successor, which advance() merely puts in its place.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "base/noted_moves.hpp"
#include "base/random.hpp"
#include "rules/evaluator.hpp"
#include "rules/game.hpp"

namespace ludens::rules {

namespace {

constexpr int default_lanes = 16;  // few, so that a round is over soon even where a state takes milliseconds
constexpr int most_lanes = 1 << 16;

class RulesMachine final : public Machine {
public:
    RulesMachine(const RulesGame& game, const MachineOptions& options) : game_(game) {
        if (!options.instruction_set.empty() && options.instruction_set != "scalar")
            throw Error("interpreted rules run on no instruction set but 'scalar'");
        if (options.lanes < 0 || options.lanes > most_lanes)
            throw Error("lanes must be from 1 to " + std::to_string(most_lanes) + ", not " +
                        std::to_string(options.lanes));
        lanes_.resize(static_cast<std::size_t>(options.lanes ? options.lanes : default_lanes));
        for (std::size_t i = 0; i < lanes_.size(); ++i) {
            lanes_[i].random = Random(mix(options.seed) + i);
            lanes_[i].legal.resize(static_cast<std::size_t>(game.roles()));
            lanes_[i].moved.assign(static_cast<std::size_t>(game.roles()), -1);
        }
        finished_.assign(static_cast<std::size_t>(words_for(lanes())), 0);
        for (int i = 0; i < lanes(); ++i) set_finished(i, true);
        renew();
    }

    const Game& game() const override { return game_; }
    int lanes() const override { return static_cast<int>(lanes_.size()); }
    const char* instruction_set() const override { return "scalar"; }
    std::span<const Word> finished() const override { return finished_; }
    double evaluation_seconds() const override { return seconds_; }
    double choice_seconds() const override { return 0; }

    void advance() override {
        for (int i = 0; i < lanes(); ++i) {
            if (is_set(finished_, i)) continue;
            Lane& lane = lanes_[i];
            lane.state.swap(lane.successor);
            lane.moved = lane.chosen;
            if (noted_.wanted()) noted_.add(i, lane.moved);
            lane.forced = false;
            lane.fresh = true;
        }
    }

    void load(std::span<const Start> starts) override {
        for (const Start& start : starts) {
            Lane& lane = lanes_[start.lane];
            noted_.forget(start.lane);
            lane.state.clear();
            each_bit({start.state, static_cast<std::size_t>(game_.state_words())},
                     [&](int fact) { lane.state.push_back(fact); });
            lane.fresh = true;
            lane.forced = start.moves != nullptr;
            if (lane.forced) lane.chosen.assign(start.moves, start.moves + game_.roles());
        }
    }

    void evaluate() override {
        const auto began = std::chrono::steady_clock::now();
        guarded([&] {
            for (int i = 0; i < lanes(); ++i)
                if (lanes_[i].fresh) find_out(i);
        });
        seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    }

    void read_states(std::span<const int> lanes, Word* out) override {
        for (int i : lanes) {
            std::fill_n(out, game_.state_words(), 0);
            for (int fact : lanes_[i].state) set_bit(out, fact);
            out += game_.state_words();
        }
    }

    void read_legal(std::span<const int> lanes, Word* out) override {
        for (int i : lanes) {
            if (!lanes_[i].has_legal) find_late(i, &RulesMachine::find_legal);
            std::fill_n(out, game_.move_words(), 0);
            int first = 0;
            for (std::size_t r = 0; r < lanes_[i].legal.size(); first += game_.moves()[r++])
                for (int move : lanes_[i].legal[r]) set_bit(out, first + move);
            out += game_.move_words();
        }
    }

    void read_terminal(std::span<const int> lanes, std::uint8_t* out) override {
        for (int i : lanes) *out++ = lanes_[i].terminal;
    }

    void read_goals(std::span<const int> lanes, int* out) override {
        for (int i : lanes) {
            if (!lanes_[i].has_goals) find_late(i, &RulesMachine::find_goals);
            out = std::ranges::copy(lanes_[i].goals, out).out;
        }
    }

    void read_moves(std::span<const int> lanes, int* out) override {
        for (int i : lanes) out = std::ranges::copy(lanes_[i].moved, out).out;
    }

    void note_moves(bool wanted) override { noted_.note(game_, lanes(), wanted); }
    void read_noted(std::span<const int> lanes, Word* out) override { noted_.read(lanes, out); }

private:
    struct Lane {
        std::vector<int> state, successor;    // facts that hold
        std::vector<std::vector<int>> legal;  // of each role
        std::vector<int> chosen, moved;       // joint moves: of the next advance(), of the last
        std::vector<int> goals;
        bool forced = false, fresh = false, has_legal = false, has_goals = false;
        bool terminal = false;
        Random random{0};
    };

    // An evaluator that has thrown is of no more use, and what was asked of it last is left undone.
    template <class Work> void guarded(Work work) {
        try {
            work();
        } catch (...) {
            renew();
            for (int i = 0; i < lanes(); ++i) {
                lanes_[i].fresh = false;
                set_finished(i, true);
            }
            throw;
        }
    }

    void renew() {
        evaluator_.emplace(game_.plan());
        facts_.emplace(game_.facts());
        moves_.clear();
        for (int r = 0; r < game_.roles(); ++r) moves_.emplace_back(game_.moves_of(r));
        focus_ = -1;
    }

    void set_finished(int lane, bool over) {
        const Word bit = Word{1} << (lane % 64);
        Word& word = finished_[static_cast<std::size_t>(lane) / 64];
        word = over ? word | bit : word & ~bit;
    }

    void find_out(int i) {
        Lane& lane = lanes_[i];
        lane.fresh = lane.has_legal = lane.has_goals = false;
        focus_ = -1;
        focus(i);
        lane.terminal = evaluator_->ask(game_.questions().terminal, {}).count > 0;
        set_finished(i, lane.terminal);
        if (lane.terminal) return find_goals(lane);
        if (!draw_legal(lane)) find_legal(lane);
        const bool stuck = std::ranges::any_of(lane.legal, [](const auto& moves) { return moves.empty(); });
        set_finished(i, stuck);
        if (!stuck) find_successor(lane);
    }

    void focus(int i) {
        if (focus_ == i) return;
        if (evaluator_->worn_out()) renew();
        terms_.clear();
        for (int fact : lanes_[i].state) terms_.push_back(facts_->term(fact, evaluator_->terms()));
        evaluator_->set_state(terms_);
        focus_ = i;
    }

    // Finds out what evaluate() had no need of.
    void find_late(int i, void (RulesMachine::*find)(Lane&)) {
        guarded([&] {
            focus(i);
            (this->*find)(lanes_[i]);
        });
    }

    void find_legal(Lane& lane) {
        for (std::size_t r = 0; r < lane.legal.size(); ++r) {
            const Term role = game_.plan().program().roles[r];
            const Table& answers =
                game_.sample() ? sampled_moves(lane, r)
                               : evaluator_->ask_some(game_.questions().legal, {&role, 1}, game_.moves()[r] + 1);
            lane.legal[r].clear();
            for (const Answer* a = answers.first; a; a = a->next)
                if (const int move = number(r, a->terms()[0]); move >= 0) lane.legal[r].push_back(move);
            if (answers.count > 0 && lane.legal[r].empty()) game_.moves_of(static_cast<int>(r)).complain();
        }
        lane.has_legal = true;
    }

    // Lists one of the legal moves of each role that are drawn by lot, so that only what a random game makes needs a
    // number; false where there is no such move.
    bool draw_legal(Lane& lane) {
        if (!game_.sample()) return false;
        for (std::size_t r = 0; r < lane.legal.size(); ++r) {
            const Table& moves = sampled_moves(lane, r);
            if (moves.count == 0) return false;
            const Answer* drawn = moves.first;
            for (auto skipped = lane.random.below(static_cast<std::uint32_t>(moves.count)); skipped > 0; --skipped)
                drawn = drawn->next;
            const int move = number(r, drawn->terms()[0]);
            if (move < 0) return false;
            lane.legal[r].assign(1, move);
        }
        return true;
    }

    const Table& sampled_moves(const Lane& lane, std::size_t r) {
        const Term role = game_.plan().program().roles[r];
        return evaluator_->sample(game_.questions().legal, {&role, 1}, game_.sample(), hash_of(lane.state));
    }

    // The number of a move; with a sample -1 for one that there is no room for.
    int number(std::size_t role, Term move) {
        InternCache& moves = moves_[role];
        return game_.sample() ? moves.number_if_room(evaluator_->terms(), move)
                              : moves.number(evaluator_->terms(), move);
    }

    // The same for the same facts in whatever order.
    static std::uint64_t hash_of(std::span<const int> facts) {
        std::uint64_t sum = 0;
        for (int fact : facts) sum += mix(static_cast<std::uint64_t>(fact));
        return sum;
    }

    // The value of a goal, -1 if it is not a number from 0 to 100 and so nothing that could be paid out.
    int goal_value(Term term) {
        if (!evaluator_->terms().is_constant(term)) return -1;
        const std::string& name = game_.plan().program().symbols[term].name;
        if (name.empty() || name.size() > 3 || name.find_first_not_of("0123456789") != std::string::npos) return -1;
        const int value = std::stoi(name);
        return value <= 100 && std::to_string(value) == name ? value : -1;
    }

    void find_goals(Lane& lane) {
        lane.goals.clear();
        for (Term role : game_.plan().program().roles) {
            const Table& answers = evaluator_->ask(game_.questions().goal, {&role, 1});
            int goal = -1;
            int values = 0;
            for (const Answer* answer = answers.first; answer; answer = answer->next) {
                const int value = goal_value(answer->terms()[0]);
                values += value >= 0;
                goal = std::max(goal, value);
            }
            lane.goals.push_back(values == 1 ? goal : -1);
        }
        lane.has_goals = true;
    }

    void find_successor(Lane& lane) {
        if (!lane.forced) {
            lane.chosen.clear();
            for (const auto& moves : lane.legal)
                lane.chosen.push_back(moves[lane.random.below(static_cast<std::uint32_t>(moves.size()))]);
        }
        terms_.clear();
        for (std::size_t r = 0; r < lane.chosen.size(); ++r)
            terms_.push_back(lane.chosen[r] < 0 ? -1 : moves_[r].term(lane.chosen[r], evaluator_->terms()));
        evaluator_->set_moves(terms_);
        lane.successor.clear();
        for (const Answer* a = evaluator_->ask(game_.questions().next, {}).first; a; a = a->next)
            lane.successor.push_back(facts_->number(evaluator_->terms(), a->terms()[0]));
    }

    const RulesGame& game_;
    std::optional<Evaluator> evaluator_;
    std::optional<InternCache> facts_;
    std::vector<InternCache> moves_;
    std::vector<Lane> lanes_;
    std::vector<Word> finished_;
    NotedMoves noted_;
    std::vector<Term> terms_;  // scratch
    int focus_ = -1;           // the lane whose state the evaluator is set to
    double seconds_ = 0;
};

}  // namespace

RulesGame::RulesGame(const ProgramArrays& arrays)
    : program_(arrays), first_(first_state(program_)), plan_(program_, sample_states(program_, first_)),
      questions_(plan_), sample_(arrays.sample), capacities_(arrays.moves),
      facts_(program_.symbols, arrays.state_bits, "fact"),
      initial_(static_cast<std::size_t>(words_for(arrays.state_bits))) {
    if (sample_ < 0) throw Error("rules: a sample of so many moves cannot be");
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
    if (sample_ > 0 && !begins_with_many_moves()) sample_ = 0;
}

bool RulesGame::begins_with_many_moves() const {
    Evaluator evaluator(plan_);
    std::vector<Term> state;
    for (Term fact : first_.states.front()) state.push_back(first_.terms.copy(fact, evaluator.terms()));
    evaluator.set_state(state);
    return std::ranges::any_of(program_.roles, [&](const Term& role) {
        return evaluator.ask_some(questions_.legal, {&role, 1}, many_moves).count == many_moves;
    });
}

std::unique_ptr<Machine> RulesGame::machine(const MachineOptions& options) const {
    return std::make_unique<RulesMachine>(*this, options);
}

}  // namespace ludens::rules
