// What lies one move below many states at once: whose turn it is, the moves, and the states they lead to with
// what an evaluation says of them. Every lane of the machine takes one move of one state, so a search that looks
// at all children of a leaf, or a game played by looking one move ahead, costs a fraction of a round a state.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/machine.hpp"
#include "evaluation/evaluation.hpp"

namespace ludens {

// A state as it was reached: `state` itself, or its successor under `moves` if there are any.
struct Reached {
    const Word* state;
    const int* moves;  // null, or one per role
};

struct Outlook {
    enum : int { nobody = -1, several = -2 };  // has a choice

    struct Position {
        bool over;
        int mover;                  // role, or `nobody`, or `several`
        std::int32_t first, count;  // of its children
    };

    std::vector<Position> positions;
    std::vector<Word> states;    // [positions][state_words]
    std::vector<Word> features;  // [positions][feature_words], of those that are not over
    std::vector<Word> legal;     // [positions][move_words]
    std::vector<float> goals;    // [positions][roles], of those that are over

    std::vector<int> moves;          // [children][roles]; -1: none
    std::vector<std::uint8_t> ends;  // [children]: whether the game is over there
    std::vector<float> values;       // [children][roles]: goals where it is, else what the evaluation says
};

class Expander {
public:
    // Game and evaluation must outlive it.
    Expander(const Game& game, const Evaluation& evaluation, int lanes);

    const Game& game() const { return game_; }
    std::int64_t state_changes() const { return state_changes_; }

    // What holds in the states; no children yet.
    void look(std::span<const Reached> reached, Outlook& out);
    // The children of those positions that `wanted` marks, unless they are over or several roles choose there.
    void expand(const std::vector<std::uint8_t>& wanted, Outlook& out);

    // The moves of `role` among those of all roles, as read_legal() gives them.
    void list_moves(const Word* legal, int role, std::vector<int>& out) const;

private:
    void look_at(std::span<const Reached> reached, std::size_t first, Outlook& out);
    void list_children(Outlook& out, std::size_t position);
    void follow(Outlook& out, std::size_t first, std::size_t count);

    const Game& game_;
    const Evaluation& evaluation_;
    std::unique_ptr<Machine> machine_;
    std::vector<int> first_moves_;  // of each role among those of all
    void split(std::size_t count, const Word* features, Word* states) const;

    std::size_t roles_, state_words_, feature_words_, move_words_, lanes_;
    Word last_bits_;  // of the last word of a state, those that are its own
    std::vector<Word> child_features_;
    std::int64_t state_changes_ = 0;

    std::vector<int> lane_numbers_, over_, goals_, list_, joint_;
    std::vector<Machine::Start> starts_;
    std::vector<std::size_t> parents_;  // of each child
};

}  // namespace ludens
