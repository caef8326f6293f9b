// Collects what one thread's tree has found out about the root, for RootStats.
#pragma once

#include "mcts/root_stats.hpp"
#include "mcts/stats_sync.hpp"
#include "mcts/tree.hpp"

namespace ludens::mcts {

class RootReporter {
public:
    RootReporter(Tree& tree, const StatsSync& sync, RootStats& root_stats, int thread)
        : tree_(tree), sync_(sync), root_stats_(root_stats), thread_(thread) {}

    void set_root(Ref root) { root_ = root; }
    // Fills in what the tree knows, and writes it to the RootStats; the caller has filled in its counters before.
    void write(ThreadRootStats& stats) const;

private:
    int mover(const Node& root) const {
        return root.head.kind < NodeHead::turn_of ? -1 : root.head.kind - NodeHead::turn_of;
    }
    void list_edges(Node& root, int role, std::vector<RootMoveStats>& edges) const;
    RootMoveStats own_stats(Edge edge, int role) const;
    Ref follow(Ref at, std::vector<int>& line) const;

    Tree& tree_;
    const StatsSync& sync_;
    RootStats& root_stats_;
    const int thread_;
    Ref root_;
};

}  // namespace ludens::mcts
