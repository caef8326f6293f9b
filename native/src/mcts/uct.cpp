// Upper confidence bounds at one node. They are those of UCT (Kocsis and Szepesvari, "Bandit based Monte-Carlo
// planning", 2006) over unfinished visits as well (Liu et al., "Watch the unobserved", 2020): with N and n the visits
// of node and edge, in flight included and in N the one that begins, and q the mean goal over the completed ones,
//
//     q / 100 + exploration * sqrt(ln N / n)
//
// where an edge without a result yet counts as the mean of its node. Those never tried come first.
//
// Where the game core ranks moves, the best ones become edges first, and more do as a node is visited more often.
//
// Where several roles choose at once, each does so by regret matching (mcts/regret.cpp); mcts/decoupled.cpp has
// the other way.
#include <cmath>
#include <numbers>

#include "base/instruction_set.hpp"
#include "base/logarithm.hpp"
#include "mcts/edge_bounds.hpp"
#include "mcts/tree_search.hpp"

namespace ludens::mcts {

namespace {

// How much the bound of an edge visited once exceeds its mean, for the visit of a node that begins after so many
// others.
[[gnu::always_inline]] inline float bonus(std::uint32_t visits, float scale) {
    constexpr float least = 1e-20f;  // without exploration, too, all edges are tried
    return std::sqrt(scale * scale * logarithm(visits + 1) + least);
}

[[gnu::always_inline]] inline Edge best_edge(const Tree& tree, Index first, float bonus) {
    return highest(tree, first, [&](const EdgeBlock& block) __attribute__((always_inline)) {
        return keys(load<Floats>(block.mean), reciprocal_roots(load_counts(block.visits)), bonus);
    });
}

// Reads the bounds of all edges; false where they are too many, or not all were tried.
[[gnu::always_inline]] inline bool read(const Tree& tree, Index first, EdgeBounds& bounds) {
    for (Index at = first; is_block(at); at = tree.block(at).next) {
        const Floats mean = load<Floats>(tree.block(at).mean);
        if (maximum(-(mean == EdgeBlock::untried))[0] != 0) return false;
        if (!bounds.add(at, mean, load_counts(tree.block(at).visits))) return false;
    }
    return true;
}

class Uct : public Selection {
public:
    explicit Uct(double exploration) : scale_(bound_scale(exploration)) {}

    Choice choose(const Tree& tree, const Node& node, Index first, Random& random) const override {
        return choose_here(tree, node, first, random);
    }
    void choose_each(const Tree& tree, Node& node, Index first, Random& random, std::uint32_t count,
                     std::vector<EdgeVisits>& chosen) const override {
        choose_each_here(tree, node, first, random, count, chosen);
    }

    bool uses_insight() const override { return true; }

protected:
    [[gnu::always_inline]] inline Choice choose_here(const Tree& tree, const Node& node, Index first,
                                                     Random& random) const {
        if (node.head.kind == NodeHead::simultaneous) return match_regret(tree, first, random);
        return {best_edge(tree, first, bonus(node.head.visits, scale_))};
    }

    [[gnu::always_inline]] inline void choose_each_here(const Tree& tree, Node& node, Index first, Random& random,
                                                        std::uint32_t count, std::vector<EdgeVisits>& chosen) const {
        EdgeBounds bounds;
        if (count < few || !read(tree, first, bounds)) {
            return Selection::choose_each(tree, node, first, random, count, chosen);
        }
        const std::uint32_t begun = node.head.visits, run = 1 + begun / share_of_run;
        for (std::uint32_t done = 0; done < count; done += chosen.back().count) {
            chosen.push_back(bounds.choose(bonus(begun + done, scale_), std::min(count - done, run)));
        }
        bounds.write(tree);
        tree.begin_visit(node, count);
    }

private:
    static constexpr std::uint32_t few = 3;  // visits that choose one at a time
    // Of a node's visits: during so many the logarithm hardly changes.
    static constexpr std::uint32_t share_of_run = 32;

    const float scale_;
};

#if defined(__x86_64__)
class UctAvx2 final : public Uct {
public:
    using Uct::Uct;
    [[gnu::target("avx2")]] Choice choose(const Tree& tree, const Node& node, Index first,
                                          Random& random) const override {
        return choose_here(tree, node, first, random);
    }
    [[gnu::target("avx2")]] void choose_each(const Tree& tree, Node& node, Index first, Random& random,
                                             std::uint32_t count, std::vector<EdgeVisits>& chosen) const override {
        choose_each_here(tree, node, first, random, count, chosen);
    }
};
#endif

std::unique_ptr<Selection> make_selection(double exploration) {
#if defined(__x86_64__)
    if (may_use(InstructionSet::avx2)) return std::make_unique<UctAvx2>(exploration);
#endif
    return std::make_unique<Uct>(exploration);
}

}  // namespace

float bound_scale(double exploration) {
    return static_cast<float>(best_goal * exploration * std::sqrt(std::numbers::ln2));
}

bool widens_with_visits(const Tree& tree, const Node& node, Index first, Edge chosen) {
    if (tree.block(chosen.block).mean[chosen.place] == EdgeBlock::closed) return true;
    std::uint64_t edges = 0;
    for (Index at = first; is_block(at); at = tree.block(at).next) edges += EdgeBlock::size;
    return node.head.visits > visits_for(edges);
}

Edge highest_bound(const Tree& tree, const Node& node, Index first, float scale) {
    return best_edge(tree, first, bonus(node.head.visits, scale));
}

}  // namespace ludens::mcts

std::unique_ptr<ludens::Search> ludens::make_uct(const Game& game, const SearchOptions& options) {
    return std::make_unique<mcts::TreeSearch>(game, options, mcts::make_selection(options.exploration));
}
