// Flat Monte Carlo: the same number of playouts for every root move, no tree. The yardstick of the others.
#include "tree_search.hpp"

namespace ludens {

namespace {

class Flat final : public Selection {
public:
    // The least played edge, at random among equals: in turn would pair the moves of simultaneous roles.
    Choice choose(const Tree& tree, const Node&, Index first, Random& random) const override {
        Edge best;
        std::uint32_t fewest = 0, equals = 0;
        for (Index i = first; is_chunk(i); i = tree.chunk(i).next) {
            const Chunk& chunk = tree.chunk(i);
            for (int place = 0; place < Chunk::size && chunk.move[place] >= 0; ++place) {
                if (best && chunk.visits[place] > fewest) continue;
                equals = best && chunk.visits[place] == fewest ? equals + 1 : 1;
                fewest = chunk.visits[place];
                if (random.below(equals) == 0) best = {i, place};
            }
        }
        return {best};
    }

    bool grows() const override { return false; }
    int best(const std::vector<RootMove>& moves) const override { return best_mean(moves); }
};

}  // namespace

std::unique_ptr<Search> make_flat(const Game& game, const SearchOptions& options) {
    return std::make_unique<TreeSearch>(game, options, std::make_unique<Flat>());
}

}  // namespace ludens
