// Flat Monte Carlo: the same number of playouts for every root move, no tree. The yardstick of the others.
#include "tree_search.hpp"

namespace ludens {

namespace {

class Flat final : public Selection {
public:
    // The least played edge, at random among equals: in turn would pair the moves of simultaneous roles.
    Choice choose(const Tree& tree, const Node&, const Group& group, Random& random) const override {
        Edge best = nothing;
        std::uint32_t fewest = nothing, equals = 0, left = group.edges;
        for (Index i = group.first; i != nothing; i = tree.chunk(i).next) {
            const Chunk& chunk = tree.chunk(i);
            for (int place = 0; place < Chunk::size && left > 0; ++place, --left) {
                const std::uint32_t visits = chunk.visits[place] + chunk.in_flight[place];
                if (visits > fewest) continue;
                equals = visits == fewest ? equals + 1 : 1;
                fewest = visits;
                if (random.below(equals) == 0) best = i * Chunk::size + static_cast<Edge>(place);
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
