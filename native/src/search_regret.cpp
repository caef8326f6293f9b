// Regret matching (Hart and Mas-Colell, "A simple adaptive procedure leading to correlated equilibrium", 2000): a
// move is played in proportion to its positive regret, what it would have earned in all visits less what was
// earned. If every node plays so, a search of simultaneous moves approaches an equilibrium (Lisy et al.,
// "Convergence of Monte Carlo tree search in simultaneous move games", 2013); how often each move was visited is
// the strategy. It does not mind that results come late.
//
// Only the goal x of the move played is known. It counts as (x - 50) / chance in that move's `estimate`, which is
// right in the mean; a share of uniform play keeps the chances away from 0. What was earned, less 50 a visit, is
// kept once for the role, so an update touches one edge only.
#include "search_regret.hpp"

#include <algorithm>

namespace ludens {

namespace {

constexpr double uniform_share = 0.1;

double positive(double regret) { return std::max(regret, 0.0); }

Edge nth_edge(const Tree& tree, Index first, std::uint32_t n) {
    Index at = first;
    for (std::uint32_t skip = n / Chunk::size; skip > 0; --skip) at = tree.chunk(at).next;
    return {at, static_cast<int>(n % Chunk::size)};
}

double total_regret(const Tree& tree, Index first, double earned) {
    double total = 0;
    for (Index at = first; is_chunk(at); at = tree.chunk(at).next) {
        for (const double estimate : tree.chunk(at).estimate) total += positive(estimate - earned);
    }
    return total;
}

// The edge in which the running sum of positive regrets reaches `mark`.
Edge edge_at(const Tree& tree, Index first, double earned, double mark) {
    Edge last;
    for (Index at = first; is_chunk(at); at = tree.chunk(at).next) {
        for (int place = 0; place < Chunk::size; ++place) {
            const double regret = positive(tree.chunk(at).estimate[place] - earned);
            if (regret == 0) continue;
            last = {at, place};
            mark -= regret;
            if (mark < 0) return last;
        }
    }
    return last;  // rounding
}

}  // namespace

Choice match_regret(const Tree& tree, Index first, Random& random) {
    const std::uint32_t edges = tree.chunk(first).group.edges;
    const double earned = tree.chunk(first).group.earned;
    const double total = total_regret(tree, first, earned);
    if (total <= 0) return {nth_edge(tree, first, random.below(edges)), 1.0f / static_cast<float>(edges)};
    const Edge edge = random.unit() < uniform_share ? nth_edge(tree, first, random.below(edges))
                                                    : edge_at(tree, first, earned, random.unit() * total);
    const double regret = positive(tree.chunk(edge.chunk).estimate[edge.place] - earned);
    return {edge, static_cast<float>(uniform_share / edges + (1 - uniform_share) * regret / total)};
}

}  // namespace ludens
