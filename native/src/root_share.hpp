// One thread's dealings with the board: what its own tree knows of the root, and what of it came from the others.
#pragma once

#include <map>

#include "root_board.hpp"
#include "tree.hpp"

namespace ludens {

class RootShare {
public:
    RootShare(Tree& tree, RootBoard& board, int thread) : tree_(tree), board_(board), thread_(thread) {}

    // Before the root changes: gives back what was taken, so that it is not taken for the tree's own.
    void leave();
    void enter(Ref root) { root_ = root; }

    // Writes an account; the caller fills in its own counts before.
    void write(RootAccount& account) const;
    // Adds the others' results to those of the root's edges, and their proofs.
    void take();

private:
    struct Taken {
        std::int64_t visits = 0;
        double goals = 0;
    };

    int mover(const Node& root) const {
        return root.head.kind < NodeHead::turn_of ? -1 : root.head.kind - NodeHead::turn_of;
    }
    void list_edges(Node& root, int role, std::vector<RootEdge>& edges) const;
    RootEdge own(const Chunk& chunk, int place, int role) const;
    bool change(Node& root, Chunk& chunk, int place, const Taken& more) const;
    void learn(Node& root, Edge edge, const RootEdge& from) const;
    Ref follow(Ref at, std::vector<int>& line) const;

    Tree& tree_;
    RootBoard& board_;
    const int thread_;
    Ref root_;
    std::map<int, Taken> taken_;  // by move; only where one role chooses
};

}  // namespace ludens
