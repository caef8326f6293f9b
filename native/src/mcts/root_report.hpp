// What one thread reports of the root: what its own tree has found out.
#pragma once

#include "mcts/root_stats.hpp"
#include "mcts/stats_sync.hpp"
#include "mcts/tree.hpp"

namespace ludens {

class RootReport {
public:
    RootReport(Tree& tree, const TreeShare& share, RootBoard& board, int thread)
        : tree_(tree), share_(share), board_(board), thread_(thread) {}

    void enter(Ref root) { root_ = root; }
    // Writes an account; the caller fills in its own counts before.
    void write(RootAccount& account) const;

private:
    int mover(const Node& root) const {
        return root.head.kind < NodeHead::turn_of ? -1 : root.head.kind - NodeHead::turn_of;
    }
    void list_edges(Node& root, int role, std::vector<RootEdge>& edges) const;
    RootEdge own(Edge edge, int role) const;
    Ref follow(Ref at, std::vector<int>& line) const;

    Tree& tree_;
    const TreeShare& share_;
    RootBoard& board_;
    const int thread_;
    Ref root_;
};

}  // namespace ludens
