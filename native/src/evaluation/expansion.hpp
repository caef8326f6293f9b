// Expands many states by one move at once: whose turn it is, the moves, and the states they lead to with the evaluation
// of each. Every lane of the machine takes one move of one state, so a search that looks at all children of a leaf, or
// a game played by looking one move ahead, costs a fraction of a round a state.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/machine.hpp"
#include "base/random.hpp"
#include "base/role_moves.hpp"
#include "evaluation/evaluation.hpp"

namespace ludens {

// How a position is reached: it is `state` itself, or its successor under `moves` if there are any.
struct Transition {
    const Word* state;
    const int* moves;  // null, or one per role
};

// Positions, and what the moves of the role that has a choice there lead to: one child each, or one where none has.
// Where several roles choose there are children if they were asked for: one for each joint move of the moves that are
// looked at, those of the last role changing first.
struct ExpandedPositions {
    struct Position {
        bool over;
        int chooser;                // see JointChoice
        std::int32_t first, count;  // of its children

        int mover() const { return std::max(chooser, 0); }
    };

    std::vector<Position> positions;
    std::vector<Word> states;    // [positions][state_words]
    std::vector<Word> features;  // [positions][feature_words], of those that are not over
    std::vector<Word> legal;     // [positions][move_words]
    std::vector<float> goals;    // [positions][roles], of those that are over

    std::vector<int> widths;         // [positions][roles]: of how many moves each role chooses among the children, if
                                     // several choose
    std::vector<int> moves;          // [children][roles]; -1: none
    std::vector<std::uint8_t> ends;  // [children]: whether the game is over there
    std::vector<float> values;       // [children][roles]: goals where it is, else what the evaluation says
};

class PositionExpander {
public:
    // The game must outlive it.
    PositionExpander(const Game& game, int lanes);
    // By which children are told from now on; it must be of this game, and live as long as it is used.
    void use(const Evaluation& evaluation);

    const RoleMoves& role_moves() const { return role_moves_; }
    std::int64_t state_changes() const { return state_changes_; }

    // Finds out what holds in positions; no children yet.
    void read(std::span<const Transition> transitions, ExpandedPositions& out);
    // Makes the children of those positions that `wanted` marks, unless they are over or several roles choose there.
    void expand(const std::vector<std::uint8_t>& wanted, ExpandedPositions& out);
    // The same, and where several roles choose the children of all joint moves, or of as many moves of each role, drawn
    // at random, as have no more than `most_joint` of them.
    void expand_jointly(const std::vector<std::uint8_t>& wanted, std::size_t most_joint, Random& random,
                        ExpandedPositions& out);

private:
    void read_lanes(std::span<const Transition> transitions, std::size_t first, ExpandedPositions& out);
    void read_ends(std::size_t first, float* goals);
    void list_children(ExpandedPositions& out, std::size_t position);
    void list_joint_children(ExpandedPositions& out, std::size_t position, std::size_t most_joint, Random& random);
    void make_listed(ExpandedPositions& out);
    void make_children(ExpandedPositions& out, std::size_t first, std::size_t count);
    void split(std::size_t count, const Word* features, Word* states) const;

    const Game& game_;
    const Evaluation* evaluation_ = nullptr;
    std::unique_ptr<Machine> machine_;
    const RoleMoves role_moves_;
    std::size_t roles_, state_words_, feature_words_, move_words_, lanes_;
    Word last_bits_;  // of the last word of a state, those that are its own
    std::vector<Word> child_features_;
    std::int64_t state_changes_ = 0;

    std::vector<int> lane_numbers_, over_, goals_;
    JointChoice choice_;
    std::vector<std::vector<int>> role_choices_;
    std::vector<Machine::Start> starts_, staying_;  // those that make a move, and others
    std::vector<std::size_t> parents_;              // of each child
};

}  // namespace ludens
