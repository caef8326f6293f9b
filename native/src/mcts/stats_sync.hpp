// Statistics that the threads of a tree search exchange, of the nodes that they visit most.
//
// Every thread has a tree of its own and its share of the memory, so that nothing in a tree is ever locked or
// contended (root parallelisation: Chaslot, Winands and van den Herik, "Parallel Monte-Carlo tree search", 2008).
// Sharing the root alone, two trees of half the size play no better than one of them. So some hundred times a second
// a thread publishes what it has found out itself about the edges of all nodes with some share of the root's visits,
// and adds what the others have published to its own statistics: slow tree parallelisation (Bourki et al., "Scalability
// and parallelization of Monte-Carlo tree search", 2010). Nodes are found again by a hash of their state. What was
// imported from others is remembered, so that it is never published as one's own, and taken out again when a node is
// no longer shared. Searches in other processes, the search's peers, take part as threads do: what they tell has a place
// of its own beside those of the threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/timed_lock.hpp"
#include "mcts/tree.hpp"
#include "search/shared_stats.hpp"

namespace ludens::mcts {

// Where threads publish their snapshots, and those of peers are put; for any thread.
class StatsExchange {
public:
    StatsExchange(int threads, int peers)
        : threads_(static_cast<std::size_t>(threads)), snapshots_(static_cast<std::size_t>(threads + peers)) {}

    // What a snapshot takes the place of is given up when the lock is free again.
    void publish(int thread, std::shared_ptr<const StatsSnapshot> snapshot, LockCosts& costs) {
        const TimedLock lock(mutex_, costs);
        snapshots_[static_cast<std::size_t>(thread)].swap(snapshot);
    }
    void publish_of_peer(int peer, std::shared_ptr<const StatsSnapshot> snapshot) {
        const std::lock_guard lock(mutex_);
        snapshots_[threads_ + static_cast<std::size_t>(peer)].swap(snapshot);
    }
    std::vector<std::shared_ptr<const StatsSnapshot>> snapshots_of_others(int thread, LockCosts& costs) const {
        std::vector<std::shared_ptr<const StatsSnapshot>> others;
        others.reserve(snapshots_.size());
        const TimedLock lock(mutex_, costs);
        for (std::size_t i = 0; i < snapshots_.size(); ++i) {
            if (static_cast<int>(i) != thread && snapshots_[i]) others.push_back(snapshots_[i]);
        }
        return others;
    }
    // What the threads found out about those nodes, at most `most`, of which the first of them knows most.
    StatsSnapshot sum_of_threads(int most) const;
    // What the peers found out about a node, by what each told last, but for proofs that are known not to hold.
    std::vector<EdgeStats> sum_of_peers(std::uint64_t node) const;

    std::atomic<bool> sums_differ = false;  // as a thread or a peer found out: see GoalSums::refuted()

private:
    std::vector<std::shared_ptr<const StatsSnapshot>> snapshots(std::size_t begin, std::size_t end) const;

    const std::size_t threads_;
    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<const StatsSnapshot>> snapshots_;  // of the threads, then of the peers
};

// One thread's part in the exchange.
class StatsSync {
public:
    StatsSync(Tree& tree, StatsExchange& exchange, int thread) : tree_(tree), exchange_(exchange), thread_(thread) {}

    // Halves what was imported of nodes whose counts the tree has halved; before anything else is asked or done.
    void follow_halving();
    // Publishes what the tree found out below this root, and imports what the other threads did.
    void exchange(Ref root, LockCosts& costs);
    // Passes on that two ends differ: from the tree to the other threads, or from them to the tree.
    void compare_ends();
    // For a tree that was cleared: nothing that was imported is there any more.
    void forget() { imported_.clear(); }

    // Results of an edge, and visits of a node, without those that were imported.
    EdgeStats own(Ref node, Edge edge) const;
    std::int64_t own_visits(Ref node) const;

private:
    struct ImportedEdge {
        std::int64_t visits = 0;
        double goals = 0;
    };
    struct ImportedNode {
        std::uint16_t generation;
        std::vector<ImportedEdge> edges;  // in the order of the node's edges
    };
    struct SharedNode {
        Ref node;
        std::uint64_t key;
    };

    void find_shared(Ref root);
    void return_imports();
    void publish(LockCosts& costs) const;
    void import_others(LockCosts& costs);
    void import_others(const SharedNode& shared, std::span<const std::shared_ptr<const StatsSnapshot>> snapshots);
    const ImportedNode* imported(Ref node) const;
    EdgeStats own(const EdgeBlock& block, int place, const ImportedNode* imported, std::size_t ordinal) const;
    bool adjust(Node& node, EdgeBlock& block, int place, const ImportedEdge& more) const;
    void import_bounds(Ref node, Edge edge, const EdgeStats& from);

    Tree& tree_;
    StatsExchange& exchange_;
    const int thread_;
    std::vector<SharedNode> shared_;
    std::unordered_map<Index, ImportedNode> imported_;  // by node
    EdgeSums received_;                                 // of a node by the others together
    Proof proof_;                                       // of one edge, imported
};

}  // namespace ludens::mcts
