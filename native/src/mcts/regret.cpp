// Regret matching at one node, for several roles that choose at once. A move is played in proportion to its positive
// regret, what it would have earned so far less what was earned (Hart and Mas-Colell, "A simple adaptive procedure
// leading to correlated equilibrium", 2000). If every node plays so, a search of simultaneous moves approaches an
// equilibrium of games where one wins what the other loses (Lisy et al., "Convergence of Monte Carlo tree search in
// simultaneous move games", 2013; Lanctot, Lisy and Winands, "Monte Carlo tree search in simultaneous move games with
// applications to Goofspiel", 2014). How often each move was visited is the average strategy. It does not mind that
// results come late.
//
// A regret never falls below 0, so that a move whose time comes is played at once (regret matching+: Tammelin,
// "Solving large imperfect information games using CFR+", 2014): on roshambo in ten rounds a player so made loses
// a third as much to a best answer as by plain regret matching.
//
// Only the goal x of the move played is known. It counts as (x - 50) / chance for that move, and as 0 for the
// others, which is right in the mean; a share of uniform play keeps the chances away from 0.
#include <algorithm>

#include "base/random.hpp"
#include "mcts/selection.hpp"

namespace ludens::mcts {

namespace {

constexpr double uniform_share = 0.1;

Edge nth_edge(const Tree& tree, Index first, std::uint32_t n) {
    Index at = first;
    for (std::uint32_t skip = n / EdgeBlock::size; skip > 0; --skip) at = tree.block(at).next;
    return {at, static_cast<int>(n % EdgeBlock::size)};
}

double total_regret(const Tree& tree, Index first) {
    double total = 0;
    for (Index at = first; is_block(at); at = tree.block(at).next) {
        for (const float regret : tree.block(at).regret) total += regret;
    }
    return total;
}

// Returns the edge in which the running sum of regrets reaches `mark`.
Edge edge_at(const Tree& tree, Index first, double mark) {
    Edge last;
    for (Index at = first; is_block(at); at = tree.block(at).next) {
        for (int place = 0; place < EdgeBlock::size; ++place) {
            const double regret = tree.block(at).regret[place];
            if (regret == 0) continue;
            last = {at, place};
            mark -= regret;
            if (mark < 0) return last;
        }
    }
    return last;  // rounding
}

// Adds what `choice` earned, `earned`, to the regrets of the edges from `first` on.
void learn(const Tree& tree, Index first, Choice choice, float earned) {
    for (Index at = first; is_block(at); at = tree.block(at).next) {
        EdgeBlock& c = tree.block(at);
        const float won = earned - middle_goal;
        for (int p = 0; p < EdgeBlock::size; ++p) {
            const bool chosen = at == choice.edge.block && p == choice.edge.place;
            const float gain = (chosen ? won / choice.chance : 0) - won;
            c.regret[p] = c.move[p] < 0 ? 0 : std::max(c.regret[p] + gain, 0.0f);
        }
    }
}

}  // namespace

Choice match_regret(const Tree& tree, Index first, Random& random) {
    const std::uint32_t edges = tree.block(first).role_head.edges;
    const double total = total_regret(tree, first);
    if (total <= 0) return {nth_edge(tree, first, random.below(edges)), 1.0f / static_cast<float>(edges)};
    const Edge edge = random.unit() < uniform_share ? nth_edge(tree, first, random.below(edges))
                                                    : edge_at(tree, first, random.unit() * total);
    const double regret = tree.block(edge.block).regret[edge.place];
    return {edge, static_cast<float>(uniform_share / edges + (1 - uniform_share) * regret / total)};
}

void learn_regrets(const Tree& tree, Node& node, const Choice* choices, const double* goals) {
    for (int r = 0; r < tree.roles(); ++r) {
        if (choices[r].edge) learn(tree, tree.first_block(node, nothing, r), choices[r], static_cast<float>(goals[r]));
    }
}

}  // namespace ludens::mcts
