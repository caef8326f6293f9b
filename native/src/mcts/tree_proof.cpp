// What is proven of a node: bounds of every role's goal under perfect play (by opponents, see below), from terminal
// nodes upwards (Winands, Bjornsson and Saito, "Monte-Carlo tree search solver", 2008; with bounds instead of wins, for
// any goals: Cazenave and Saffidine, "Score bounded Monte-Carlo tree search", 2010).
//
// Where role r chooses, its goal lies between the best lower and the best upper bound of its edges. Another role's
// lies between the least and the greatest bound over the edges that r may still choose: those whose upper bound
// for r reaches r's lower one, since of equally good moves nobody knows which r will take. Nothing follows for
// nodes where several choose at once. Each bound follows from earlier ones and in the end from terminal nodes, so
// it holds in a graph with transpositions and cycles, and whichever node is evicted: a bound stays on the edge.
//
// Where the goals of two roles have the same sum at every end, a bound of one is a bound of the other. This is relied
// upon where it follows from the rules (Game::constant_sum), and nowhere else, however many ends agree. In other games
// of two that all ended with the same sum so far, a role whose goal is proven is assumed to choose, of moves that earn
// it the same, the worst for the other: so a single won move says what the loser gets, and where the sum is constant
// after all that is the truth. Where sums differ a role may be indifferent, such as a die: as soon as two ends differ,
// in any thread, every tree that rests on the assumption is cleared (SearchThread::compare_ends).
//
// An edge that cannot be better than another is closed: selection skips it.
#include <algorithm>
#include <limits>

#include "mcts/tree.hpp"

namespace ludens::mcts {

// ---- Proofs and what follows from them -----------------------------------------------------------------------

void Proof::clamp(std::span<double> goals) const {
    for (std::size_t r = 0; r < goals.size(); ++r) {
        goals[r] = std::clamp<double>(goals[r], bounds[2 * r], bounds[2 * r + 1]);
    }
}

void Tree::copy_proof(Node& node, Proof& proof) const {
    proof.known = (node.head.flags & NodeHead::bounded) != 0;
    if (!proof.known) return;
    proof.distance = node.head.distance;
    const std::span all = bounds(node);
    proof.bounds.assign(all.begin(), all.end());
}

void Tree::copy_proof(Ref of, Proof& proof) const {
    proof.known = false;
    if (!of) return;
    Node& node = this->node(of.index);
    if (node.head.generation == of.generation) copy_proof(node, proof);
}

// Narrows the bounds of a role's goal; returns whether they changed.
bool Tree::tighten(Node& node, int role, int lower, int upper) const {
    const std::span all = bounds(node);
    std::uint8_t &low = all[2 * role], &high = all[2 * role + 1];
    if (lower <= low && upper >= high) return false;
    low = static_cast<std::uint8_t>(std::max<int>(low, lower));
    high = static_cast<std::uint8_t>(std::min<int>(high, upper));
    node.head.flags |= NodeHead::bounded;
    return true;
}

// Whether the bounds of the other roles follow from those of `mover`, and are known.
bool Tree::up_to_date(Node& node, int mover) const {
    if (roles_ == 1) return true;
    const std::span all = bounds(node);
    return goal_sums_.proven() && all[2 * mover] + all[2 * (1 - mover) + 1] == sum_of_goals &&
           all[2 * mover + 1] + all[2 * (1 - mover)] == sum_of_goals;
}

void Tree::refine(Node& node, Index index, Edge edge, const Proof& below) const {
    const int mover = node.head.kind - NodeHead::turn_of;
    EdgeBlock& c = block(edge.block);
    std::uint8_t &lower = c.lower[edge.place], &upper = c.upper[edge.place];
    const std::uint8_t low = std::max(lower, below.bounds[2 * mover]),
                       high = std::min(upper, below.bounds[2 * mover + 1]);
    const bool news = low != lower || high != upper;
    if ((node.head.flags & NodeHead::solved) != 0 || (!news && up_to_date(node, mover))) return;
    lower = low;
    upper = high;
    if (low == high && c.mean[edge.place] != EdgeBlock::closed) c.mean[edge.place] = low;

    std::uint8_t least = 0, most = (node.head.flags & NodeHead::unexpanded) != 0 ? best_goal : 0;
    each_block(node, [&](const EdgeBlock& all) {
        for (int p = 0; p < EdgeBlock::size; ++p) {
            least = std::max(least, all.lower[p]);
            most = std::max(most, all.upper[p]);
        }
    });
    const bool better = tighten(node, mover, least, most);
    if (roles_ > 1) bound_others(node, index, mover, least);
    if (better || news) close_edges(node, least);
    const std::span all = bounds(node);
    bool solved = true;
    for (int r = 0; r < roles_; ++r) solved = solved && all[2 * r] == all[2 * r + 1];
    if (!solved) return;
    const Edge best = proven_edge(node, index);
    const int steps = best ? distance(block(best.block), best.place) + 1 : below.distance + 1;
    node.head.distance = static_cast<std::uint16_t>(std::min<int>(steps, std::numeric_limits<std::uint16_t>::max()));
    node.head.flags |= NodeHead::solved;
}

// Bounds the goals of the other roles, where `mover` can get `least`.
void Tree::bound_others(Node& node, Index index, int mover, std::uint8_t least) const {
    const std::span all = bounds(node);
    if (goal_sums_.proven()) {
        tighten(node, 1 - mover, sum_of_goals - all[2 * mover + 1], sum_of_goals - all[2 * mover]);
        return;
    }
    if (goal_sums_.likely() && all[2 * mover] == all[2 * mover + 1]) bound_opponent(node, index, mover);
    if ((node.head.flags & NodeHead::unexpanded) != 0) return;
    for (int r = 0; r < roles_; ++r) {
        range_[2 * r] = best_goal;
        range_[2 * r + 1] = 0;
    }
    for (Index i = index; is_block(i); i = block(i).next) {
        const EdgeBlock& c = block(i);
        for (int p = 0; p < EdgeBlock::size; ++p) {
            if (c.move[p] < 0 || c.upper[p] < least) continue;
            if (!widen_range({c.child[p], c.tag[p]})) return;
        }
    }
    for (int r = 0; r < roles_; ++r) {
        if (r != mover) tighten(node, r, range_[2 * r], range_[2 * r + 1]);
    }
}

// Bounds the goal of the other of two roles, who are taken for opponents: it gets no more than after any of the moves
// that earn `mover` its proven goal.
void Tree::bound_opponent(Node& node, Index index, int mover) const {
    const std::size_t upper = 2 * static_cast<std::size_t>(1 - mover) + 1;
    const std::uint8_t goal = bounds(node)[2 * static_cast<std::size_t>(mover)];
    for (Index i = index; is_block(i); i = block(i).next) {
        const EdgeBlock& c = block(i);
        for (int p = 0; p < EdgeBlock::size; ++p) {
            if (c.move[p] < 0 || c.lower[p] != goal || c.child[p] == nothing) continue;
            Node& below = this->node(c.child[p]);
            if (below.head.generation != c.tag[p] || (below.head.flags & NodeHead::bounded) == 0) continue;
            if (tighten(node, 1 - mover, 0, bounds(below)[upper])) note_assumption();
        }
    }
}

// Widens the range by the bounds of a node; false where it has none.
bool Tree::widen_range(Ref child) const {
    if (!child) return false;
    Node& below = node(child.index);
    if (below.head.generation != child.generation || (below.head.flags & NodeHead::bounded) == 0) return false;
    const std::span all = bounds(below);
    for (std::size_t r = 0; r < range_.size(); r += 2) {
        range_[r] = std::min(range_[r], all[r]);
        range_[r + 1] = std::max(range_[r + 1], all[r + 1]);
    }
    return true;
}

// Closes the edges that cannot be better than others. Of equally good edges those stay open whose lower bound is the
// proof of `least`; all of them, where they may differ for the other roles.
void Tree::close_edges(Node& node, std::uint8_t least) const {
    const bool alone = goal_sums_.proven();
    each_block(node, [&](EdgeBlock& c) {
        for (int p = 0; p < EdgeBlock::size; ++p) {
            if (c.upper[p] < least || (alone && c.upper[p] == least && c.lower[p] < least))
                c.mean[p] = EdgeBlock::closed;
        }
    });
}

// ---- What to play --------------------------------------------------------------------------------------------

bool Tree::decided(Node& node) const {
    if (node.head.kind < NodeHead::turn_of) return node.head.kind == NodeHead::terminal;
    const std::span all = bounds(node);
    const int mover = node.head.kind - NodeHead::turn_of;
    return all[2 * mover] == all[2 * mover + 1];
}

Edge Tree::unresolved_edge(Node& node, Index index) const {
    Edge least;
    if (node.head.kind < NodeHead::turn_of) return least;
    for (Index i = index; is_block(i); i = block(i).next) {
        const EdgeBlock& c = block(i);
        for (int p = 0; p < EdgeBlock::size; ++p) {
            if (c.mean[p] == EdgeBlock::closed || c.lower[p] == c.upper[p]) continue;
            if (!least || c.visits[p] < block(least.block).visits[least.place]) least = {i, p};
        }
    }
    return least;
}

int Tree::distance(const EdgeBlock& block, int place) const {
    constexpr int far = std::numeric_limits<std::uint16_t>::max() / 2;
    if (block.child[place] == nothing) return far;
    Node& below = node(block.child[place]);
    const bool same = below.head.generation == block.tag[place];
    return same && (below.head.flags & NodeHead::solved) != 0 ? below.head.distance : far;
}

Edge Tree::proven_edge(Node& node, Index index) const {
    const std::uint8_t goal = bounds(node)[2 * (node.head.kind - NodeHead::turn_of)];
    Edge best;
    int best_distance = 0;
    for (Index i = index; is_block(i); i = block(i).next) {
        const EdgeBlock& c = block(i);
        for (int p = 0; p < EdgeBlock::size; ++p) {
            if (c.move[p] < 0 || proven(c, p) != goal) continue;
            const int d = distance(c, p);
            if (best && !ends_better(goal, d, c.move[p], best_distance, block(best.block).move[best.place])) continue;
            best = {i, p};
            best_distance = d;
        }
    }
    return best;
}

}  // namespace ludens::mcts
