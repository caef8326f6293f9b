// UCT with statistics of all moves as first (mcts/amaf.hpp). With n completed visits of an edge, mean goal q, and a
// games below in which its move was made at any time, mean goal m (Gelly and Silver 2011, section 5, with k for 1 /
// 4b^2):
//
//     (1 - beta) q / 100 + beta m / 100 + exploration * sqrt(ln N / n'),     beta = a / (a + n + a n / k)
//
// where n' counts visits in flight as well: 512 of them are, and would all go the same way. An edge never tried needs
// no visit to be ranked, and of one that is proven only that counts. Few of a node's moves become edges before it was
// visited often, those that promise most: see widens_with_visits().
//
// Until there are enough games, and where several roles choose, this is UCT.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "base/logarithm.hpp"
#include "base/vector_dispatch.hpp"
#include "mcts/edge_bounds.hpp"
#include "mcts/tree_search.hpp"

namespace ludens::mcts {

namespace {

constexpr float equivalence = 1000;           // k: completed visits of an edge that say as much as any number of games
constexpr std::uint32_t enough_games = 64;    // of a node, until its own statistics are used
constexpr double share_of_exploration = 0.6;  // of UCT's: what is known from elsewhere need not be explored
constexpr std::uint32_t share_of_run = 32;    // of a node's visits, for which the logarithm is as good as the same

// How much the bound of an edge visited once exceeds its value, for the visit of a node that begins after so many
// others.
[[gnu::always_inline]] inline float bonus(float exploration, std::uint32_t visits) {
    return exploration * std::sqrt(std::numbers::ln2_v<float> * logarithm(std::max(visits, 1u)));
}

// The values of a block's edges, without their bonus.
[[gnu::always_inline]] inline Floats values(const EdgeBlock& block, const AmafCell* amaf) {
    Floats a, sum, n;
    for (int i = 0; i < wide; ++i) {
        const AmafCell cell = block.lower[i] == block.upper[i] ? AmafCell{} : amaf[block.move[i]];  // blank or proven
        a[i] = static_cast<float>(static_cast<std::int32_t>(cell.games()));
        sum[i] = static_cast<float>(static_cast<std::int32_t>(cell.goals()));
        n[i] = static_cast<float>(static_cast<std::int32_t>(block.completed(i)));
    }
    const Floats own = load<Floats>(block.mean), amaf_mean = (sum + 50) / (a + 1), mean = n == 0 ? amaf_mean : own;
    const Floats value = mean + (amaf_mean - mean) * (a / (a + n + a * n * (1 / equivalence) + 1e-10f));
    return own == EdgeBlock::closed ? own : value;
}

[[gnu::always_inline]] inline bool any_open(Floats values) { return maximum(-(values != EdgeBlock::closed))[0] != 0; }

// Sends visits of a node along the edges with the highest bounds, at most `count`, until the node is to get more edges.
// Returns how many; 0 where the node has too many edges to do so.
struct ChooseHighest {
    [[gnu::always_inline]] static inline std::uint32_t run(const Tree& tree, const Node& node, Index first,
                                                           const AmafCell* amaf, float exploration, std::uint32_t count,
                                                           std::vector<EdgeVisits>& chosen) {
        EdgeBounds bounds(1);
        std::uint64_t edges = 0;
        bool open = false;
        for (Index at = first; is_block(at); at = tree.block(at).next, edges += EdgeBlock::size) {
            const Floats here = values(tree.block(at), amaf);
            if (!bounds.add(at, here, load_counts(tree.block(at).visits))) return 0;
            open = open || any_open(here);
        }
        const std::uint32_t begun = node.head.visits, run = 1 + begun / share_of_run;
        if (!open) return 0;
        if ((node.head.flags & NodeHead::unexpanded) != 0) {
            if (begun > visits_for(edges)) return 0;
            count = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, visits_for(edges) - begun + 1));
        }
        for (std::uint32_t done = 0; done < count; done += chosen.back().count) {
            chosen.push_back(bounds.choose(bonus(exploration, begun + done), std::min(count - done, run)));
            const Edge edge = chosen.back().edge;
            float& mean = tree.block(edge.block).mean[edge.place];
            if (mean == EdgeBlock::untried) mean = tree.first_value(node);
        }
        bounds.write(tree);
        return count;
    }
};

struct BestEdge {
    [[gnu::always_inline]] static inline Edge run(const Tree& tree, Index first, const AmafCell* amaf, float bonus) {
        return highest(tree, first, [&](const EdgeBlock& block) __attribute__((always_inline)) {
            const Integers visits = load_counts(block.visits);
            return keys(values(block, amaf), reciprocal_roots(visits > 1 ? visits : 1 - Integers{}), bonus);
        });
    }
};

class Rave final : public AmafSelection {
public:
    explicit Rave(double exploration)
        : exploration_(static_cast<float>(best_goal * exploration * share_of_exploration)),
          plain_scale_(bound_scale(exploration)) {}

    Choice choose(const Tree& tree, const Node& node, Index first, Random& random) const override {
        if (node.head.kind == NodeHead::simultaneous) return match_regret(tree, first, random);
        return {highest_bound(tree, node, first, plain_scale_)};
    }

    std::uint32_t choose_each(const Tree& tree, Node& node, Index first, AmafRow amaf, std::uint32_t count,
                              std::vector<EdgeVisits>& chosen) const override {
        const std::uint32_t done =
            dispatch<ChooseHighest, InstructionSet::avx2>(tree, node, first, amaf.data(), exploration_, count, chosen);
        tree.begin_visit(node, done);
        return done;
    }
    Choice choose(const Tree& tree, const Node& node, Index first, AmafRow amaf) const override {
        return {
            dispatch<BestEdge, InstructionSet::avx2>(tree, first, amaf.data(), bonus(exploration_, node.head.visits))};
    }

    bool widens(const Tree& tree, const Node& node, Index first, Edge chosen) const override {
        return widens_with_visits(tree, node, first, chosen);
    }
    bool uses_insight() const override { return true; }

    std::uint32_t games() const override { return enough_games; }

private:
    const float exploration_, plain_scale_;
};

}  // namespace

}  // namespace ludens::mcts

std::unique_ptr<ludens::Search> ludens::make_rave(const Game& game, const SearchOptions& options) {
    return std::make_unique<mcts::TreeSearch>(game, options, std::make_unique<mcts::Rave>(options.exploration));
}
