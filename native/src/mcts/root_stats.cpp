#include "mcts/root_stats.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace ludens::mcts {

namespace {

constexpr std::size_t longest_line = 100;  // steps
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

// The edge of the move to play, as move_to_play() has it.
Edge edge_to_play(const Tree& tree, Index first) {
    std::vector<Edge> edges;
    std::vector<RootMove> moves;
    for_each_edge(tree, first, [&](Edge edge, const EdgeBlock& c) {
        const int p = edge.place;
        if (c.mean[p] == EdgeBlock::closed) return;
        const std::uint32_t visits = c.completed(p);
        edges.push_back(edge);
        moves.push_back({c.move[p], visits, visits == 0 ? unknown : double{c.mean[p]}, tree.proven(c, p)});
    });
    const int best = move_to_play(moves);
    return best < 0 ? Edge{} : edges[static_cast<std::size_t>(best)];
}

}  // namespace

void RootStats::write(int thread, ThreadRootStats& stats) {
    const TimedLock lock(mutex_, stats.costs.locks);
    threads_[static_cast<std::size_t>(thread)] = stats;
}

void RootStats::write_peers(std::vector<EdgeStats> edges) {
    const std::lock_guard lock(mutex_);
    peers_ = std::move(edges);
}

// What all threads and peers found out about the moves of a role, by move.
std::map<int, RootMoveStats> RootStats::merged_moves(int role) const {
    std::map<int, RootMoveStats> merged;
    for (const ThreadRootStats& thread : threads_) {
        for (const RootMoveStats& edge : thread.edges) {
            if (edge.role != role) continue;
            const auto [known, first] = merged.try_emplace(edge.move, edge);
            if (!first) add(known->second, edge);
        }
    }
    if (threads_[0].mover != role) return merged;
    for (const EdgeStats& edge : peers_)
        if (const auto known = merged.find(edge.move); known != merged.end()) known->second.add(edge);
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
    for (const EdgeStats& edge : peers_) sum.root_visits += edge.visits;
    return sum;
}

SharingCosts RootStats::sharing_costs() const {
    const std::lock_guard lock(mutex_);
    SharingCosts sum;
    for (const ThreadRootStats& thread : threads_) {
        sum.updates += thread.costs.updates;
        sum.locks.add(thread.costs.locks);
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
    int best = any.mover == role ? proven_move() : -1;
    if (best < 0) best = open[static_cast<std::size_t>(selection.best(open))].move;
    return {all, static_cast<int>(std::ranges::find(all, best, &RootMove::move) - all.begin())};
}

// Returns, of the moves that are proven to be as good as any, the one that wins soonest or loses latest, of equal ones
// the lowest; -1: there is none.
int RootStats::proven_move() const {
    const auto solved = std::ranges::find_if(threads_, [](const ThreadRootStats& t) { return t.proven >= 0; });
    if (solved == threads_.end()) return -1;
    const std::map<int, RootMoveStats> merged = merged_moves(solved->mover);
    const RootMoveStats* best = nullptr;
    for (const auto& [move, edge] : merged) {
        if (edge.proven() != solved->proven) continue;
        if (best == nullptr || ends_better(solved->proven, edge.distance, move, best->distance, best->move))
            best = &edge;
    }
    return best == nullptr ? -1 : best->move;
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
    const ThreadRootStats& any = threads_[0];
    const int proven = proven_move();
    const ThreadRootStats* best = nullptr;
    std::int64_t most = -1;
    for (const ThreadRootStats& thread : threads_) {
        const bool fits =
            proven < 0 || (!thread.line.empty() && thread.line[static_cast<std::size_t>(any.mover)] == proven);
        const std::int64_t visits = support(thread);
        if (!fits || visits <= most) continue;
        best = &thread;
        most = visits;
    }
    if (best != nullptr) return best->line;
    std::vector<int> joint = any.forced;  // no thread knows what follows
    joint[static_cast<std::size_t>(any.mover)] = proven;
    return joint;
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

// ---- What one thread knows ----------------------------------------------------------------------------------

void RootReporter::write(ThreadRootStats& stats) const {
    Node& root = tree_.node(root_.index);
    stats.over = root.head.kind == NodeHead::terminal;
    stats.mover = root.head.kind < NodeHead::turn_of ? -1 : root.head.kind - NodeHead::turn_of;
    const std::span bounds = tree_.bounds(root);
    stats.bounds.assign(bounds.begin(), bounds.end());
    stats.proven = stats.mover >= 0 && tree_.decided(root) ? bounds[2 * static_cast<std::size_t>(stats.mover)] : -1;
    stats.edges.clear();
    stats.forced.assign(static_cast<std::size_t>(tree_.roles()), -1);
    for (int r = 0; r < tree_.roles() && !stats.over; ++r) {
        if (tree_.first_block(root, root_.index, r) == nothing) {
            stats.forced[static_cast<std::size_t>(r)] = tree_.move(root, r, {});
        } else {
            list_edges(root, r, stats.edges);
        }
    }
    stats.visits = sync_.own_visits(root_);
    stats.line.clear();
    const std::size_t room = longest_line * static_cast<std::size_t>(tree_.roles());
    for (Ref at = root_; at && stats.line.size() < room;) at = follow(at, stats.line);
    root_stats_.write(thread_, stats);
}

void RootReporter::list_edges(Node& root, int role, std::vector<RootMoveStats>& edges) const {
    tree_.each_move(tree_.first_block(root, root_.index, role), [&](Edge edge, int move) {
        if (!edge) return edges.push_back({{.move = move}, role});
        const bool closed = tree_.block(edge.block).mean[edge.place] == EdgeBlock::closed;
        edges.push_back({sync_.own(root_, edge), role, closed});
    });
}

// Appends the joint move that is best by what is known, if anything is, and returns the node that it leads to.
Ref RootReporter::follow(Ref at, std::vector<int>& line) const {
    Node& node = tree_.node(at.index);
    if (node.head.generation != at.generation || node.head.kind == NodeHead::terminal) return {};
    const bool decided = tree_.decided(node);
    if (node.head.visits == tree_.in_flight(node) && !decided) return {};
    std::vector<Choice> choices;
    for (int r = 0; r < tree_.roles(); ++r) {
        const Index first = tree_.first_block(node, at.index, r);
        if (first != nothing) {
            choices.push_back({decided ? tree_.proven_edge(node, at.index) : edge_to_play(tree_, first)});
        } else if (node.head.kind == NodeHead::simultaneous) {
            choices.emplace_back();
        }
        line.push_back(tree_.move(node, r, first == nothing ? Edge{} : choices.back().edge));
    }
    return tree_.child(node, at.index, choices.data());
}

}  // namespace ludens::mcts
