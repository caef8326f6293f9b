// What distinguishes one tree search from another: which edge a role tries next, whether a tree grows at all, and
// which move is best in the end.
#pragma once

#include <memory>
#include <vector>

#include "search.hpp"
#include "search_random.hpp"
#include "tree.hpp"

namespace ludens {

class Selection {
public:
    virtual ~Selection() = default;

    // What to try next of the edges in the chunks from `first` on, at `node`.
    virtual Choice choose(const Tree& tree, const Node& node, Index first, Random& random) const = 0;

    // Whether nodes are made below the root.
    virtual bool grows() const = 0;

    // The place of the move to play.
    virtual int best(const std::vector<RootMove>& moves) const = 0;
};

// Calls visit(edge, its chunk) for every edge in the chunks from `first` on.
template <class Visit>
void for_each_edge(const Tree& tree, Index first, Visit visit) {
    for (Index i = first; is_chunk(i); i = tree.chunk(i).next) {
        const Chunk& chunk = tree.chunk(i);
        for (int place = 0; place < Chunk::size && chunk.move[place] >= 0; ++place) visit(Edge{i, place}, chunk);
    }
}

}  // namespace ludens
