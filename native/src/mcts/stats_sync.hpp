// What the threads of a tree search tell each other of the nodes that they visit most.
//
// Every thread has a tree of its own and its share of the memory, so that nothing in a tree is ever locked or
// contended (root parallelisation: Chaslot, Winands and van den Herik, "Parallel Monte-Carlo tree search", 2008).
// Sharing the root alone, two trees of half the size play no better than one of them. So some hundred times a second
// a thread tells what it has found out itself about the edges of all nodes with some share of the root's visits,
// and adds to its own statistics what the others have: slow tree parallelisation (Bourki et al., "Scalability and
// parallelization of Monte-Carlo tree search", 2010). Nodes are found again by a hash of their state. What came from
// others is remembered, so that it is never told as one's own, and given back when a node is no longer shared.
//
// Only nodes where one role chooses are shared.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mcts/tree.hpp"

namespace ludens {

// What is known of an edge.
struct EdgeResult {
    int move;
    std::int64_t visits = 0;  // completed
    double goals = 0;         // summed over these
    std::uint8_t lower = 0, upper = best_goal;
    std::uint16_t distance = 0;  // where proven: steps to the end

    int proven() const { return lower == upper ? lower : -1; }
    // Counts what others found out of the same edge.
    void add(const EdgeResult& more);
};

// What one thread found out by itself.
class Bulletin {
public:
    std::vector<EdgeResult>& begin(std::uint64_t node);  // to which its edges are appended
    void end(std::uint64_t node) { places_[node].second = edges_.size(); }
    std::span<const EdgeResult> of(std::uint64_t node) const;

    bool assumes = false;  // see Tree::assumes()

private:
    std::vector<EdgeResult> edges_;
    std::unordered_map<std::uint64_t, std::pair<std::size_t, std::size_t>> places_;  // where a node's edges are
};

class BulletinBoard {
public:
    explicit BulletinBoard(int threads) : bulletins_(static_cast<std::size_t>(threads)) {}

    void post(int thread, std::shared_ptr<const Bulletin> bulletin);
    std::vector<std::shared_ptr<const Bulletin>> of_others(int thread) const;

    std::atomic<bool> ends_differ = false;  // see Tree::ends_differ()

private:
    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<const Bulletin>> bulletins_;
};

// One thread's part in it.
class TreeShare {
public:
    TreeShare(Tree& tree, BulletinBoard& board, int thread) : tree_(tree), board_(board), thread_(thread) {}

    // Tells the others what is known below this root, and takes what they know.
    void exchange(Ref root);
    // Tells the others if ends differ, or hears it from them.
    void compare_ends();
    // Nothing that was taken is there any more.
    void forget() { borrowed_.clear(); }

    // What the tree found out itself: of an edge, and visits of a node.
    EdgeResult own(Ref node, Edge edge) const;
    std::int64_t own_visits(Ref node) const;

private:
    struct Taken {
        std::int64_t visits = 0;
        double goals = 0;
    };
    struct Borrowed {
        std::uint16_t generation;
        std::vector<Taken> edges;  // in the order of the node's edges
    };
    struct Busy {
        Ref node;
        std::uint64_t key;
    };

    void find_busy(Ref root);
    void give_back();
    void tell() const;
    void take();
    void take(const Busy& busy, std::span<const std::shared_ptr<const Bulletin>> bulletins);
    const Borrowed* borrowed(Ref node) const;
    EdgeResult own(const Chunk& chunk, int place, const Borrowed* borrowed, std::size_t ordinal) const;
    bool change(Node& node, Chunk& chunk, int place, const Taken& more) const;
    void learn(Ref node, Edge edge, const EdgeResult& from);

    Tree& tree_;
    BulletinBoard& board_;
    const int thread_;
    std::vector<Busy> busy_;
    std::unordered_map<Index, Borrowed> borrowed_;  // by node
    std::vector<EdgeResult> told_;                  // of a node by the others together, by move
    std::vector<int> told_of_;                      // which moves of it
    Proof proof_;                                   // of one edge, as it was told
};

}  // namespace ludens
