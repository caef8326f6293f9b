// Visits of the guided search on their way down its tree and up again: see guided/guided.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "evaluation/expansion.hpp"
#include "guided/tree.hpp"
#include "search/search.hpp"

namespace ludens::guided {

struct Step {
    Index node;
    std::uint32_t edge;
};

struct Leaf {
    Index at;  // on its way down: the node it has come to
    bool arrived;
    std::vector<Step> path;
    std::vector<Word> state;  // of the last node on the path
    std::vector<int> moves;   // from there
    std::uint64_t key;        // of the state that these lead to,
    Index found;              // ... and its node, if there is one already
};

// The tree with what it rests on. Whoever wants to know something of it while it grows takes the lock, as does the one
// thread that it grows in; others may look states up.
class GuidedTree {
public:
    GuidedTree(const Game& game, const SearchOptions& options)
        : tree(game, options.memory_bytes, options.symmetries),
          exploration_(static_cast<float>(options.exploration)),
          knowledge_(options.knowledge),
          roles_(game.roles()),
          sum_is_proven_(roles_ == 1 || game.constant_sum()) {}

    Tree tree;
    Index root = nothing;
    std::mutex lock;
    std::int64_t iterations = 0, state_changes = 0, recycled = 0;
    int depth = 0;

    bool solved() const { return tree.node(root).proven; }
    // Whether proofs rest on equal sums of all ends, and two of them differ.
    bool refuted() const { return assumes_ && !ends_agree_; }
    void clear() { tree.clear(), assumes_ = false; }

    // Paths from the root to edges without a child, each to one of its own; those that found one come first, and it is
    // told how many.
    std::size_t descend(std::span<Leaf> leaves);
    // The node of a position that was looked at; `nothing` where there is no room. `values`: what the evaluation says.
    Index insert(std::uint64_t key, const Outlook& outlook, std::size_t position, const float* values);
    // `reached`: the state that the leaf leads to.
    void link(const Leaf& leaf, Index child, const Word* reached);
    // `values`: what the visit has come to.
    void back_up(const std::vector<Step>& path, const float* values);
    void take_back(const std::vector<Step>& path);

private:
    bool goes_on(Leaf& leaf);
    bool end_visit(const std::vector<Step>& path, const float* values);
    float scale(const Node& node) const;
    bool better(Node& node, std::uint32_t a, std::uint32_t b) const;
    void take_over(Node& node, std::uint32_t changed);
    void find_best(Node& node);
    void tell(Node& node);
    void meet_end(Node& node, std::uint32_t i);
    bool settled(Node& node);
    bool one_goal_tells_all();

    Index insert_known(std::uint64_t key, const Word* state);

    const float exploration_;
    const std::shared_ptr<const Knowledge> knowledge_;
    const int roles_;
    const bool sum_is_proven_;  // of the goals at all ends: 100
    bool ends_agree_ = true;    // those met so far on that sum,
    int ends_met_ = 0;          // ... and how many those are, up to `enough_ends`
    bool assumes_ = false;      // some proof rests on that
    std::vector<float> told_;   // what is backed up
    std::vector<Leaf*> going_;  // down
};

}  // namespace ludens::guided
