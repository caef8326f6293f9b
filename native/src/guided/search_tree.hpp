// The tree of the guided search: how visits go down, what they add, and what is proven. See guided/guided.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/goal_sums.hpp"
#include "evaluation/expansion.hpp"
#include "guided/node_store.hpp"
#include "search/search.hpp"

namespace ludens::guided {

struct Step {
    Index node;
    std::uint32_t edge;
};

// A visit on its way to a state that has no node yet, or is not linked to its node.
struct Leaf {
    Index at;      // the node that selection has come to
    bool is_leaf;  // selection has found it
    std::vector<Step> path;
    std::vector<Word> state;  // of the last node on the path
    std::vector<int> moves;   // from there, one per role
    std::uint64_t key;        // of the state that these lead to
    Index found;              // the node of that state, if there is one already
};

// Whoever reads the tree while a search runs takes the lock, as does the one thread in which it grows; other threads
// may call NodeStore::find().
class SearchTree {
public:
    SearchTree(const Game& game, const SearchOptions& options)
        : store(game, options.memory_bytes, options.symmetries), exploration_(static_cast<float>(options.exploration)),
          knowledge_(options.knowledge), roles_(game.roles()), goal_sums_(game) {}

    NodeStore store;
    Index root = nothing;
    std::mutex lock;
    std::int64_t iterations = 0, state_changes = 0, recycled = 0;
    int depth = 0;

    bool solved() const { return store.node(root).proven; }
    // Whether proofs rest on equal sums of all ends, and two of them differ.
    bool refuted() const { return assumes_ && goal_sums_.refuted(); }
    void clear() {
        store.clear();
        assumes_ = false;
    }

    // Selects paths from the root to edges without a child, each to another edge. Those that found one are moved to the
    // front; returns how many they are.
    std::size_t select(std::span<Leaf> leaves);
    // Makes the node of an expanded position; `nothing` where there is no room. `values` [roles]: by the evaluation.
    Index insert(std::uint64_t key, const ExpandedPositions& expanded, std::size_t position, const float* values);
    // Makes `child`, whose state or an image of it is `reached`, the child of the edge that the leaf's path ends with.
    void link(const Leaf& leaf, Index child, const Word* reached);
    // Counts the result of a visit, `values` [roles], along its path.
    void backup(const std::vector<Step>& path, const float* values);
    // Takes back a visit that has no result.
    void cancel(const std::vector<Step>& path);

private:
    bool descend(Leaf& leaf);
    bool end_in_tree(const std::vector<Step>& path, const float* values);
    float scale(const Node& node) const;
    bool better(Node& node, std::uint32_t a, std::uint32_t b) const;
    void update_edge(Node& node, std::uint32_t changed);
    void fill_edges(Node& node, const ExpandedPositions& expanded, std::size_t first);
    void find_best(Node& node);
    void copy_best(Node& node);
    void meet_end(Node& node, std::uint32_t i);
    bool settled(Node& node);
    bool one_goal_tells_all();

    Index insert_known(std::uint64_t key, const Word* state);

    const float exploration_;
    const std::shared_ptr<const Knowledge> knowledge_;
    const int roles_;
    GoalSums goal_sums_;
    bool assumes_ = false;        // some proof rests on a sum of goals that is likely, not proven
    std::vector<float> results_;  // that are backed up
    std::vector<Leaf*> descending_;
};

}  // namespace ludens::guided
