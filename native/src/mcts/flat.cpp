// Flat Monte Carlo: the same number of playouts for every root move, no tree. The baseline of the others.
#include "mcts/tree_search.hpp"

namespace ludens::mcts {

namespace {

class Flat final : public Selection {
public:
    // The least played edge, at random among equals: in turn would pair the moves of simultaneous roles.
    Choice choose(const Tree& tree, const Node&, Index first, Random& random) const override {
        Edge best;
        std::uint32_t fewest = 0, equals = 0;
        for_each_edge(tree, first, [&](Edge edge, const EdgeBlock& block) {
            const std::uint32_t visits = block.visits[edge.place];
            if (best && visits > fewest) return;
            equals = best && visits == fewest ? equals + 1 : 1;
            fewest = visits;
            if (random.below(equals) == 0) best = edge;
        });
        return {best};
    }

    bool grows() const override { return false; }
    int best(const std::vector<RootMove>& moves) const override { return best_mean(moves); }
};

}  // namespace

}  // namespace ludens::mcts

std::unique_ptr<ludens::Search> ludens::make_flat(const Game& game, const SearchOptions& options) {
    return std::make_unique<mcts::TreeSearch>(game, options, std::make_unique<mcts::Flat>());
}
