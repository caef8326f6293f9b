#include "root_share.hpp"

#include <algorithm>
#include <cmath>

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

void RootShare::write(RootAccount& account) const {
    Node& root = tree_.node(root_.index);
    account.over = root.head.kind == NodeHead::terminal;
    account.mover = mover(root);
    const std::span bounds = tree_.bounds(root);
    account.bounds.assign(bounds.begin(), bounds.end());
    account.proven = account.mover >= 0 && tree_.decided(root) ? bounds[2 * static_cast<std::size_t>(account.mover)] : -1;
    account.edges.clear();
    account.forced.assign(static_cast<std::size_t>(tree_.roles()), -1);
    for (int r = 0; r < tree_.roles() && !account.over; ++r) {
        if (tree_.first_chunk(root, root_.index, r) == nothing) {
            account.forced[static_cast<std::size_t>(r)] = tree_.move(root, r, {});
        } else {
            list_edges(root, r, account.edges);
        }
    }
    account.visits = root.head.visits - tree_.in_flight(root);
    for (const auto& [move, from] : taken_) account.visits -= from.visits;
    account.line.clear();
    const std::size_t room = longest_line * static_cast<std::size_t>(tree_.roles());
    for (Ref at = root_; at && account.line.size() < room;) at = follow(at, account.line);
    board_.write(thread_, account);
}

void RootShare::list_edges(Node& root, int role, std::vector<RootEdge>& edges) const {
    tree_.each_move(tree_.first_chunk(root, root_.index, role), [&](const Chunk* chunk, int place, int move) {
        edges.push_back(chunk == nullptr ? RootEdge{role, move} : own(*chunk, place, role));
    });
}

RootEdge RootShare::own(const Chunk& chunk, int place, int role) const {
    RootEdge edge{role, chunk.move[place], chunk.completed(place)};
    edge.lower = chunk.lower[place];
    edge.upper = chunk.upper[place];
    edge.closed = chunk.mean[place] == Chunk::closed;
    if (edge.visits > 0) edge.goals = (edge.closed ? edge.upper : chunk.mean[place]) * static_cast<double>(edge.visits);
    if (edge.lower == edge.upper) edge.distance = static_cast<std::uint16_t>(tree_.distance(chunk, place));
    if (const auto from = taken_.find(edge.move); from != taken_.end()) {
        edge.visits = std::max<std::int64_t>(edge.visits - from->second.visits, 0);
        edge.goals = std::clamp(edge.goals - from->second.goals, 0.0, static_cast<double>(best_goal * edge.visits));
    }
    return edge;
}

// Appends the joint move that is best by what is known, if anything is, and returns the node it leads to.
Ref RootShare::follow(Ref at, std::vector<int>& line) const {
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

// ---- What it takes from others -------------------------------------------------------------------------------

void RootShare::take() {
    Node& root = tree_.node(root_.index);
    const int role = mover(root);
    if (role < 0) return;
    const std::map<int, RootEdge> others = board_.moves(role, thread_);
    for (Index i = root_.index; is_chunk(i); i = tree_.chunk(i).next) {
        Chunk& chunk = tree_.chunk(i);
        for (int place = 0; place < Chunk::size; ++place) {
            const auto known = others.find(chunk.move[place]);
            if (known == others.end()) continue;
            const RootEdge& edge = known->second;
            Taken& taken = taken_[edge.move];
            const Taken more{edge.visits - taken.visits, edge.goals - taken.goals};
            if (change(root, chunk, place, more)) taken = {edge.visits, edge.goals};
            learn(root, {i, place}, edge);
        }
    }
}

void RootShare::leave() {
    if (!root_) return;
    Node& root = tree_.node(root_.index);
    for (Index i = root_.index; !taken_.empty() && is_chunk(i); i = tree_.chunk(i).next) {
        Chunk& chunk = tree_.chunk(i);
        for (int place = 0; place < Chunk::size; ++place) {
            const auto taken = taken_.find(chunk.move[place]);
            if (taken != taken_.end()) change(root, chunk, place, {-taken->second.visits, -taken->second.goals});
        }
    }
    taken_.clear();
    root_ = {};
}

// `more` visits with results, or fewer; false where there are none, or it is not possible.
bool RootShare::change(Node& root, Chunk& chunk, int place, const Taken& more) const {
    const std::int64_t before = chunk.completed(place), after = before + more.visits;
    if (more.visits == 0 || after < 0 || chunk.visits[place] + more.visits > Tree::visit_limit) return false;
    const bool open = chunk.mean[place] != Chunk::closed;
    if (open && after > 0) {
        const double goals = (before > 0 ? chunk.mean[place] * static_cast<double>(before) : 0) + more.goals;
        chunk.mean[place] = static_cast<float>(
            std::clamp<double>(goals / static_cast<double>(after), chunk.lower[place], chunk.upper[place]));
    }
    if (open && chunk.visits[place] + more.visits == 0) chunk.mean[place] = Chunk::fresh;
    chunk.complete(place, static_cast<std::uint32_t>(after));
    root.head.visits = static_cast<std::uint32_t>(root.head.visits + more.visits);
    return true;
}

// The bounds of the other roles follow from those of the one that chooses, or are not known.
void RootShare::learn(Node& root, Edge edge, const RootEdge& from) const {
    const Chunk& chunk = tree_.chunk(edge.chunk);
    const bool news = from.lower > chunk.lower[edge.place] || from.upper < chunk.upper[edge.place];
    const bool possible = from.lower <= chunk.upper[edge.place] && from.upper >= chunk.lower[edge.place];
    if (!news || !possible) return;
    Proof proof{true, false, from.distance, {}};
    proof.bounds.resize(2 * static_cast<std::size_t>(tree_.roles()));
    for (std::size_t r = 0; r < proof.bounds.size(); r += 2) proof.bounds[r + 1] = best_goal;
    proof.bounds[2 * static_cast<std::size_t>(from.role)] = from.lower;
    proof.bounds[2 * static_cast<std::size_t>(from.role) + 1] = from.upper;
    tree_.refine(root, root_.index, edge, proof);
}

}  // namespace ludens
