// A search with a solver at its side: near the end of a game a part of the time goes to the solver, and as soon as that
// has proven what to play, its result is reported.
#include <algorithm>
#include <mutex>
#include <span>
#include <utility>

#include "base/choice_probe.hpp"
#include "base/knowledge.hpp"
#include "base/simulator.hpp"
#include "base/threads.hpp"
#include "search/search.hpp"

namespace ludens {

namespace {

constexpr int soon_steps = 28;  // of random games: who chooses at once later than that has no solver for it

class SolverAssistedSearch final : public Search {
public:
    SolverAssistedSearch(std::unique_ptr<Search> search, std::unique_ptr<Search> solver, const Game& game,
                         const SearchOptions& options)
        : search_(std::move(search)), solver_(std::move(solver)), share_(options.solver_share),
          steps_(options.solver_steps), knowledge_(options.knowledge), initial_(game.initial()),
          probe_(game.machine({.lanes = 64, .instruction_set = "", .seed = options.seed})),
          sums_(static_cast<std::size_t>(game.roles())), squares_(sums_) {
        near_ = is_near_the_end(nullptr);
    }

    void set_root(const Word* state) override {
        {
            const std::lock_guard quiet(reporting_);
            search_->set_root(state);
            solver_->set_root(state);
        }
        near_ = is_near_the_end(state);
    }

    // The search has all the time that the solver leaves: one that does not understand such a root, or has looked as deep
    // as it can, has nothing to do.
    void go_on(double seconds, std::int64_t playouts) override {
        if (!near_ || search_->stats().solved) return search_->go_on(seconds, playouts);
        const Deadline deadline(seconds);
        const auto states = static_cast<std::int64_t>(share_ * static_cast<double>(playouts));
        if (seconds > 0 || states > 0) solver_->go_on(seconds * share_, states);
        if (!solver_->stats().solved && !deadline.passed()) search_->go_on(deadline.seconds_left(), playouts);
    }

    void suggest(const std::vector<int>& line) override { search_->suggest(line); }
    std::vector<Word> shared_stats(int most) const override { return search_->shared_stats(most); }
    void take_stats(int peer, std::span<const Word> words) override { search_->take_stats(peer, words); }
    SharingCosts sharing_costs() const override { return search_->sharing_costs(); }

    void stop() override {
        solver_->stop();
        search_->stop();
    }
    void forget_stop() override {
        solver_->forget_stop();
        search_->forget_stop();
    }

    SearchStats stats() const override {
        const std::lock_guard quiet(reporting_);
        SearchStats stats = search_->stats();
        const SearchStats solver = solver_->stats();
        stats.playouts += solver.playouts;
        stats.state_changes += solver.state_changes;
        stats.memory_bytes += solver.memory_bytes;
        stats.solved |= solver.solved;
        return stats;
    }

    RootMoves root_moves(int role) const override {
        const std::lock_guard quiet(reporting_);
        return known_moves(role);
    }

    int choose_move(const std::vector<RootMove>& moves) const override { return search_->choose_move(moves); }

    // The line of the search; where the solver has proven that another move is to be played, that move alone.
    std::vector<int> expected_line(int room) const override {
        const std::lock_guard quiet(reporting_);
        std::vector<int> line = reporter().expected_line(room);
        const std::size_t roles = sums_.size();
        for (std::size_t role = 0; role < roles && role < line.size(); ++role) {
            const RootMoves known = known_moves(static_cast<int>(role));
            const auto expected = std::ranges::find(known.moves, line[role], &RootMove::move);
            if (known.best < 0 || expected == known.moves.end()) continue;
            const RootMove& best = known.moves[static_cast<std::size_t>(known.best)];
            if (best.move == line[role] || (best.proven < 0 && expected->proven < 0)) continue;
            line.resize(roles);
            line[role] = best.move;
        }
        return line;
    }

private:
    // The search whose results count.
    const Search& reporter() const { return solver_->stats().solved ? *solver_ : *search_; }

    // What the search knows of the moves, and what the solver has proven of them.
    RootMoves known_moves(int role) const {
        RootMoves known = reporter().root_moves(role);
        if (take_proofs(solver_->root_moves(role).moves, known.moves)) known.best = best_of_proven(known);
        return known;
    }

    // Takes over what is proven of some moves; returns whether that is any news.
    static bool take_proofs(const std::vector<RootMove>& proven, std::vector<RootMove>& moves) {
        bool news = false;
        for (RootMove& move : moves) {
            const auto found = std::ranges::find(proven, move.move, &RootMove::move);
            if (move.proven >= 0 || found == proven.end() || found->proven < 0) continue;
            move.proven = found->proven;
            move.value = found->proven;
            news = true;
        }
        return news;
    }

    // Returns the place of the move that the search would play, or of a proven one that brings more; where it is proven
    // itself, of any.
    int best_of_proven(const RootMoves& known) const {
        const RootMove& own = known.moves[static_cast<std::size_t>(known.best)];
        std::vector<RootMove> rivals = known.moves;
        if (own.proven < 0)
            std::erase_if(rivals, [&](const RootMove& m) { return m.proven < 0 && m.move != own.move; });
        const int move = rivals[static_cast<std::size_t>(search_->choose_move(rivals))].move;
        return static_cast<int>(std::ranges::find(known.moves, move, &RootMove::move) - known.moves.begin());
    }

    // Whether random games from a state are short, or something is known of states near it.
    bool is_near_the_end(const Word* state) {
        if (knowledge_ && knowledge_->is_near(state ? state : initial_.data())) return true;
        const auto games = probe_.machine().lanes();
        const auto played = probe_.playouts(state, games, 0, 2 * steps_, sums_.data(), squares_.data());
        return played.state_changes <= std::int64_t{steps_} * games;
    }

    const std::unique_ptr<Search> search_, solver_;
    const double share_;
    const int steps_;
    const std::shared_ptr<const Knowledge> knowledge_;
    const std::span<const Word> initial_;
    Simulator probe_;  // of the length of games
    std::vector<double> sums_, squares_;
    bool near_;
    mutable std::mutex reporting_;  // held while reporting, and while one of the two may have another root
};

}  // namespace

std::vector<std::string> solvers_of(const Game& game) {
    std::vector<std::string> solvers{"alphabeta"};
    // Where goals do not make up 100 roles need not be each other's worst enemies, which it would take them for.
    if (game.constant_sum() && ChoiceProbe(game).several_choose_soon(game.initial().data(), soon_steps))
        solvers.emplace_back("backward_induction");
    return solvers;
}

std::unique_ptr<Search> with_solver(std::unique_ptr<Search> search, const std::string& solver, const Game& game,
                                    const SearchOptions& options) {
    SearchOptions for_solver = options;
    for_solver.strategy = solver;
    for_solver.solver_share = 0;
    for_solver.memory_bytes = solver_bytes(options);
    return std::make_unique<SolverAssistedSearch>(std::move(search), make_search(game, for_solver), game, options);
}

}  // namespace ludens
