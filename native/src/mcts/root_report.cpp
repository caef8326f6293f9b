#include "mcts/root_report.hpp"

#include <algorithm>

namespace ludens::mcts {

namespace {

constexpr std::size_t longest_line = 100;  // steps

// The most visited edge of those that are not closed.
Edge most_visited_edge(const Tree& tree, Index first) {
    Edge best;
    for (Index i = first; is_block(i); i = tree.block(i).next) {
        const EdgeBlock& c = tree.block(i);
        for (int p = 0; p < EdgeBlock::size; ++p) {
            if (c.move[p] < 0 || c.mean[p] == EdgeBlock::closed) continue;
            if (!best || c.completed(p) > tree.block(best.block).completed(best.place)) best = {i, p};
        }
    }
    return best;
}

}  // namespace

// ---- What this thread knows ----------------------------------------------------------------------------------

void RootReporter::write(ThreadRootStats& stats) const {
    Node& root = tree_.node(root_.index);
    stats.over = root.head.kind == NodeHead::terminal;
    stats.mover = mover(root);
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
        edges.push_back(edge ? own_stats(edge, role) : RootMoveStats{{.move = move}, role});
    });
}

RootMoveStats RootReporter::own_stats(Edge edge, int role) const {
    return {sync_.own(root_, edge), role, tree_.block(edge.block).mean[edge.place] == EdgeBlock::closed};
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
            choices.push_back({decided ? tree_.proven_edge(node, at.index) : most_visited_edge(tree_, first)});
        } else if (node.head.kind == NodeHead::simultaneous) {
            choices.emplace_back();
        }
        line.push_back(tree_.move(node, r, first == nothing ? Edge{} : choices.back().edge));
    }
    return tree_.child(node, at.index, choices.data());
}

}  // namespace ludens::mcts
