// The machine over interpreted rules: its lanes are scalar, each state is worked out on its own.
//
// Everything is asked of a state while its tables are at hand: evaluate() finds out about each new state and, if
// the game goes on, chooses the joint move and works out the successor, which advance() merely puts in its place.
#pragma once

#include <optional>

#include "base/noted_moves.hpp"
#include "base/random.hpp"
#include "rules/evaluator.hpp"
#include "rules/game.hpp"

namespace ludens::rules {

class RulesMachine final : public Machine {
public:
    RulesMachine(const RulesGame& game, const MachineOptions& options);

    const Game& game() const override { return game_; }
    int lanes() const override { return static_cast<int>(lanes_.size()); }
    const char* instruction_set() const override { return "scalar"; }

    void advance() override;
    void load(std::span<const Start> starts) override;
    void evaluate() override;

    std::span<const Word> finished() const override { return finished_; }

    void read_states(std::span<const int> lanes, Word* out) override;
    void read_legal(std::span<const int> lanes, Word* out) override;
    void read_terminal(std::span<const int> lanes, std::uint8_t* out) override;
    void read_goals(std::span<const int> lanes, int* out) override;
    void read_moves(std::span<const int> lanes, int* out) override;
    void note_moves(bool wanted) override { noted_.note(game_, lanes(), wanted); }
    void read_noted(std::span<const int> lanes, Word* out) override { noted_.read(lanes, out); }

    double evaluation_seconds() const override { return seconds_; }
    double choice_seconds() const override { return 0; }

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

    template <class Work> void guarded(Work work);
    void renew();
    void focus(int lane);
    void find_out(int lane);
    void find_legal(Lane& lane);
    void find_goals(Lane& lane);
    int goal_value(Term term);
    void find_successor(Lane& lane);
    void set_finished(int lane, bool over);

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

}  // namespace ludens::rules
