// UCT with statistics of all moves as first (amaf.hpp). With n completed visits of an edge, mean goal q, and a games
// below in which its move was made at any time, mean goal m (Gelly and Silver 2011, section 5, with k for 1 / 4b^2):
//
//     (1 - beta) q / 100 + beta m / 100 + exploration * sqrt(ln N / n'),     beta = a / (a + n + a n / k)
//
// where n' counts visits in flight as well: 512 of them are, and would all go the same way. An edge never tried needs
// no visit to be ranked, and of one that is proven only that counts. Few of a node's moves become edges before it was
// visited often: those that promise most, of N visits about half the square root (progressive widening: Coulom,
// "Computing Elo ratings of move patterns in the game of Go", 2007; Chaslot et al., "Progressive strategies for
// Monte-Carlo tree search", 2008).
//
// Until there are enough games, and where several roles choose, this is UCT.
#include <algorithm>
#include <bit>
#include <cmath>

#include "edge_vectors.hpp"
#include "search_regret.hpp"
#include "search_uct.hpp"
#include "tree_search.hpp"

namespace ludens {

namespace {

constexpr float equivalence = 1000;             // k: completed visits of an edge that say as much as any number of games
constexpr std::uint32_t enough_games = 64;      // of a node, until its own statistics are used
constexpr std::uint32_t visits_per_square = 4;  // visits of a node for the square of the number of its edges
constexpr double share_of_exploration = 0.6;    // of UCT's: what is known from elsewhere need not be explored

[[gnu::always_inline]] inline Floats scores(const Chunk& chunk, const AmafCell* amaf, float bonus) {
    Floats a, sum, n;
    for (int i = 0; i < wide; ++i) {
        const AmafCell cell = chunk.lower[i] == chunk.upper[i] ? AmafCell{} : amaf[chunk.move[i]];  // blank or proven
        a[i] = static_cast<float>(static_cast<std::int32_t>(cell.games()));
        sum[i] = static_cast<float>(static_cast<std::int32_t>(cell.goals()));
        n[i] = static_cast<float>(static_cast<std::int32_t>(chunk.completed(i)));
    }
    const Floats begun = __builtin_convertvector(load_counts(chunk.visits), Floats), own = load<Floats>(chunk.mean);
    const Floats promise = (sum + 50) / (a + 1), mean = n == 0 ? promise : own;
    const Floats value = mean + (promise - mean) * (a / (a + n + a * n * (1 / equivalence) + 1e-10f));
    return own == Chunk::closed ? own : value + bonus * reciprocal_root(begun < 1 ? begun - begun + 1 : begun);
}

// Scores become integers in the same order. (Negative ones do not keep it, but stay below all others.)
BEST_REGISTERS Edge best_edge(const Tree& tree, Index first, const AmafCell* amaf, float bonus) {
    Integers best = std::bit_cast<Integers>(scores(tree.chunk(first), amaf, bonus));
    Integers where = static_cast<std::int32_t>(first) - Integers{};
    for (Index at = tree.chunk(first).next; is_chunk(at); at = tree.chunk(at).next) {
        const Integers key = std::bit_cast<Integers>(scores(tree.chunk(at), amaf, bonus)), better = key > best;
        best = better ? key : best;
        where = better ? static_cast<std::int32_t>(at) - Integers{} : where;
    }
    int top = 0;
    for (int i = 1; i < wide; ++i) top = best[i] > best[top] ? i : top;
    return {static_cast<Index>(where[top]), top};
}

class Rave final : public AmafSelection {
public:
    explicit Rave(double exploration)
        : exploration_(static_cast<float>(best_goal * exploration * share_of_exploration)), plain_scale_(bound_scale(exploration)) {}

    Choice choose(const Tree& tree, const Node& node, Index first, Random& random) const override {
        if (node.head.kind == NodeHead::simultaneous) return match_regret(tree, first, random);
        return {highest_bound(tree, node, first, plain_scale_)};
    }
    bool grows() const override { return true; }
    int best(const std::vector<RootMove>& moves) const override { return most_visited(moves); }

    Choice choose(const Tree& tree, const Node& node, Index first, AmafRow amaf) const override {
        const float bonus = exploration_ * std::sqrt(std::log(static_cast<float>(std::max(node.head.visits, 1u))));
        return {best_edge(tree, first, amaf.data(), bonus)};
    }

    bool widens(const Tree& tree, const Node& node, Index first, Edge chosen) const override {
        if (tree.chunk(chosen.chunk).mean[chosen.place] == Chunk::closed) return true;
        std::uint64_t edges = 0;
        for (Index at = first; is_chunk(at); at = tree.chunk(at).next) edges += Chunk::size;
        return edges * edges * visits_per_square < node.head.visits;
    }

    std::uint32_t games() const override { return enough_games; }

private:
    const float exploration_, plain_scale_;
};

}  // namespace

std::unique_ptr<Search> make_rave(const Game& game, const SearchOptions& options) {
    return std::make_unique<TreeSearch>(game, options, std::make_unique<Rave>(options.exploration));
}

}  // namespace ludens
