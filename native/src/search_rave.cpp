// UCT with statistics of all moves as first (amaf.hpp). With n completed visits of an edge, mean goal q, and a games
// below in which its move was made at any time, mean goal m (Gelly and Silver 2011, section 5, with k for 1 / 4b^2):
//
//     (1 - beta) q / 100 + beta m / 100 + exploration * sqrt(ln N / n'),     beta = a / (a + n + a n / k)
//
// where n' counts visits in flight as well: 512 of them are, and would all go the same way. An edge never tried needs
// no visit to be ranked. Few of a node's moves become edges before it was visited often: those that promise most, of
// N visits about the square root (progressive widening: Coulom, "Computing Elo ratings of move patterns in the game of
// Go", 2007; Chaslot et al., "Progressive strategies for Monte-Carlo tree search", 2008).
//
// Until there are enough games, and where several roles choose, this is UCT.
#include <algorithm>
#include <cmath>

#include "tree_search.hpp"

namespace ludens {

namespace {

float env(const char* n, float d) { const char* s = std::getenv(n); return s ? std::atof(s) : d; }
const float equivalence = env("RK", 1000), widening = env("RW", 1);
const std::uint32_t reference = env("RR", 64);

class Rave final : public AmafSelection {
public:
    explicit Rave(double exploration) : exploration_(static_cast<float>(best_goal * exploration)), plain_(make_uct_selection(exploration)) {}

    Choice choose(const Tree& tree, const Node& node, Index first, Random& random) const override {
        return plain_->choose(tree, node, first, random);
    }
    bool grows() const override { return true; }
    int best(const std::vector<RootMove>& moves) const override { return plain_->best(moves); }

    Choice choose(const Tree& tree, const Node& node, Index first, AmafRow amaf) const override {
        const float bonus = exploration_ * std::sqrt(std::log(static_cast<float>(std::max(node.head.visits, 1u))));
        float best = -1;
        Edge chosen{first, 0};
        for (Index at = first; is_chunk(at); at = tree.chunk(at).next) {
            const Chunk& chunk = tree.chunk(at);
            for (int place = 0; place < Chunk::size && chunk.move[place] >= 0; ++place) {
                if (chunk.mean[place] == Chunk::closed) continue;
                const float score = value(chunk, place, amaf[chunk.move[place]]) + bonus * root(chunk.visits[place]);
                if (score > best) best = score, chosen = {at, place};
            }
        }
        return {chosen};
    }

    bool widens(const Tree& tree, const Node& node, Index first, Edge chosen) const override {
        if (tree.chunk(chosen.chunk).mean[chosen.place] == Chunk::closed) return true;
        std::uint32_t edges = 0;
        for (Index at = first; is_chunk(at); at = tree.chunk(at).next) edges += Chunk::size;
        return edges * edges < node.head.visits * widening;
    }

    std::uint32_t games() const override { return reference; }

private:
    static float root(std::uint32_t visits) { return 1 / std::sqrt(static_cast<float>(std::max(visits, 1u))); }

    static float value(const Chunk& chunk, int place, AmafCell cell) {
        const float n = static_cast<float>(chunk.completed(place)), a = static_cast<float>(cell.games());
        if (n == 0) return cell.promise();
        const float beta = a / (a + n + a * n / equivalence);
        return chunk.mean[place] + beta * (cell.promise() - chunk.mean[place]);
    }

    const float exploration_;
    const std::unique_ptr<Selection> plain_;
};

}  // namespace

std::unique_ptr<Search> make_rave(const Game& game, const SearchOptions& options) {
    return std::make_unique<TreeSearch>(game, options, std::make_unique<Rave>(options.exploration));
}

}  // namespace ludens
