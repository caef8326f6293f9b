// UCT (Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", 2006) over unfinished visits as well (Liu et
// al., "Watch the unobserved", 2020): with N and n the visits of node and edge, in flight included, and q the
// mean goal over the completed ones,
//
//     q / 100 + exploration * sqrt(ln N / n)
//
// Where several roles choose, each does so by regret matching (search_regret.cpp). Decoupled UCT in the strict
// sense, every role with its own UCB, was tried: the roles explore in step, mistake the correlation for the
// opponent's play, and settle on cooperation in the prisoner's dilemma.
#include <cmath>
#include <limits>

#include "search_regret.hpp"
#include "search_strategy.hpp"

namespace ludens {

namespace {

class Uct final : public Strategy {
public:
    explicit Uct(double exploration) : scale_(static_cast<float>(100 * exploration)) {}

    Choice choose(const Tree& tree, const Node& node, const Group& group, Random& random) const override {
        if (node.kind == Node::simultaneous) return match_regret(tree, node, group, random);
        if (const Edge fresh = tree.untried(group); fresh != nothing) return {fresh};
        const float bonus = scale_ * std::sqrt(std::log(static_cast<float>(node.visits + node.in_flight)));
        const float prior = node.visits == 0 ? middle_goal : static_cast<float>(group.sum / node.visits);
        return {best_edge(tree, group.first, bonus, prior)};
    }

    bool grows() const override { return true; }

private:
    // Place by place over all chunks, then over the places: the loops of eight become vector instructions.
    static Edge best_edge(const Tree& tree, Index first, float bonus, float prior) {
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
        return where[top] * Chunk::size + static_cast<Edge>(top);
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
