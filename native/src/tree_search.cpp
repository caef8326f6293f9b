#include "tree_search.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <system_error>
#include <thread>

namespace ludens {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

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

RunLimit::Clock::time_point deadline(double seconds) {
    using Clock = RunLimit::Clock;
    constexpr double longest = 1e8;  // three years: beyond, the clock's type could overflow
    if (seconds == 0 || seconds > longest) return Clock::time_point::max();
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

TreeSearch::TreeSearch(const Game& game, const SearchOptions& options, std::unique_ptr<Selection> selection)
    : game_(game),
      options_(checked(options)),
      selection_(std::move(selection)),
      reader_(game.machine({.lanes = 64, .instruction_set = "", .seed = 0})),
      tree_(game, options.memory_bytes, options.threads > 1) {
    for (int i = 0; i < options_.threads; ++i) {
        const std::uint64_t seed = mix(options_.seed + static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u);
        workers_.push_back(std::make_unique<Worker>(game_, tree_, *selection_, options_, seed));
    }
    const std::int64_t in_flight = std::int64_t{options_.threads} * workers_[0]->lanes();
    require(in_flight <= std::numeric_limits<std::uint16_t>::max(), "threads and lanes make more than 65535 games at once");
    set_root(nullptr);
}

// ---- The root ------------------------------------------------------------------------------------------------

void TreeSearch::set_root(const Word* state) {
    const std::lock_guard idle(running_), quiet(reporting_);
    root_ = find_or_make(state == nullptr ? game_.initial().data() : state);
    require(static_cast<bool>(root_), "memory_bytes is too small for the moves of this root");
    tree_.keep(root_.index);
    for (const auto& worker : workers_) worker->set_root(root_);
}

// No Ref where it does not fit even into an empty tree.
Ref TreeSearch::find_or_make(const Word* state) {
    const std::uint32_t hash = tree_.hash(state);
    if (const Ref known = tree_.find(state, hash)) return known;
    const Reading reading = read(state);
    const auto make = [&] {
        Store& store = workers_[0]->store();
        tree_.make_room_for(store, reading.legal.data());
        return reading.over ? tree_.make_terminal(store, state, hash, reading.goals.data())
                            : tree_.make(store, state, hash, reading.legal.data());
    };
    if (const Ref made = make()) return made;
    for (const auto& worker : workers_) worker->forget();
    tree_.clear();
    return make();
}

TreeSearch::Reading TreeSearch::read(const Word* state) {
    const int lane = 0;
    const Machine::Start start{lane, state, nullptr};
    reader_->load({&start, 1});
    reader_->evaluate();
    Reading reading{(reader_->parked()[0] & 1) != 0, std::vector<Word>(game_.move_words()),
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
    require(seconds >= 0 && playouts >= 0, "a search cannot run for less than nothing");
    const std::lock_guard alone(running_);
    require(static_cast<bool>(root_), "the search has no root");
    limit_.stopped = false;
    limit_.finished = 0;
    limit_.playouts = playouts;
    limit_.deadline = deadline(seconds);
    limit_.solved = solved();
    while (!limit_.reached()) {
        run_workers();
        if (!tree_.in_doubt()) continue;
        const std::lock_guard quiet(reporting_);
        tree_.forget_proofs();
        limit_.solved = solved();
    }
}

bool TreeSearch::solved() const {
    Node& root = tree_.node(root_.index);
    const Guard lock(root.head.lock, tree_.shared());
    return tree_.decided(root);
}

void TreeSearch::stop() { limit_.stopped = true; }

// The first worker runs in the calling thread.
void TreeSearch::run_workers() {
    std::exception_ptr failure;
    std::mutex failing;
    const auto work = [&](Worker& worker) {
        try {
            worker.run(limit_);
        } catch (...) {
            limit_.stopped = true;
            const std::lock_guard lock(failing);
            if (!failure) failure = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> threads;
        try {
            for (std::size_t i = 1; i < workers_.size(); ++i) threads.emplace_back(work, std::ref(*workers_[i]));
        } catch (const std::system_error& error) {
            limit_.stopped = true;
            throw Error(std::string("a thread of the search could not be started: ") + error.what());
        }
        work(*workers_[0]);
    }
    if (failure) std::rethrow_exception(failure);
}

// ---- Reports -------------------------------------------------------------------------------------------------

SearchStats TreeSearch::stats() const {
    SearchStats stats{};
    for (const auto& worker : workers_) {
        const Progress& progress = worker->progress();
        stats.playouts += progress.playouts;
        stats.iterations += progress.iterations;
        stats.state_changes += progress.state_changes;
        stats.depth = std::max(stats.depth, progress.depth.load());
        stats.nodes += worker->store().made - worker->store().recycled;
        stats.recycled += worker->store().recycled;
    }
    stats.memory_bytes = tree_.bytes();
    stats.bytes_per_node = tree_.bytes_per_node();
    const std::lock_guard quiet(reporting_);
    if (!root_) return stats;
    Node& root = tree_.node(root_.index);
    const Guard lock(root.head.lock, tree_.shared());
    stats.root_visits = root.head.visits - tree_.in_flight(root);
    stats.solved = tree_.decided(root);
    return stats;
}

RootMoves TreeSearch::root_moves(int role) const {
    require(role >= 0 && role < game_.roles(), "there is no such role");
    const std::lock_guard quiet(reporting_);
    require(static_cast<bool>(root_), "the search has no root");
    Node& root = tree_.node(root_.index);
    const Guard lock(root.head.lock, tree_.shared());
    RootMoves all{{}, -1};
    if (root.head.kind == NodeHead::terminal) return all;
    const Index first = tree_.first_chunk(root, root_.index, role);
    if (first == nothing) {
        if (const int move = tree_.move(root, role, {}); move >= 0) all = {{forced_move(root, role, move)}, 0};
        return all;
    }
    int proven = -1;
    if (root.head.kind == NodeHead::turn_of + role && tree_.decided(root)) {
        proven = tree_.move(root, role, tree_.proven_edge(root, root_.index));
    }
    std::vector<RootMove> open;
    list_edges(first, all.moves, open);
    const int best = proven >= 0 ? proven : open[static_cast<std::size_t>(selection_->best(open))].move;
    std::ranges::sort(all.moves, {}, &RootMove::move);
    all.best = static_cast<int>(std::ranges::find(all.moves, best, &RootMove::move) - all.moves.begin());
    return all;
}

// The move of a role that has no other: it is visited as often as the root, and worth what that is.
RootMove TreeSearch::forced_move(Node& root, int role, int move) const {
    std::int64_t visits = 0;
    double goals = 0;
    for (const auto& worker : workers_) {
        visits += worker->progress().root_visits;
        goals += worker->progress().root_goals[static_cast<std::size_t>(role)];
    }
    const std::span bounds = tree_.bounds(root);
    const bool exact = bounds[2 * role] == bounds[2 * role + 1];
    return {move, root.head.visits - tree_.in_flight(root), visits == 0 ? unknown : goals / static_cast<double>(visits),
            exact ? bounds[2 * role] : -1};
}

// All moves from `first` on, and apart those that may be the best.
void TreeSearch::list_edges(Index first, std::vector<RootMove>& all, std::vector<RootMove>& open) const {
    tree_.each_move(first, [&](const Chunk* c, int place, int move) {
        RootMove it{move, 0, unknown, -1};
        const bool closed = c != nullptr && c->mean[place] == Chunk::closed;
        if (c != nullptr) {
            it.visits = c->completed(place);
            it.proven = tree_.proven(*c, place);
            if (it.visits > 0) it.value = closed ? c->upper[place] : c->mean[place];
        }
        all.push_back(it);
        if (!closed) open.push_back(it);
    });
}

std::vector<int> TreeSearch::expected_line(int room) const {
    const std::lock_guard quiet(reporting_);
    std::vector<int> line;
    Ref at = root_;
    while (at && line.size() < static_cast<std::size_t>(std::max(room, 0)) * game_.roles()) at = follow(at, line);
    return line;
}

// Appends the joint move that is best by what is known, if anything is, and returns the node it leads to.
Ref TreeSearch::follow(Ref at, std::vector<int>& line) const {
    Node& node = tree_.node(at.index);
    const Guard lock(node.head.lock, tree_.shared());
    const bool decided = tree_.decided(node);
    if (node.head.generation != at.generation || node.head.kind == NodeHead::terminal) return {};
    if (node.head.visits == tree_.in_flight(node) && !decided) return {};
    std::vector<Choice> choices;
    for (int r = 0; r < game_.roles(); ++r) {
        const Index first = tree_.first_chunk(node, at.index, r);
        if (first != nothing) choices.push_back({decided ? tree_.proven_edge(node, at.index) : most_visited_edge(first)});
        const bool simultaneous = node.head.kind == NodeHead::simultaneous;
        if (first == nothing && simultaneous) choices.emplace_back();
        line.push_back(tree_.move(node, r, first == nothing ? Edge{} : choices.back().edge));
    }
    return tree_.child(node, at.index, choices.data());
}

// Of those that are still open.
Edge TreeSearch::most_visited_edge(Index first) const {
    Edge best;
    for (Index i = first; is_chunk(i); i = tree_.chunk(i).next) {
        const Chunk& c = tree_.chunk(i);
        for (int p = 0; p < Chunk::size; ++p) {
            if (c.move[p] < 0 || c.mean[p] == Chunk::closed) continue;
            if (!best || c.completed(p) > tree_.chunk(best.chunk).completed(best.place)) best = {i, p};
        }
    }
    return best;
}

}  // namespace ludens
