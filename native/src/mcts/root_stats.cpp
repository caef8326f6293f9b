#include "mcts/root_stats.hpp"

#include <algorithm>
#include <limits>

namespace ludens::mcts {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

void add(RootMoveStats& sum, const RootMoveStats& edge) {
    sum.add(edge);
    sum.closed = sum.closed && edge.closed;
}

RootMove summary(const RootMoveStats& edge) {
    double value = edge.closed ? edge.upper : edge.goals / static_cast<double>(edge.visits);
    if (edge.proven() >= 0) value = edge.proven();
    return {edge.move, edge.visits, edge.visits == 0 ? unknown : value, edge.proven()};
}

// Returns, of the moves with that proven goal, the one that wins soonest or loses latest; -1: there is none.
int proven_move(const std::map<int, RootMoveStats>& moves, int goal) {
    const RootMoveStats* best = nullptr;
    for (const auto& [move, edge] : moves) {
        if (edge.proven() != goal) continue;
        const bool sooner = best != nullptr && edge.distance < best->distance;
        const bool later = best != nullptr && edge.distance > best->distance;
        if (best == nullptr || (goal > 50 ? sooner : later)) best = &edge;
    }
    return best == nullptr ? -1 : best->move;
}

}  // namespace

void RootStats::write(int thread, const ThreadRootStats& stats) {
    const std::lock_guard lock(mutex_);
    threads_[static_cast<std::size_t>(thread)] = stats;
}

// What all threads found out about the moves of a role, by move.
std::map<int, RootMoveStats> RootStats::merged_moves(int role) const {
    std::map<int, RootMoveStats> merged;
    for (const ThreadRootStats& thread : threads_) {
        for (const RootMoveStats& edge : thread.edges) {
            if (edge.role != role) continue;
            const auto [known, first] = merged.try_emplace(edge.move, edge);
            if (!first) add(known->second, edge);
        }
    }
    return merged;
}

// ---- Reports -------------------------------------------------------------------------------------------------

SearchStats RootStats::stats() const {
    const std::lock_guard lock(mutex_);
    SearchStats sum{};
    for (const ThreadRootStats& thread : threads_) {
        const SearchStats& one = thread.counters;
        sum.playouts += one.playouts;
        sum.iterations += one.iterations;
        sum.state_changes += one.state_changes;
        sum.nodes += one.nodes;
        sum.recycled += one.recycled;
        sum.memory_bytes += one.memory_bytes;
        sum.depth = std::max(sum.depth, one.depth);
        sum.bytes_per_node = std::max(sum.bytes_per_node, one.bytes_per_node);
        sum.root_visits += thread.visits;
        sum.solved = sum.solved || thread.solved();
    }
    return sum;
}

bool RootStats::solved() const {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(threads_, &ThreadRootStats::solved);
}

RootMoves RootStats::root_moves(int role, const Selection& selection) const {
    const std::lock_guard lock(mutex_);
    const ThreadRootStats& any = threads_[0];
    if (any.over) return {{}, -1};
    if (const int move = any.forced[static_cast<std::size_t>(role)]; move >= 0) return {{forced_move(role, move)}, 0};
    const std::map<int, RootMoveStats> merged = merged_moves(role);
    std::vector<RootMove> all, open;
    for (const auto& [move, edge] : merged) {
        all.push_back(summary(edge));
        if (!edge.closed) open.push_back(all.back());
    }
    if (all.empty()) return {{}, -1};
    int best = -1;
    for (const ThreadRootStats& thread : threads_) {
        if (best < 0 && thread.mover == role && thread.proven >= 0) best = proven_move(merged, thread.proven);
    }
    if (best < 0) best = open[static_cast<std::size_t>(selection.best(open))].move;
    return {all, static_cast<int>(std::ranges::find(all, best, &RootMove::move) - all.begin())};
}

// The only move of a role: it is visited as often as the root, and worth what the root is.
RootMove RootStats::forced_move(int role, int move) const {
    RootMoveStats root{{.move = move}, role};
    std::int64_t counted = 0;
    for (const ThreadRootStats& thread : threads_) {
        const double goals = thread.goals[static_cast<std::size_t>(role)];
        RootMoveStats one{{.move = move, .visits = thread.visits, .goals = goals}, role};
        one.lower = thread.bounds[2 * static_cast<std::size_t>(role)];
        one.upper = thread.bounds[2 * static_cast<std::size_t>(role) + 1];
        add(root, one);
        counted += thread.counted;
    }
    return {move, root.visits, counted == 0 ? unknown : root.goals / static_cast<double>(counted), root.proven()};
}

std::vector<int> RootStats::line() const {
    const std::lock_guard lock(mutex_);
    const ThreadRootStats* best = &threads_[0];
    std::int64_t most = -1;
    for (const ThreadRootStats& thread : threads_) {
        const std::int64_t visits = support(thread);
        if (visits <= most) continue;
        best = &thread;
        most = visits;
    }
    return best->line;
}

// How often all threads together tried the moves that the thread's line begins with; more than any number for a proven
// line.
std::int64_t RootStats::support(const ThreadRootStats& thread) const {
    if (thread.line.empty()) return 0;
    if (thread.solved()) return std::numeric_limits<std::int64_t>::max();
    std::int64_t visits = 0;
    for (const ThreadRootStats& any : threads_) {
        for (const RootMoveStats& edge : any.edges) {
            if (thread.line[static_cast<std::size_t>(edge.role)] == edge.move) visits += edge.visits;
        }
    }
    return visits;
}

}  // namespace ludens::mcts
