// Tree search guided by an evaluation where several roles choose at once: the tree of UCT, in which they choose by
// regret matching (mcts/regret.cpp); its leaves are handed out a batch at a time, and have the value that the evaluation
// says in place of the results of random games (as in Lanctot, Lisy and Winands, "Monte Carlo tree search in
// simultaneous move games with applications to Goofspiel", 2014, with a learned evaluation). One thread searches.
#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "evaluation/expansion.hpp"
#include "guided/searches.hpp"

namespace ludens::guided {

namespace {

constexpr int leaves_at_once = 256, fewest_leaves = 16;
constexpr int leaf_share = 4;  // of the visits so far: larger batches would ask for the same leaves again

class JointSearch final : public Search {
public:
    JointSearch(const Game& game, const SearchOptions& options)
        : evaluation_(options.evaluation), roles_(static_cast<std::size_t>(game.roles())),
          words_(static_cast<std::size_t>(game.state_words())), expander_(game, options.lanes),
          tree_(make_search(game, of_tree(options))) {
        evaluation_->check_fits(game);
    }

    void set_root(const Word* state) override {
        const std::lock_guard alone(running_);
        tree_->set_root(state);
    }

    void go_on(double seconds, std::int64_t playouts) override {
        const std::lock_guard alone(running_);
        limit_.begin_unless_stopped(seconds, playouts);
        std::int64_t before = tree_->stats().iterations;
        while (!limit_.reached() && !tree_->stats().solved) {
            const std::int64_t most = tree_->stats().root_visits / leaf_share;
            evaluate_leaves(static_cast<int>(std::clamp<std::int64_t>(most, fewest_leaves, leaves_at_once)));
            const std::int64_t after = tree_->stats().iterations;
            limit_.finished += after - std::exchange(before, after);
        }
    }

    void stop() override { limit_.stopped = true; }
    void forget_stop() override { limit_.stopped = false; }
    SearchStats stats() const override { return tree_->stats(); }
    RootMoves root_moves(int role) const override { return tree_->root_moves(role); }
    std::vector<int> expected_line(int room) const override { return tree_->expected_line(room); }

private:
    static SearchOptions of_tree(SearchOptions options) {
        options.strategy = "uct";
        options.expand_after = 0;  // an evaluation says the same of a state when it is asked again
        options.threads = options.playouts_per_leaf = 1;
        options.evaluation = nullptr;
        options.knowledge = nullptr;  // whoever made this search asks it, and has a solver if there is one
        options.solver_share = 0;
        return options;
    }

    void evaluate_leaves(int most) {
        states_.clear();
        tickets_.clear();
        tree_->collect(most, states_, tickets_);
        transitions_.clear();
        for (std::size_t i = 0; i < tickets_.size(); ++i) transitions_.push_back({&states_[i * words_], nullptr});
        expander_.read(transitions_, expanded_);
        values_.resize(tickets_.size() * roles_);
        evaluation_->values(static_cast<std::int64_t>(tickets_.size()), expanded_.features.data(), values_.data());
        goals_.assign(values_.begin(), values_.end());
        tree_->report(tickets_, goals_.data(), 1);
    }

    const std::shared_ptr<const Evaluation> evaluation_;
    const std::size_t roles_, words_;
    PositionExpander expander_;
    const std::unique_ptr<Search> tree_;
    std::mutex running_;
    Limit limit_;
    std::vector<Word> states_;
    std::vector<std::int64_t> tickets_;
    std::vector<Transition> transitions_;
    ExpandedPositions expanded_;
    std::vector<float> values_;
    std::vector<double> goals_;
};

}  // namespace

std::unique_ptr<Search> make_joint_search(const Game& game, const SearchOptions& options) {
    return std::make_unique<JointSearch>(game, options);
}

}  // namespace ludens::guided
