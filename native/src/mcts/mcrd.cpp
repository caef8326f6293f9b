// Monte Carlo random descent in proportion to how promising moves are: random games that keep to shares as long as they
// are in positions that are known, and go on at random from there.
//
// In equal shares (mcts/flat.cpp) most games are wasted on moves that are out of the question, and what is left
// counts every reply alike, the one that refutes the move among them. More games do not mend that: means of random
// games only become exact. So moves of both sides get games in proportion to what they promise the one who makes
// them, and the mean of a move approaches what it is worth against good replies.
//
// A move's share is in proportion to 1 / (d + u), d the distance of its mean to the best and u what so many games
// cannot tell, exploration times the standard error of their mean (inverse gap weighting: Abe and Long,
// "Associative reinforcement learning using linear probabilistic concepts", 1999; Foster and Rakhlin, "Beyond UCB:
// optimal and efficient contextual bandits with regression oracles", 2020). With N games that loses about 1 / sqrt(N)
// a game even if means drift, as they do where replies become better known. Squared distances, which suffice where
// means stand still, forget moves whose replies were misjudged at first: they lost to UCT.
//
// Where several roles choose, each does so in proportion to regret (mcts/regret.cpp).
#include <algorithm>
#include <cmath>
#include <limits>

#include "mcts/tree_search.hpp"

namespace ludens::mcts {

namespace {

constexpr float deviation = 50;  // of a goal from 0 to 100, at most

class Mcrd final : public Selection {
public:
    explicit Mcrd(double exploration) : scale_(deviation * static_cast<float>(exploration)) {}

    // Chooses the edge that is furthest behind its share, as one is that was never tried.
    Choice choose(const Tree& tree, const Node& node, Index first, Random& random) const override {
        if (node.head.kind == NodeHead::simultaneous) return match_regret(tree, first, random);
        float best = 0;
        for_each_edge(tree, first, [&](Edge edge, const EdgeBlock& block) {
            if (block.mean[edge.place] != EdgeBlock::untried) best = std::max(best, block.mean[edge.place]);
        });
        const float unclear = scale_ / std::sqrt(static_cast<float>(node.head.visits + 1));
        float least = std::numeric_limits<float>::infinity();
        Edge chosen{first, 0};
        for_each_edge(tree, first, [&](Edge edge, const EdgeBlock& block) {
            const float distance = std::max(best - block.mean[edge.place], 0.0f);
            const float done = static_cast<float>(block.visits[edge.place]) * (distance + unclear);
            if (done >= least) return;
            least = done;
            chosen = edge;
        });
        return {chosen};
    }

private:
    const float scale_;
};

}  // namespace

}  // namespace ludens::mcts

std::unique_ptr<ludens::Search> ludens::make_mcrd(const Game& game, const SearchOptions& options) {
    return std::make_unique<mcts::TreeSearch>(game, options, std::make_unique<mcts::Mcrd>(options.exploration));
}
