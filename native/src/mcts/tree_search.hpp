// A Monte Carlo tree search of one game: its threads, each with a tree, and what they report.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "mcts/root_stats.hpp"
#include "mcts/search_thread.hpp"
#include "mcts/selection.hpp"
#include "search/search.hpp"

namespace ludens::mcts {

class TreeSearch final : public Search {
public:
    // The initial state becomes the root. Throws Error on options out of their range.
    TreeSearch(const Game& game, const SearchOptions& options, std::unique_ptr<Selection> selection);

    // See Search. A visit of a terminal node counts as a playout.
    void set_root(const Word* state) override;
    void go_on(double seconds, std::int64_t playouts) override;
    void stop() override;
    void forget_stop() override;
    std::vector<Word> shared_stats(int most) const override;
    void take_stats(int peer, std::span<const Word> words) override;
    void collect(int room, std::vector<Word>& states, std::vector<std::int64_t>& tickets) override;
    void report(std::span<const std::int64_t> tickets, const double* goals, int games) override;
    SearchStats stats() const override;
    SharingCosts sharing_costs() const override;
    RootMoves root_moves(int role) const override;
    int choose_move(const std::vector<RootMove>& moves) const override { return selection_->best(moves); }
    std::vector<int> expected_line(int room) const override;

private:
    RootPosition inspect(const Word* state);
    void report_peers();
    SearchThread& only_thread();

    const Game& game_;
    const SearchOptions options_;
    std::unique_ptr<Selection> selection_;
    std::unique_ptr<Machine> inspector_;
    RootStats root_stats_;
    StatsExchange exchange_;
    std::vector<std::unique_ptr<SearchThread>> threads_;
    RunLimit limit_;
    std::mutex running_;            // held by whatever changes trees; taken before the next one
    mutable std::mutex reporting_;  // held while reporting and while the root changes
    bool has_root_ = false;
    std::uint64_t root_key_ = 0;  // in snapshots of statistics
};

}  // namespace ludens::mcts
