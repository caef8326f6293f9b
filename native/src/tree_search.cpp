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
      tree_(game, options.memory_bytes) {
    for (int i = 0; i < options_.threads; ++i) {
        const std::uint64_t seed = mix(options_.seed + static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u);
        workers_.push_back(std::make_unique<Worker>(game_, tree_, *selection_, options_, seed));
    }
    set_root(nullptr);
}

// ---- The root ------------------------------------------------------------------------------------------------

void TreeSearch::set_root(const Word* state) {
    const std::lock_guard idle(running_), quiet(reporting_);
    root_ = find_or_make(state == nullptr ? game_.initial().data() : state);
    require(static_cast<bool>(root_), "memory_bytes is too small for the moves of this root");
    tree_.keep(root_.index);
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
    if (tree_.node(root_.index).kind == Node::terminal) return;
    limit_.stopped = false;
    limit_.finished = 0;
    limit_.playouts = playouts;
    limit_.deadline = deadline(seconds);
    run_workers();
}

void TreeSearch::stop() { limit_.stopped = true; }

// The first worker runs in the calling thread.
void TreeSearch::run_workers() {
    std::exception_ptr failure;
    std::mutex failing;
    const auto work = [&](Worker& worker) {
        try {
            worker.run(root_, limit_);
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
    const Guard lock(root.lock);
    stats.root_visits = root.visits;
    return stats;
}

RootMoves TreeSearch::root_moves(int role) const {
    RootMoves all{list_root_moves(role), -1};
    all.best = selection_->best(all.moves);
    return all;
}

std::vector<RootMove> TreeSearch::list_root_moves(int role) const {
    require(role >= 0 && role < game_.roles(), "there is no such role");
    const std::lock_guard quiet(reporting_);
    require(static_cast<bool>(root_), "the search has no root");
    Node& root = tree_.node(root_.index);
    const Guard lock(root.lock);
    std::vector<RootMove> moves;
    if (root.kind == Node::terminal) return moves;
    const auto add = [&](int move, std::uint32_t visits, double sum) {
        if (move < 0) return;  // a blank place
        const double unknown = std::numeric_limits<double>::quiet_NaN();
        moves.push_back({move, visits, visits == 0 ? unknown : sum / visits, -1});
    };
    const Group& group = tree_.groups(root)[role];
    if (group.edges == 0) add(static_cast<int>(group.first), root.visits, group.sum);
    for (Index i = group.edges == 0 ? nothing : group.first; i != nothing; i = tree_.chunk(i).next) {
        const Chunk& chunk = tree_.chunk(i);
        for (int p = 0; p < Chunk::size; ++p) add(chunk.move[p], chunk.visits[p], chunk.sum[p]);
    }
    std::sort(moves.begin(), moves.end(), [](const auto& a, const auto& b) { return a.move < b.move; });
    return moves;
}

std::vector<int> TreeSearch::expected_line(int room) const {
    const std::lock_guard quiet(reporting_);
    std::vector<int> line;
    Ref at = root_;
    while (at && line.size() < static_cast<std::size_t>(std::max(room, 0)) * game_.roles()) at = follow(at, line);
    return line;
}

// Appends the most visited joint move, if any was, and returns the node it leads to, if that is known.
Ref TreeSearch::follow(Ref at, std::vector<int>& line) const {
    Node& node = tree_.node(at.index);
    const Guard lock(node.lock);
    if (node.generation != at.generation || node.kind == Node::terminal || node.visits == 0) return {};
    std::vector<Choice> choices;
    for (const Group& group : tree_.groups(node)) {
        choices.push_back({group.edges == 0 ? nothing : most_visited_edge(group)});
        line.push_back(tree_.move(group, choices.back().edge));
    }
    return tree_.child(node, at.index, choices.data());
}

Edge TreeSearch::most_visited_edge(const Group& group) const {
    Edge best = group.first * Chunk::size;
    const auto visits = [&](Edge edge) { return tree_.chunk(chunk_of(edge)).visits[place_of(edge)]; };
    for (Index i = group.first; i != nothing; i = tree_.chunk(i).next) {
        for (Edge edge = i * Chunk::size; chunk_of(edge) == i; ++edge) {
            if (tree_.chunk(i).move[place_of(edge)] >= 0 && visits(edge) > visits(best)) best = edge;
        }
    }
    return best;
}

}  // namespace ludens
