#include "mcts/root_stats.hpp"

#include <algorithm>
#include <limits>

namespace ludens {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

void add(RootEdge& sum, const RootEdge& edge) {
    sum.add(edge);
    sum.closed = sum.closed && edge.closed;
}

RootMove summary(const RootEdge& edge) {
    double value = edge.closed ? edge.upper : edge.goals / static_cast<double>(edge.visits);
    if (edge.proven() >= 0) value = edge.proven();
    return {edge.move, edge.visits, edge.visits == 0 ? unknown : value, edge.proven()};
}

// Of the moves with that proven goal, the one that wins soonest or loses latest.
int proven_move(const std::map<int, RootEdge>& moves, int goal) {
    const RootEdge* best = nullptr;
    for (const auto& [move, edge] : moves) {
        if (edge.proven() != goal) continue;
        const bool sooner = best != nullptr && edge.distance < best->distance;
        const bool later = best != nullptr && edge.distance > best->distance;
        if (best == nullptr || (goal > 50 ? sooner : later)) best = &edge;
    }
    return best == nullptr ? -1 : best->move;
}

}  // namespace

void RootBoard::write(int thread, const RootAccount& account) {
    const std::lock_guard lock(mutex_);
    accounts_[static_cast<std::size_t>(thread)] = account;
}

std::map<int, RootEdge> RootBoard::moves(int role) const {
    std::map<int, RootEdge> merged;
    for (const RootAccount& account : accounts_) {
        for (const RootEdge& edge : account.edges) {
            if (edge.role != role) continue;
            const auto [known, first] = merged.try_emplace(edge.move, edge);
            if (!first) add(known->second, edge);
        }
    }
    return merged;
}

// ---- Reports -------------------------------------------------------------------------------------------------

SearchStats RootBoard::stats() const {
    const std::lock_guard lock(mutex_);
    SearchStats sum{};
    for (const RootAccount& account : accounts_) {
        const SearchStats& one = account.stats;
        sum.playouts += one.playouts;
        sum.iterations += one.iterations;
        sum.state_changes += one.state_changes;
        sum.nodes += one.nodes;
        sum.recycled += one.recycled;
        sum.memory_bytes += one.memory_bytes;
        sum.depth = std::max(sum.depth, one.depth);
        sum.bytes_per_node = std::max(sum.bytes_per_node, one.bytes_per_node);
        sum.root_visits += account.visits;
        sum.solved = sum.solved || account.solved();
    }
    return sum;
}

bool RootBoard::solved() const {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(accounts_, &RootAccount::solved);
}

RootMoves RootBoard::report(int role, const Selection& selection) const {
    const std::lock_guard lock(mutex_);
    const RootAccount& any = accounts_[0];
    if (any.over) return {{}, -1};
    if (const int move = any.forced[static_cast<std::size_t>(role)]; move >= 0) return {{forced_move(role, move)}, 0};
    const std::map<int, RootEdge> merged = moves(role);
    std::vector<RootMove> all, open;
    for (const auto& [move, edge] : merged) {
        all.push_back(summary(edge));
        if (!edge.closed) open.push_back(all.back());
    }
    if (all.empty()) return {{}, -1};
    int best = -1;
    for (const RootAccount& account : accounts_) {
        if (best < 0 && account.mover == role && account.proven >= 0) best = proven_move(merged, account.proven);
    }
    if (best < 0) best = open[static_cast<std::size_t>(selection.best(open))].move;
    return {all, static_cast<int>(std::ranges::find(all, best, &RootMove::move) - all.begin())};
}

// The move of a role that has no other: it is visited as often as the root, and worth what that is.
RootMove RootBoard::forced_move(int role, int move) const {
    RootEdge root{{.move = move}, role};
    std::int64_t counted = 0;
    for (const RootAccount& account : accounts_) {
        const double goals = account.goals[static_cast<std::size_t>(role)];
        RootEdge one{{.move = move, .visits = account.visits, .goals = goals}, role};
        one.lower = account.bounds[2 * static_cast<std::size_t>(role)];
        one.upper = account.bounds[2 * static_cast<std::size_t>(role) + 1];
        add(root, one);
        counted += account.counted;
    }
    return {move, root.visits, counted == 0 ? unknown : root.goals / static_cast<double>(counted), root.proven()};
}

std::vector<int> RootBoard::line() const {
    const std::lock_guard lock(mutex_);
    const RootAccount* best = &accounts_[0];
    std::int64_t most = -1;
    for (const RootAccount& account : accounts_) {
        if (const std::int64_t it = support(account); it > most) best = &account, most = it;
    }
    return best->line;
}

// How often all threads together tried what the line begins with; a proven line is beyond all others.
std::int64_t RootBoard::support(const RootAccount& account) const {
    if (account.line.empty()) return 0;
    if (account.solved()) return std::numeric_limits<std::int64_t>::max();
    std::int64_t visits = 0;
    for (const RootAccount& any : accounts_) {
        for (const RootEdge& edge : any.edges) {
            if (account.line[static_cast<std::size_t>(edge.role)] == edge.move) visits += edge.visits;
        }
    }
    return visits;
}

}  // namespace ludens
