#include "mcts/tree_search.hpp"

#include <algorithm>
#include <cmath>

namespace ludens::mcts {

namespace {

void require(bool holds, const char* message) {
    if (!holds) throw Error(message);
}

}  // namespace

TreeSearch::TreeSearch(const Game& game, const SearchOptions& options, std::unique_ptr<Selection> selection)
    : game_(game), options_(options), selection_(std::move(selection)),
      inspector_(game.machine({.lanes = 64, .instruction_set = "", .seed = 0})), root_stats_(options.threads),
      exchange_(options.threads, options.peers) {
    for (int i = 0; i < options_.threads; ++i) {
        threads_.push_back(std::make_unique<SearchThread>(game_, root_stats_, exchange_, *selection_, options_, i));
    }
    set_root(nullptr);
}

// ---- The root ------------------------------------------------------------------------------------------------

void TreeSearch::set_root(const Word* state) {
    const std::lock_guard alone(running_), quiet(reporting_);
    const RootPosition position = inspect(state == nullptr ? game_.initial().data() : state);
    has_root_ = false;
    for (const auto& thread : threads_) {
        require(thread->set_root(position), "memory_bytes is too small for the moves of this root");
    }
    has_root_ = true;
    root_key_ = StatsSnapshot::key({position.state, static_cast<std::size_t>(game_.state_words())});
    report_peers();
}

RootPosition TreeSearch::inspect(const Word* state) {
    const int lane = 0;
    const Machine::Start start{lane, state, nullptr};
    inspector_->look_at({&start, 1});
    RootPosition position{state, is_set(inspector_->finished(), 0), std::vector<Word>(game_.move_words()),
                          std::vector<int>(game_.roles())};
    if (position.over) {
        inspector_->read_goals({&lane, 1}, position.goals.data());
        std::replace(position.goals.begin(), position.goals.end(), -1, middle_goal);
    } else {
        inspector_->read_legal({&lane, 1}, position.legal.data());
    }
    return position;
}

// ---- Running -------------------------------------------------------------------------------------------------

void TreeSearch::go_on(double seconds, std::int64_t playouts) {
    const std::lock_guard alone(running_);
    require(has_root_, "the search has no root");
    limit_.begin_unless_stopped(seconds, playouts);
    limit_.solved = root_stats_.solved();
    run_in_threads(threads_, limit_.stopped, [&](SearchThread& thread) { thread.run(limit_); });
}

// ---- Leaves whose games others play ------------------------------------------------------------------------------

void TreeSearch::collect(int room, std::vector<Word>& states, std::vector<std::int64_t>& tickets) {
    require(room >= 1, "a batch has one leaf at least");
    const std::lock_guard alone(running_);
    require(has_root_, "the search has no root");
    SearchThread& thread = only_thread();
    if (!root_stats_.solved()) thread.collect_leaves(room, states, tickets);
}

void TreeSearch::report(std::span<const std::int64_t> tickets, const double* goals, int games) {
    require(games >= 1, "a result is that of one game at least");
    const std::lock_guard alone(running_);
    only_thread().report_leaves(tickets, goals, games);
}

SearchThread& TreeSearch::only_thread() {
    require(threads_.size() == 1, "only a search of one thread hands out its leaves");
    return *threads_[0];
}

void TreeSearch::stop() { limit_.stopped = true; }

void TreeSearch::forget_stop() { limit_.stopped = false; }

// ---- Statistics for and from searches elsewhere ------------------------------------------------------------------

std::vector<Word> TreeSearch::shared_stats(int most) const { return exchange_.sum_of_threads(most).words(); }

void TreeSearch::take_stats(int peer, std::span<const Word> words) {
    require(peer >= 0 && peer < options_.peers, "there is no such peer");
    auto told = std::make_shared<const StatsSnapshot>(StatsSnapshot::from_words(words, game_));
    if (told->sums == SumReliance::refuted) exchange_.sums_differ = true;
    exchange_.publish_of_peer(peer, std::move(told));
    // A run looks at the sums by itself, after every round.
    if (const std::unique_lock idle(running_, std::try_to_lock); idle && has_root_)
        for (const auto& thread : threads_) thread->compare_ends();
    const std::lock_guard quiet(reporting_);
    if (has_root_) report_peers();
}

void TreeSearch::report_peers() { root_stats_.write_peers(exchange_.sum_of_peers(root_key_)); }

// ---- Reports -------------------------------------------------------------------------------------------------

SharingCosts TreeSearch::sharing_costs() const { return root_stats_.sharing_costs(); }

SearchStats TreeSearch::stats() const {
    const std::lock_guard quiet(reporting_);
    return root_stats_.stats();
}

RootMoves TreeSearch::root_moves(int role) const {
    const std::lock_guard quiet(reporting_);
    require(has_root_, "the search has no root");
    return root_stats_.root_moves(role, *selection_);
}

std::vector<int> TreeSearch::expected_line(int room) const {
    const std::lock_guard quiet(reporting_);
    if (!has_root_) return {};
    std::vector<int> line = root_stats_.line();
    line.resize(
        std::min(line.size(), static_cast<std::size_t>(std::max(room, 0)) * static_cast<std::size_t>(game_.roles())));
    return line;
}

}  // namespace ludens::mcts
