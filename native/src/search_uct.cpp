// UCT (Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", 2006) over unfinished visits as well (Liu et
// al., "Watch the unobserved", 2020): with N and n the visits of node and edge, in flight included, and q the
// mean goal over the completed ones,
//
//     q / 100 + exploration * sqrt(ln N / n)
//
// where an edge without a result yet counts as the mean of its node. Those never tried come first.
//
// Where several roles choose at once, each does so by regret matching (search_regret.cpp); search_decoupled.cpp has
// the other way.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "edge_vectors.hpp"
#include "search_regret.hpp"
#include "search_uct.hpp"
#include "tree_search.hpp"

namespace ludens {

namespace {

// The exponent, and a polynomial for the mantissa that is right at both ends and to 0.0002 between them: the same on
// every machine.
float log2_of(std::uint32_t n) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(static_cast<float>(n));
    const float m = std::bit_cast<float>((bits & 0x7fffffu) | 0x3f800000u);
    const float fraction = (m - 1) * (1 + (m - 2) * (-0.7550740f + (0.3973080f - 0.0803073f * m) * m));
    return static_cast<float>(static_cast<int>(bits >> 23) - 127) + fraction;
}

// Scores become integers in the same order, whose lowest bits name the place, so a maximum needs no branch.
// (Negative ones do not keep their order, but stay below all others.)
[[gnu::always_inline]] inline Integers keys(const Chunk& chunk, float bonus) {
    const Floats visits = __builtin_convertvector(load<Integers>(chunk.visits), Floats);
    const Floats score = load<Floats>(chunk.mean) + bonus * reciprocal_root(visits);
    return (std::bit_cast<Integers>(score) & -Chunk::size) | Integers{0, 1, 2, 3, 4, 5, 6, 7};
}

BEST_REGISTERS Edge best_edge(const Tree& tree, Index first, float bonus) {
    Integers best = keys(tree.chunk(first), bonus), where = static_cast<std::int32_t>(first) - Integers{};
    for (Index at = tree.chunk(first).next; is_chunk(at); at = tree.chunk(at).next) {
        const Integers key = keys(tree.chunk(at), bonus), better = key > best;
        best = (key & better) | (best & ~better);
        where = ((static_cast<std::int32_t>(at) - Integers{}) & better) | (where & ~better);
    }
    int top = 0;
    for (int i = 1; i < wide; ++i) top = best[i] > best[top] ? i : top;
    return {static_cast<Index>(where[top]), best[top] & (Chunk::size - 1)};
}

class Uct final : public Selection {
public:
    explicit Uct(double exploration) : scale_(bound_scale(exploration)) {}

    Choice choose(const Tree& tree, const Node& node, Index first, Random& random) const override {
        if (node.head.kind == NodeHead::simultaneous) return match_regret(tree, first, random);
        return {highest_bound(tree, node, first, scale_)};
    }

    bool grows() const override { return true; }
    int best(const std::vector<RootMove>& moves) const override { return most_visited(moves); }

private:
    float scale_;
};

}  // namespace

float bound_scale(double exploration) {
    return static_cast<float>(best_goal * exploration * std::sqrt(std::log(2)));
}

Edge highest_bound(const Tree& tree, const Node& node, Index first, float scale) {
    return best_edge(tree, first, scale * std::sqrt(log2_of(std::max(node.head.visits, 1u))));
}

std::unique_ptr<Search> make_uct(const Game& game, const SearchOptions& options) {
    return std::make_unique<TreeSearch>(game, options, std::make_unique<Uct>(options.exploration));
}

}  // namespace ludens
