// The states of a depth-first search, made by a machine that makes hundreds at once.
//
// A machine takes as long for one lane as for all, so the children of a state are made together, and with them
// those of its siblings, which a depth-first search is likely to come to next.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/state_key.hpp"
#include "depth_first/proven_bounds.hpp"
#include "search/search.hpp"

namespace ludens::depth_first {

struct Family;

struct Node {
    int move;  // of the role that chose it
    bool over;
    Bounds proven;
    Value guess;                     // what the evaluation takes it to be worth
    std::uint64_t key;               // see Nursery::tell_keys()
    Word *state, *legal;             // legal: of no meaning where the game is over
    std::unique_ptr<Family> family;  // null: not made
};

// The children of a state. A role that has a choice makes it; where two have, the state is not `searchable`.
struct Family {
    bool searchable = true, keyed = false;
    int mover = 0;
    std::vector<int> others;  // [roles] the only moves of the roles that have no choice
    std::vector<Word> states, legal;
    std::vector<Node> nodes;
};

// How much a role has to choose from: the one with the most moves.
struct Choice {
    int mover, moves;
};

class Nursery {
public:
    // Keys are those of `keys`.
    Nursery(const Game& game, const SearchOptions& options, StateKey keys);

    // A state as a node without parents; it refers to `state`, and to `legal`, [move_words], which is written.
    Node node(Word* state, Word* legal);
    // Makes the families of nodes that have none and whose game is not over.
    void make(std::span<Node* const> nodes);
    // Makes sure that the nodes of a family have their keys, which most families that are made early never need.
    void tell_keys(Family& family) const;
    // Another family of a node, with keys; the node keeps what it has.
    std::unique_ptr<Family> family_of(const Node& node);
    // Takes a family that is no longer needed, and those of its nodes, whose memory serves for others. Null is none.
    void recycle(std::unique_ptr<Family> family);
    // The same for families of whose nodes none has one: these are not looked at.
    void recycle_alone(std::unique_ptr<Family> family);

    int lanes() const { return machine_->lanes(); }
    Choice choice(const Node& node) const;
    // States made so far.
    std::int64_t made() const { return made_; }
    // Whether the goals of all ends so far were two roles' and made up 100: what one wins the other loses.
    bool zero_sum() const { return zero_sum_; }

private:
    // Where the moves of a role are among those of all.
    struct MoveRange {
        int first, first_word, words;
        Word first_mask, last_mask;
    };

    std::unique_ptr<Family> spare();
    void prepare(Node& node);
    void run(std::span<Node* const> born);
    void read(Node& node, const int* goals);
    void evaluate(std::span<Node* const> born);
    int count_moves(const MoveRange& range, const Word* legal) const;
    void list_moves(const MoveRange& range, const Word* legal, std::vector<int>& out) const;

    const StateKey keys_;
    const int roles_, state_words_, move_words_, feature_words_;
    const std::shared_ptr<const Evaluation> evaluation_;
    const std::shared_ptr<const Knowledge> knowledge_;
    std::unique_ptr<Machine> machine_;
    std::vector<MoveRange> ranges_;  // [roles]
    bool zero_sum_ = true;
    std::int64_t made_ = 0;
    std::vector<std::unique_ptr<Family>> spare_;
    std::vector<Machine::Start> starts_;
    std::vector<int> joint_;   // the joint moves of the nodes that are being made
    std::vector<Node*> born_;  // these
    std::vector<const Word*> parents_;
    std::vector<int> lanes_, over_, goals_, moves_, only_;
    std::vector<float> told_;
    std::vector<Word> states_, features_, legal_;
};

// What a search thinks of a move at its root, and has proven of it if that counts.
struct Opinion {
    int move;
    std::int64_t visits;
    Value value;
    Bounds proven;
};

// The moves of a role at a root, of whose moves, unless it is over or not searchable, there are `opinions`: number
// `best` is what to play. Where several roles choose at once, which depth-first searches do not understand, any legal
// move is as good. `legal`: [move_words] of the root. Error on a role that is none.
RootMoves root_moves(const Game& game, const Node& root, std::span<const Word> legal, int role,
                     std::span<const Opinion> opinions, int best);

// At most `room` joint moves from the start of a line of them, and how many are worth keeping of one.
std::vector<int> first_steps(const std::vector<int>& line, int room, int roles);
constexpr std::size_t longest_line = 40;

}  // namespace ludens::depth_first
