// Monte Carlo random descent: random games from every root move, in proportion to promise, and no tree.
//
// Equal shares waste most games on moves that are out of the question. To tell the best of several means with the
// least risk of error, games are due in proportion to 1 / d^2, with d the distance of a move's mean to the best,
// and for the best itself to the second (optimal computing budget allocation: Chen, Lin, Yucesan and Chick,
// "Simulation budget allocation for further enhancing the efficiency of ordinal optimization", 2000, with equal
// variances). Distances below what so many games can tell count as that.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tree_search.hpp"

namespace ludens {

namespace {

constexpr double deviation = 50;  // of a goal from 0 to 100, at most

class Mcrd final : public Selection {
public:
    // The edge that is furthest behind its share.
    Choice choose(const Tree& tree, const Node& node, Index first, Random& random) const override {
        constexpr double none = -std::numeric_limits<double>::infinity();
        double best = none, second = none;
        for_each_edge(tree, first, [&](Edge edge, const Chunk& chunk) {
            const double mean = promise(chunk, edge.place);
            second = std::max(second, std::min(best, mean));
            best = std::max(best, mean);
        });
        const double unclear = deviation / std::sqrt(1.0 + node.head.visits);
        double least = 0;
        std::uint32_t equals = 0;
        Edge chosen;
        for_each_edge(tree, first, [&](Edge edge, const Chunk& chunk) {
            const double mean = promise(chunk, edge.place);
            const double distance = (mean == best ? mean - second : best - mean) + unclear;
            const double done = chunk.visits[edge.place] * distance * distance;
            if (chosen && done > least) return;
            equals = chosen && done == least ? equals + 1 : 1;
            least = done;
            if (random.below(equals) == 0) chosen = edge;
        });
        return {chosen};
    }

    bool grows() const override { return false; }
    int best(const std::vector<RootMove>& moves) const override { return best_mean(moves); }

private:
    // The mean goal; before there is one, the best there could be.
    static double promise(const Chunk& chunk, int place) {
        return chunk.completed(place) == 0 ? best_goal : chunk.mean[place];
    }
};

}  // namespace

std::unique_ptr<Search> make_mcrd(const Game& game, const SearchOptions& options) {
    return std::make_unique<TreeSearch>(game, options, std::make_unique<Mcrd>());
}

}  // namespace ludens
