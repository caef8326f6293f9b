// Decoupled UCT: UCT in which also each of several roles that choose at once follows its own upper confidence
// bounds, as if the others were part of the game (Finnsson and Bjornsson, "Simulation-based approach to general
// game playing", 2008).
//
// It need not approach an equilibrium (Shafiei, Sturtevant and Schaeffer, "Comparing UCT versus CFR in simultaneous
// games", 2009): roles explore in step, mistake the correlation for the opponent's play, and settle on cooperation
// in the prisoner's dilemma. Even if any of the bounds that are next to equal is taken, as here (Tak, Lanctot and
// Winands, "Monte Carlo tree search variants for simultaneous move games", 2014), its mixtures can be exploited:
// docs/experiments/simultaneous-moves.md has the figures.
#include <algorithm>
#include <cmath>

#include "base/logarithm.hpp"
#include "mcts/tree_search.hpp"

namespace ludens::mcts {

namespace {

constexpr float next_to_equal = 1;  // of a goal from 0 to 100

class Decoupled final : public Selection {
public:
    explicit Decoupled(double exploration) : scale_(bound_scale(exploration)) {}

    Choice choose(const Tree& tree, const Node& node, Index first, Random& random) const override {
        const Edge highest = highest_bound(tree, node, first, scale_);
        if (node.head.kind != NodeHead::simultaneous) return {highest};
        const float bonus = scale_ * std::sqrt(logarithm(std::max(node.head.visits, 1u)));
        const float least = bound(tree.block(highest.block), highest.place, bonus) - next_to_equal;
        std::uint32_t equals = 0;
        Edge chosen = highest;
        for_each_edge(tree, first, [&](Edge edge, const EdgeBlock& block) {
            if (bound(block, edge.place, bonus) >= least && random.below(++equals) == 0) chosen = edge;
        });
        return {chosen};
    }

private:
    // The upper confidence bound of an edge; that of one never tried is above all others.
    static float bound(const EdgeBlock& block, int place, float bonus) {
        if (block.visits[place] == 0) return EdgeBlock::untried;
        return block.mean[place] + bonus / std::sqrt(static_cast<float>(block.visits[place]));
    }

    const float scale_;
};

}  // namespace

}  // namespace ludens::mcts

std::unique_ptr<ludens::Search> ludens::make_decoupled(const Game& game, const SearchOptions& options) {
    return std::make_unique<mcts::TreeSearch>(game, options, std::make_unique<mcts::Decoupled>(options.exploration));
}
