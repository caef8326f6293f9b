// Statistics of the root: each thread of a tree search writes its own here some hundred times a second, and reports add
// them up. Reports are made from these copies alone, so they may be asked for at any time.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "mcts/selection.hpp"
#include "mcts/stats_sync.hpp"
#include "mcts/tree.hpp"
#include "search/search.hpp"
#include "search/sharing_costs.hpp"

namespace ludens::mcts {

// What one thread found out about a move of the root; moves without an edge are among them.
struct RootMoveStats : EdgeStats {
    int role;
    bool closed = false;  // it need not be played
};

// What one thread found out about the root in its own tree.
struct ThreadRootStats {
    std::vector<RootMoveStats> edges;
    std::vector<int> forced;           // of each role, its only move; -1: it has a choice, or none
    std::int64_t visits = 0;           // completed, without those imported from other threads
    bool over = false;                 // a terminal node
    int proven = -1;                   // the goal of the one role that chooses
    int mover = -1;                    // that role; -1: several
    std::vector<std::uint8_t> bounds;  // of each role's goal, lower and upper
    std::vector<int> line;             // joint moves expected from here on

    std::int64_t counted = 0;   // visits since the root was set ...
    std::vector<double> goals;  // ... and each role's goals, summed over them

    SearchStats counters{};  // of this thread alone; root_visits and solved are not used
    SharingCosts costs;

    bool solved() const { return over || proven >= 0; }
};

// What all threads, and peers elsewhere, found out about the root.
class RootStats {
public:
    explicit RootStats(int threads) : threads_(static_cast<std::size_t>(threads)) {}

    void write(int thread, ThreadRootStats& stats);
    // What searches elsewhere found out about the moves of the one role that chooses; it takes the place of what they
    // told before.
    void write_peers(std::vector<EdgeStats> edges);

    // See Search.
    SearchStats stats() const;
    SharingCosts sharing_costs() const;
    RootMoves root_moves(int role, const Selection& selection) const;
    // The expected line of the thread whose first move all together tried most often, or which begins with the move that
    // is proven to be best; that move alone if no thread's line does.
    std::vector<int> line() const;
    bool solved() const;

private:
    std::map<int, RootMoveStats> merged_moves(int role) const;
    int proven_move() const;
    RootMove forced_move(int role, int move) const;
    std::int64_t support(const ThreadRootStats& stats) const;

    mutable std::mutex mutex_;
    std::vector<ThreadRootStats> threads_;
    std::vector<EdgeStats> peers_;  // of the root's edges
};

// Collects what one thread's tree has found out about the root, for RootStats.
class RootReporter {
public:
    RootReporter(Tree& tree, const StatsSync& sync, RootStats& root_stats, int thread)
        : tree_(tree), sync_(sync), root_stats_(root_stats), thread_(thread) {}

    void set_root(Ref root) { root_ = root; }
    // Fills in what the tree knows, and writes it to the RootStats; the caller has filled in its counters before.
    void write(ThreadRootStats& stats) const;

private:
    void list_edges(Node& root, int role, std::vector<RootMoveStats>& edges) const;
    Ref follow(Ref at, std::vector<int>& line) const;

    Tree& tree_;
    const StatsSync& sync_;
    RootStats& root_stats_;
    const int thread_;
    Ref root_;
};

}  // namespace ludens::mcts
