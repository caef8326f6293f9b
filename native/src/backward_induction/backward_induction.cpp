// Backward induction for games of two, also where both choose at once, whose positions are few enough to be listed.
//
// The game is solved for a player who wants to be ahead: one role wins what the other loses. Where both choose, a role
// plays the mixed strategy of an equilibrium, from which nobody can gain who knows it (von Neumann, "Zur Theorie der
// Gesellschaftsspiele", 1928). Until all positions are solved nothing is known of any move.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>

#include "backward_induction/position_graph.hpp"
#include "base/goal_sums.hpp"
#include "search/search.hpp"

namespace ludens {

namespace {

using namespace backward_induction;

constexpr double all_visits = 1e6;  // reported of a strategy's moves together

class BackwardInduction final : public Search {
public:
    BackwardInduction(const Game& game, const SearchOptions& options)
        : game_(game), sum_is_proven_(GoalSums(game).proven()), graph_(game, options, options.memory_bytes) {
        set_root(nullptr);
    }

    void set_root(const Word* state) override {
        const std::lock_guard alone(running_), quiet(reporting_);
        graph_.set_root(state ? state : game_.initial().data());
        report();
    }

    void go_on(double seconds, std::int64_t playouts) override {
        const std::lock_guard alone(running_);
        limit_.begin_unless_stopped(seconds, playouts);
        while (!limit_.reached() && graph_.go_on(limit_)) {
            const std::lock_guard quiet(reporting_);
            graph_.progress() == PositionGraph::Progress::solved ? report() : count();
        }
    }

    void stop() override { limit_.stopped = true; }
    void forget_stop() override { limit_.stopped = false; }

    SearchStats stats() const override {
        const std::lock_guard quiet(reporting_);
        return stats_;
    }

    RootMoves root_moves(int role) const override {
        const std::lock_guard quiet(reporting_);
        return known_[role];
    }

    // The first step, where the root has only one that is best.
    std::vector<int> expected_line(int room) const override {
        const std::lock_guard quiet(reporting_);
        std::vector<int> line;
        if (room < 1 || !saddle_) return line;
        for (const RootMoves& known : known_)
            if (known.best >= 0) line.push_back(known.moves[static_cast<std::size_t>(known.best)].move);
        return line;
    }

private:
    void count() {
        const bool solved = graph_.progress() == PositionGraph::Progress::solved;
        stats_ = {.playouts = graph_.work(),
                  .iterations = graph_.made(),
                  .state_changes = graph_.made(),
                  .root_visits = solved ? static_cast<std::int64_t>(all_visits) : 0,
                  .nodes = graph_.positions(),
                  .recycled = 0,
                  .memory_bytes = graph_.bytes(),
                  .depth = 0,
                  .bytes_per_node = static_cast<int>(graph_.bytes() / std::max<std::int64_t>(1, graph_.positions())),
                  .solved = graph_.over() || solved};
    }

    // Takes over what is known of the root.
    void report() {
        count();
        saddle_ = false;
        for (const int role : {0, 1}) {
            RootMoves& known = known_[role];
            known = {{}, -1};
            if (graph_.over() || graph_.root_moves().of[role][0] < 0) continue;
            for (const int move : graph_.root_moves().of[role])
                known.moves.push_back({move, 0, std::numeric_limits<double>::quiet_NaN(), -1});
            known.best = 0;
        }
        if (stats_.solved && !graph_.over()) report_solution(graph_.outcomes());
    }

    // `outcomes` [moves of the first role][moves of the second].
    void report_solution(std::span<const Outcome> outcomes) {
        const std::size_t counts[] = {graph_.root_moves().of[0].size(), graph_.root_moves().of[1].size()};
        payoffs_.clear();
        for (const Outcome& outcome : outcomes) payoffs_.push_back(outcome.value);
        matrix_.solve(payoffs_, counts[0], counts[1]);
        saddle_ = matrix_.saddle() >= 0;
        for (const int role : {0, 1}) {
            const std::span<const double> own = matrix_.strategy(role), other = matrix_.strategy(1 - role);
            RootMoves& known = known_[role];
            if (known.moves.empty()) continue;
            known.optimal = true;
            for (std::size_t m = 0; m < counts[role]; ++m) {
                double value = 0;
                for (std::size_t o = 0; o < other.size(); ++o)
                    value += other[o] * payoffs_[role == 0 ? m * counts[1] + o : o * counts[1] + m];
                known.moves[m].visits = std::llround(own[m] * all_visits);
                known.moves[m].value = role == 0 ? value : best_goal - value;
                if (counts[1 - role] == 1) known.moves[m].proven = proven_goal(outcomes[m], role);
            }
            known.best = static_cast<int>(std::ranges::max_element(own) - own.begin());
        }
    }

    // The goal of a role that a move of its own leads to, where nobody else has a choice; -1: it is not certain, or is
    // known only as a difference.
    int proven_goal(const Outcome& outcome, int role) const {
        const double value = role == 0 ? outcome.value : best_goal - outcome.value;
        const double goal = std::round(value);
        return outcome.sure && goal == value && (sum_is_proven_ || goal == best_goal) ? static_cast<int>(goal) : -1;
    }

    const Game& game_;
    const bool sum_is_proven_;
    PositionGraph graph_;
    MatrixGame matrix_;
    std::vector<double> payoffs_;
    Limit limit_;
    std::mutex running_;            // held by go_on() and set_root(), before:
    mutable std::mutex reporting_;  // held while reporting and while what is reported changes
    SearchStats stats_{};
    RootMoves known_[2];
    bool saddle_ = false;  // the root is solved, and either role has one best move
};

}  // namespace

std::unique_ptr<Search> make_backward_induction(const Game& game, const SearchOptions& options) {
    return std::make_unique<BackwardInduction>(game, options);
}

}  // namespace ludens
