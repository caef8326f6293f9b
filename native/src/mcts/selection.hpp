// What distinguishes one tree search from another: which edge a role tries next, whether a tree grows at all, and
// which move is best in the end.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "mcts/tree.hpp"
#include "search/search.hpp"

namespace ludens {

class AmafSelection;

// So many visits that go the same way.
struct Visits {
    Edge edge;
    std::uint32_t count;
};

class Selection {
public:
    virtual ~Selection() = default;

    // What to try next of the edges in the chunks from `first` on, at `node`.
    virtual Choice choose(const Tree& tree, const Node& node, Index first, Random& random) const = 0;

    // The same for `count` visits one after another, each counted as it begins, at a node where one role chooses and all its
    // moves have edges. Appends what they chose, in any order.
    virtual void choose_each(const Tree& tree, Node& node, Index first, Random& random, std::uint32_t count,
                             std::vector<Visits>& chosen) const {
        for (; count > 0; --count) {
            const Choice choice = choose(tree, node, first, random);
            tree.depart(node, first, &choice);
            chosen.push_back({choice.edge, 1});
        }
    }

    // Whether nodes are made below the root.
    virtual bool grows() const = 0;

    // The place of the move to play.
    virtual int best(const std::vector<RootMove>& moves) const = 0;

    // As one that wants more to be known; null: it does not.
    virtual const AmafSelection* amaf() const { return nullptr; }
};

// A selection that wants to know what became of games in which a move was made early or late.
class AmafSelection : public Selection {
public:
    const AmafSelection* amaf() const final { return this; }

    // How many games a node's statistics need before they are used.
    virtual std::uint32_t games() const = 0;

    // What the one role that chooses tries next, where something is known of its moves.
    using Selection::choose;
    virtual Choice choose(const Tree& tree, const Node& node, Index first, AmafRow amaf) const = 0;

    // The same for visits one after another, each counted as it begins; how many of `count` could choose before `choose` and
    // `widens` are to be asked again. Appends what they chose, in any order.
    using Selection::choose_each;
    virtual std::uint32_t choose_each(const Tree& tree, Node& node, Index first, AmafRow amaf, std::uint32_t count,
                                      std::vector<Visits>& chosen) const = 0;

    // Whether more moves become edges before `chosen` is tried again.
    virtual bool widens(const Tree& tree, const Node& node, Index first, Edge chosen) const = 0;
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
