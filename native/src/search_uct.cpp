// UCT (Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", 2006) over unfinished visits as well (Liu et
// al., "Watch the unobserved", 2020): with N and n the visits of node and edge, in flight included, and q the
// mean goal over the completed ones,
//
//     q / 100 + exploration * sqrt(ln N / n)
//
// Where several roles choose, each maximises this on its own (decoupled UCT). Deterministic roles fall into step
// there, and what they learn is the correlation, so they choose at random among the edges within a tolerance of
// the best (Lanctot, Lisy and Winands, "Monte Carlo tree search in simultaneous move games with applications to
// Goofspiel", 2014).
#include <cmath>
#include <limits>

#include "search_strategy.hpp"

namespace ludens {

namespace {

class Uct final : public Strategy {
public:
    explicit Uct(double exploration) : scale_(static_cast<float>(100 * exploration)) {}

    Edge choose(const Tree& tree, const Node& node, const Group& group, Random& random) const override {
        if (const Edge fresh = tree.untried(group); fresh != nothing) return fresh;
        const float bonus = scale_ * std::sqrt(std::log(static_cast<float>(node.visits + node.in_flight)));
        const float prior = node.visits == 0 ? 50 : static_cast<float>(group.sum / node.visits);
        const auto [edge, score] = best_edge(tree, group.first, bonus, prior);
        if (node.kind != Node::simultaneous) return edge;
        return random_edge(tree, group.first, bonus, prior, score - tolerance, random);
    }

    bool grows() const override { return true; }

private:
    static constexpr float tolerance = 1;  // of goals 0 ... 100

    struct Best {
        Edge edge;
        float score;
    };

    // Place by place over all chunks, then over the places: the loops of eight become vector instructions.
    static Best best_edge(const Tree& tree, Index first, float bonus, float prior) {
        float best[Chunk::size], score[Chunk::size];
        Index where[Chunk::size];
        for (int i = 0; i < Chunk::size; ++i) best[i] = -std::numeric_limits<float>::infinity(), where[i] = first;
        for (Index at = first; at != nothing; at = tree.chunk(at).next) {
            score_edges(tree.chunk(at), bonus, prior, score);
            for (int i = 0; i < Chunk::size; ++i) {
                const bool better = score[i] > best[i];
                best[i] = better ? score[i] : best[i];
                where[i] = better ? at : where[i];
            }
        }
        int top = 0;
        for (int i = 1; i < Chunk::size; ++i) top = best[i] > best[top] ? i : top;
        return {where[top] * Chunk::size + static_cast<Edge>(top), best[top]};
    }

    // Any edge with at least that score, each as likely as the others.
    static Edge random_edge(const Tree& tree, Index first, float bonus, float prior, float least, Random& random) {
        Edge chosen = nothing;
        std::uint32_t met = 0;
        float score[Chunk::size];
        for (Index at = first; at != nothing; at = tree.chunk(at).next) {
            score_edges(tree.chunk(at), bonus, prior, score);
            for (int i = 0; i < Chunk::size; ++i) {
                if (score[i] >= least && random.below(++met) == 0) chosen = at * Chunk::size + static_cast<Edge>(i);
            }
        }
        return chosen;
    }

    // An edge whose first visits are all still under way counts as the mean of its node.
    static void score_edges(const Chunk& chunk, float bonus, float prior, float* score) {
        for (int i = 0; i < Chunk::size; ++i) {
            const float done = static_cast<float>(static_cast<std::int32_t>(chunk.visits[i]));
            const float all = done + static_cast<float>(static_cast<std::int32_t>(chunk.in_flight[i]));
            const float mean = done > 0 ? static_cast<float>(chunk.sum[i]) / done : prior;
            score[i] = mean + bonus / std::sqrt(all);
        }
    }

    float scale_;
};

}  // namespace

std::unique_ptr<Strategy> make_uct(double exploration) { return std::make_unique<Uct>(exploration); }

}  // namespace ludens
