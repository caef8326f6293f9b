#include "mcts/root_report.hpp"

#include <algorithm>

namespace ludens {

namespace {

constexpr std::size_t longest_line = 100;  // steps

// Of those that are still open.
Edge most_visited_edge(const Tree& tree, Index first) {
    Edge best;
    for (Index i = first; is_chunk(i); i = tree.chunk(i).next) {
        const Chunk& c = tree.chunk(i);
        for (int p = 0; p < Chunk::size; ++p) {
            if (c.move[p] < 0 || c.mean[p] == Chunk::closed) continue;
            if (!best || c.completed(p) > tree.chunk(best.chunk).completed(best.place)) best = {i, p};
        }
    }
    return best;
}

}  // namespace

// ---- What this thread knows ----------------------------------------------------------------------------------

void RootReport::write(RootAccount& account) const {
    Node& root = tree_.node(root_.index);
    account.over = root.head.kind == NodeHead::terminal;
    account.mover = mover(root);
    const std::span bounds = tree_.bounds(root);
    account.bounds.assign(bounds.begin(), bounds.end());
    account.proven =
        account.mover >= 0 && tree_.decided(root) ? bounds[2 * static_cast<std::size_t>(account.mover)] : -1;
    account.edges.clear();
    account.forced.assign(static_cast<std::size_t>(tree_.roles()), -1);
    for (int r = 0; r < tree_.roles() && !account.over; ++r) {
        if (tree_.first_chunk(root, root_.index, r) == nothing) {
            account.forced[static_cast<std::size_t>(r)] = tree_.move(root, r, {});
        } else {
            list_edges(root, r, account.edges);
        }
    }
    account.visits = share_.own_visits(root_);
    account.line.clear();
    const std::size_t room = longest_line * static_cast<std::size_t>(tree_.roles());
    for (Ref at = root_; at && account.line.size() < room;) at = follow(at, account.line);
    board_.write(thread_, account);
}

void RootReport::list_edges(Node& root, int role, std::vector<RootEdge>& edges) const {
    tree_.each_move(tree_.first_chunk(root, root_.index, role), [&](Edge edge, int move) {
        edges.push_back(edge ? own(edge, role) : RootEdge{{.move = move}, role});
    });
}

RootEdge RootReport::own(Edge edge, int role) const {
    return {share_.own(root_, edge), role, tree_.chunk(edge.chunk).mean[edge.place] == Chunk::closed};
}

// Appends the joint move that is best by what is known, if anything is, and returns the node it leads to.
Ref RootReport::follow(Ref at, std::vector<int>& line) const {
    Node& node = tree_.node(at.index);
    if (node.head.generation != at.generation || node.head.kind == NodeHead::terminal) return {};
    const bool decided = tree_.decided(node);
    if (node.head.visits == tree_.in_flight(node) && !decided) return {};
    std::vector<Choice> choices;
    for (int r = 0; r < tree_.roles(); ++r) {
        const Index first = tree_.first_chunk(node, at.index, r);
        if (first != nothing) {
            choices.push_back({decided ? tree_.proven_edge(node, at.index) : most_visited_edge(tree_, first)});
        } else if (node.head.kind == NodeHead::simultaneous) {
            choices.emplace_back();
        }
        line.push_back(tree_.move(node, r, first == nothing ? Edge{} : choices.back().edge));
    }
    return tree_.child(node, at.index, choices.data());
}

}  // namespace ludens
