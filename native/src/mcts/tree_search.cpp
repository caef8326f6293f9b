#include "mcts/tree_search.hpp"

#include <algorithm>
#include <cmath>

namespace ludens {

namespace {

constexpr int most_leaves = 1 << 20;

void require(bool holds, const char* message) {
    if (!holds) throw Error(message);
}

const SearchOptions& checked(const SearchOptions& options) {
    require(options.threads >= 1 && options.threads <= 1024, "threads must be between 1 and 1024");
    require(std::isfinite(options.exploration) && options.exploration >= 0,
            "exploration must be a number that is not negative");
    require(options.playouts_per_leaf >= 1, "playouts_per_leaf must be at least 1");
    require(options.expand_after >= 0, "expand_after must not be negative");
    require(options.max_steps >= 1, "max_steps must be at least 1");
    return options;
}

}  // namespace

TreeSearch::TreeSearch(const Game& game, const SearchOptions& options, std::unique_ptr<Selection> selection)
    : game_(game),
      options_(checked(options)),
      selection_(std::move(selection)),
      reader_(game.machine({.lanes = 64, .instruction_set = "", .seed = 0})),
      board_(options.threads),
      bulletins_(options.threads) {
    for (int i = 0; i < options_.threads; ++i) {
        workers_.push_back(std::make_unique<Worker>(game_, board_, bulletins_, *selection_, options_, i));
    }
    set_root(nullptr);
}

// ---- The root ------------------------------------------------------------------------------------------------

void TreeSearch::set_root(const Word* state) {
    const std::lock_guard alone(running_), quiet(reporting_);
    const Reading reading = read(state == nullptr ? game_.initial().data() : state);
    has_root_ = false;
    for (const auto& worker : workers_) {
        require(worker->set_root(reading), "memory_bytes is too small for the moves of this root");
    }
    has_root_ = true;
}

Reading TreeSearch::read(const Word* state) {
    const int lane = 0;
    const Machine::Start start{lane, state, nullptr};
    reader_->load({&start, 1});
    reader_->evaluate();
    Reading reading{state, (reader_->parked()[0] & 1) != 0, std::vector<Word>(game_.move_words()),
                    std::vector<int>(game_.roles())};
    if (reading.over) {
        reader_->read_goals({&lane, 1}, reading.goals.data());
        std::replace(reading.goals.begin(), reading.goals.end(), -1, middle_goal);
    } else {
        reader_->read_legal({&lane, 1}, reading.legal.data());
    }
    return reading;
}

// ---- Running -------------------------------------------------------------------------------------------------

void TreeSearch::run(double seconds, std::int64_t playouts) {
    const std::lock_guard alone(running_);
    require(has_root_, "the search has no root");
    limit_.begin(seconds, playouts);
    limit_.solved = board_.solved();
    run_in_threads(workers_, limit_.stopped, [&](Worker& worker) { worker.run(limit_); });
}

// ---- Leaves that others look at ------------------------------------------------------------------------------

void TreeSearch::collect(int room, std::vector<Word>& states, std::vector<std::int64_t>& tickets) {
    require(room >= 1 && room <= most_leaves, "a batch has 1 to a million leaves");
    const std::lock_guard alone(running_);
    require(has_root_, "the search has no root");
    Worker& worker = only_worker();
    if (!board_.solved()) worker.hand_out(room, states, tickets);
}

void TreeSearch::report(std::span<const std::int64_t> tickets, const double* goals, int games) {
    require(games >= 1, "a result is that of one game at least");
    const std::lock_guard alone(running_);
    only_worker().take_back(tickets, goals, games);
}

Worker& TreeSearch::only_worker() {
    require(workers_.size() == 1, "a search whose leaves are looked at elsewhere has one thread");
    return *workers_[0];
}

void TreeSearch::stop() { limit_.stopped = true; }

// ---- Reports -------------------------------------------------------------------------------------------------

SearchStats TreeSearch::stats() const {
    const std::lock_guard quiet(reporting_);
    return board_.stats();
}

RootMoves TreeSearch::root_moves(int role) const {
    require(role >= 0 && role < game_.roles(), "there is no such role");
    const std::lock_guard quiet(reporting_);
    require(has_root_, "the search has no root");
    return board_.report(role, *selection_);
}

std::vector<int> TreeSearch::expected_line(int room) const {
    const std::lock_guard quiet(reporting_);
    if (!has_root_) return {};
    std::vector<int> line = board_.line();
    line.resize(
        std::min(line.size(), static_cast<std::size_t>(std::max(room, 0)) * static_cast<std::size_t>(game_.roles())));
    return line;
}

}  // namespace ludens
