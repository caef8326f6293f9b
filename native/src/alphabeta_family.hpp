// The states of a depth-first search, made by a machine that makes hundreds at once.
//
// A machine takes as long for one lane as for all, so the children of a state are made together, and with them
// those of its siblings, which a depth-first search is likely to come to next.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "alphabeta_table.hpp"
#include "search.hpp"

namespace ludens::alphabeta {

struct Family;

struct Node {
    int move;  // of the role that chose it
    bool over;
    Bounds proven;
    Value guess;  // what the evaluation takes it to be worth
    std::uint64_t key;
    Word *state, *legal;             // legal: of no meaning where the game is over
    std::unique_ptr<Family> family;  // null: not made
};

// The children of a state. A role that has a choice makes it; where two have, the state is not `searchable`.
struct Family {
    bool searchable = true;
    int mover = 0;
    std::vector<int> others;  // [roles] the only moves of the roles that have no choice
    std::vector<Word> states, legal;
    std::vector<Node> nodes;
};

class Nursery {
public:
    Nursery(const Game& game, const SearchOptions& options);

    // A state as a node without parents; it refers to `state`, and to `legal`, [move_words], which is written.
    Node node(Word* state, Word* legal);
    // Makes the families of nodes that have none and whose game is not over.
    void make(std::span<Node* const> nodes);

    int lanes() const { return machine_->lanes(); }
    // How many moves there are to choose from.
    int choices(const Node& node) const;
    // States made so far.
    std::int64_t made() const { return made_; }
    // Whether the goals of all ends so far were two roles' and made up 100: what one wins the other loses.
    bool zero_sum() const { return zero_sum_; }

private:
    void prepare(Node& node);
    void run(std::span<Node* const> born);
    void read(Node& node, const int* goals);
    void evaluate(std::span<Node* const> born);
    std::uint64_t key(const Word* state) const;
    int moves_of(int role, const Node& node, std::vector<int>* out) const;

    const Game& game_;
    const std::shared_ptr<const Evaluation> evaluation_;
    const std::shared_ptr<const Knowledge> knowledge_;
    std::unique_ptr<Machine> machine_;
    bool zero_sum_ = true;
    std::int64_t made_ = 0;
    std::vector<Machine::Start> starts_;
    std::vector<int> joint_;   // the joint moves of the nodes that are being made
    std::vector<Node*> born_;  // these
    std::vector<const Word*> parents_;
    std::vector<int> lanes_, over_, goals_;
    std::vector<float> told_;
    std::vector<Word> states_, features_, legal_;
};

}  // namespace ludens::alphabeta
