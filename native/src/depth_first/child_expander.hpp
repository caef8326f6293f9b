// Makes the states of a depth-first search, hundreds at a time on one machine.
//
// A machine takes as long for one lane as for all, so the children of a state are made together, and with them
// those of its siblings, which a depth-first search is likely to come to next.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/role_moves.hpp"
#include "base/state_key.hpp"
#include "depth_first/proven_bounds.hpp"
#include "search/search.hpp"

namespace ludens::depth_first {

struct ChildBatch;

struct Node {
    int move;  // of the role that chose it
    bool over;
    Bounds proven;
    Value heuristic;                       // what the evaluation expects
    std::uint64_t key;                     // see ChildExpander::compute_keys()
    Word *state, *legal;                   // legal: of no meaning where the game is over
    std::unique_ptr<ChildBatch> children;  // null: not expanded
};

// The children of a state. A role that has a choice makes it; where two have, the state is not `searchable`.
struct ChildBatch {
    bool searchable = true, keyed = false;
    int mover = 0;
    std::vector<int> others;  // [roles] the only moves of the roles that have no choice
    std::vector<Word> states, legal;
    std::vector<Node> nodes;

    // What it holds, without the batches of its nodes.
    std::int64_t bytes() const {
        return static_cast<std::int64_t>(sizeof *this + others.capacity() * sizeof(int) +
                                         (states.capacity() + legal.capacity()) * sizeof(Word) +
                                         nodes.capacity() * sizeof(Node));
    }
};

// The role with the most legal moves, and how many these are.
struct Branching {
    int mover, moves;
};

class ChildExpander {
public:
    // Keys are those of `keys`; batches that are no longer needed are kept up to so many bytes.
    ChildExpander(const Game& game, const SearchOptions& options, StateKey keys, std::int64_t spare_bytes);

    // Makes a node without parents of a state; it refers to `state`, and to `legal`, [move_words], which is written.
    Node root(Word* state, Word* legal);
    // Makes the children of nodes that have none and whose game is not over.
    void expand(std::span<Node* const> nodes);
    // Makes sure that the nodes of a batch have their keys, which most batches that are made early never need.
    void compute_keys(ChildBatch& batch) const;
    // Makes another batch of a node's children, with keys; the node keeps what it has.
    std::unique_ptr<ChildBatch> children_of(const Node& node);
    // Takes a batch that is no longer needed, and those of its nodes, whose memory serves for others. Null is none.
    void recycle(std::unique_ptr<ChildBatch> batch);
    // The same for a batch of whose nodes none has children: these are not looked at.
    void recycle_alone(std::unique_ptr<ChildBatch> batch);

    int lanes() const { return machine_->lanes(); }
    Branching branching(const Node& node) const;
    // Returns how many states have been made so far.
    std::int64_t made() const { return made_; }

private:
    std::unique_ptr<ChildBatch> take_spare();
    void prepare(Node& node);
    void run(std::span<Node* const> made);
    void set_value(Node& node, const int* goals) const;
    void evaluate(std::span<Node* const> made);

    const StateKey keys_;
    const int roles_, state_words_, move_words_, feature_words_;
    const RoleMoves role_moves_;
    const std::shared_ptr<const Evaluation> evaluation_;
    const std::shared_ptr<const Knowledge> knowledge_;
    std::unique_ptr<Machine> machine_;
    std::int64_t made_ = 0;
    std::vector<std::unique_ptr<ChildBatch>> spare_;
    const std::int64_t most_spare_bytes_;
    std::int64_t spare_bytes_ = 0;
    JointChoice choice_;
    std::vector<Machine::Start> starts_;
    std::vector<Node*> nodes_;          // that are being made,
    std::vector<const Word*> parents_;  // ... the states that they follow,
    std::vector<int> joint_;            // ... and the joint moves that lead to them
    std::vector<int> lanes_, over_, goals_;
    std::vector<float> expected_;
    std::vector<Word> states_, features_, legal_;
};

}  // namespace ludens::depth_first
