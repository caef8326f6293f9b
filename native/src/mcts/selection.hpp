// The interface by which tree searches differ: which edge a role tries next, whether a tree grows at all, and which
// move is best in the end.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "mcts/tree.hpp"
#include "search/search.hpp"

namespace ludens::mcts {

class AmafSelection;

// A number of visits along one edge.
struct EdgeVisits {
    Edge edge;
    std::uint32_t count;
};

class Selection {
public:
    virtual ~Selection() = default;

    // Chooses what to try next among the edges in the blocks from `first` on, at `node`.
    virtual Choice choose(const Tree& tree, const Node& node, Index first, Random& random) const = 0;

    // Chooses for `count` visits one after another, and counts each as it begins, at a node where one role chooses and
    // all its moves have edges. Appends what they chose, in any order.
    virtual void choose_each(const Tree& tree, Node& node, Index first, Random& random, std::uint32_t count,
                             std::vector<EdgeVisits>& chosen) const {
        for (; count > 0; --count) {
            const Choice choice = choose(tree, node, first, random);
            tree.begin_visit(node, first, &choice);
            chosen.push_back({choice.edge, 1});
        }
    }

    // Whether nodes are made below the root.
    virtual bool grows() const { return true; }

    // Whether it makes use of what the game core sees of positions: base/insight.hpp.
    virtual bool uses_insight() const { return false; }

    // Returns the place of the move to play.
    virtual int best(const std::vector<RootMove>& moves) const { return move_to_play(moves); }

    // This selection as one that uses statistics of all moves as first; null: it does not.
    virtual const AmafSelection* amaf() const { return nullptr; }
};

// A selection that uses statistics of all moves as first (mcts/amaf.hpp).
class AmafSelection : public Selection {
public:
    const AmafSelection* amaf() const final { return this; }

    // How many games a node's statistics need before they are used.
    virtual std::uint32_t games() const = 0;

    // Chooses what the one role that chooses tries next, by the statistics of its moves.
    using Selection::choose;
    virtual Choice choose(const Tree& tree, const Node& node, Index first, AmafRow amaf) const = 0;

    // Chooses for visits one after another, and counts each as it begins. Returns how many of `count` could choose
    // before choose() and widens() are to be asked again. Appends what they chose, in any order.
    using Selection::choose_each;
    virtual std::uint32_t choose_each(const Tree& tree, Node& node, Index first, AmafRow amaf, std::uint32_t count,
                                      std::vector<EdgeVisits>& chosen) const = 0;

    // Whether more moves become edges before `chosen` is tried again.
    virtual bool widens(const Tree& tree, const Node& node, Index first, Edge chosen) const = 0;
};

// Whether a node is to get more edges before `chosen`, an edge among those in the blocks from `first` on, is tried
// again: few moves become edges before it was visited often, after N visits about half the square root (progressive
// widening: Coulom, "Computing Elo ratings of move patterns in the game of Go", 2007; Chaslot et al., "Progressive
// strategies for Monte-Carlo tree search", 2008).
bool widens_with_visits(const Tree& tree, const Node& node, Index first, Edge chosen);

// How many visits a node has before it gets more than that many edges.
constexpr std::uint64_t visits_for(std::uint64_t edges) { return edges * edges * 4; }

// Calls visit(edge, its block) for every edge in the blocks from `first` on.
template <class Visit> void for_each_edge(const Tree& tree, Index first, Visit visit) {
    for (Index i = first; is_block(i); i = tree.block(i).next) {
        const EdgeBlock& block = tree.block(i);
        for (int place = 0; place < EdgeBlock::size && block.move[place] >= 0; ++place) visit(Edge{i, place}, block);
    }
}

// ---- What several selections follow: upper confidence bounds (mcts/uct.cpp), and regrets (mcts/regret.cpp) --------

// The `scale` of highest_bound() for a UCB constant in units of the range of goals.
float bound_scale(double exploration);

// Returns an edge with the highest upper confidence bound, of those from `first` on of `node`.
Edge highest_bound(const Tree& tree, const Node& node, Index first, float scale);

// Chooses among the edges from `first` on, at a node where several roles choose, and tells how likely that choice was.
Choice match_regret(const Tree& tree, Index first, Random& random);

// Updates what each of the roles regrets, after a visit with these choices that brought these goals.
void learn_regrets(const Tree& tree, Node& node, const Choice* choices, const double* goals);

}  // namespace ludens::mcts
