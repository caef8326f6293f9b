// The visits of a batch go down side by side, a node at a time, so that memory, which is slower than any cache, is
// waited for once a batch and not once a visit. Each visit counts for those that choose after it as soon as it has
// chosen.
#include "guided/search_tree.hpp"

#include <algorithm>
#include <cmath>

#include "guided/puct.hpp"

namespace ludens::guided {

namespace {

constexpr float middle_goal = 50;
constexpr int most_steps = 255;  // longer play counts as so many steps
constexpr std::size_t depth_limit = 500;

}  // namespace

// What a visit needs next has come from memory when its turn comes again.
std::size_t SearchTree::select(std::span<Leaf> leaves) {
    descending_.clear();
    for (Leaf& leaf : leaves) {
        leaf.at = root;
        leaf.is_leaf = false;
        leaf.path.clear();
        descending_.push_back(&leaf);
    }
    while (!descending_.empty()) std::erase_if(descending_, [&](Leaf* leaf) { return !descend(*leaf); });
    const auto rest = std::partition(leaves.begin(), leaves.end(), [](const Leaf& leaf) { return leaf.is_leaf; });
    return static_cast<std::size_t>(rest - leaves.begin());
}

static bool contains(const std::vector<Step>& path, Index node) {
    return std::ranges::any_of(path, [&](const Step& step) { return step.node == node; });
}

// Takes a visit one step down. Returns false where it ends in the tree, has found a leaf, or is cancelled because
// another visit is on its way to the same leaf. A proven edge, which is chosen where all are, has the values of perfect
// play, so the visit ends there.
bool SearchTree::descend(Leaf& leaf) {
    const Index at = leaf.at;
    Node& node = store.node(at);
    if (node.edges == 0 || node.proven || leaf.path.size() == depth_limit ||
        (node.in_flight > 0 && contains(leaf.path, at))) {
        return end_in_tree(leaf.path, store.values(node));
    }
    const EdgeRows rows = store.rows(node);
    const std::uint32_t chosen = choose(rows, node.edges, scale(node), node.best);
    Edge& edge = store.edge(node, chosen);
    if (edge.child == nothing && edge.in_flight > 0) {
        cancel(leaf.path);
        return false;
    }
    ++node.in_flight;
    ++edge.in_flight;
    begin_visit(rows, chosen);
    leaf.path.push_back({at, chosen});
    if (rows.is_proven(chosen)) return end_in_tree(leaf.path, edge.values());
    leaf.at = edge.child;
    if (edge.child != nothing) {
        store.prefetch(edge.child);
        return true;
    }
    leaf.state.assign(store.state(node), store.state(node) + static_cast<std::ptrdiff_t>(leaf.state.size()));
    leaf.moves.assign(store.moves(node), store.moves(node) + roles_);
    leaf.moves[node.mover] = edge.move;
    leaf.is_leaf = true;
    return false;
}

// Counts a visit that ends in the tree; it does not go on.
bool SearchTree::end_in_tree(const std::vector<Step>& path, const float* values) {
    backup(path, values);
    ++iterations;
    return false;
}

// The factor of the priors in PUCT at a node.
float SearchTree::scale(const Node& node) const {
    return top_goal * exploration_ * std::sqrt(static_cast<float>(node.visits + node.in_flight) + 1);
}

Index SearchTree::insert(std::uint64_t key, const ExpandedPositions& expanded, std::size_t position,
                         const float* values) {
    const ExpandedPositions::Position& p = expanded.positions[position];
    const std::size_t roles = static_cast<std::size_t>(roles_);
    const std::size_t words = expanded.states.size() / expanded.positions.size();
    const Word* state = &expanded.states[position * words];
    if (const Index known = p.over ? nothing : insert_known(key, state); known != nothing) return known;
    const Index index = store.make(key, state, static_cast<std::uint32_t>(p.count));
    if (index == nothing) return nothing;
    Node& node = store.node(index);
    node.mover = static_cast<std::uint8_t>(p.mover());
    if (p.count == 0) {
        std::copy_n(p.over ? &expanded.goals[position * roles] : values, roles_, store.values(node));
        node.proven = p.over;
        return index;
    }
    fill_edges(node, expanded, static_cast<std::size_t>(p.first));
    find_best(node);
    copy_best(node);
    node.proven = settled(node);
    return index;
}

// Fills in the edges from the expanded children, which begin at `first`.
void SearchTree::fill_edges(Node& node, const ExpandedPositions& expanded, std::size_t first) {
    const std::size_t roles = static_cast<std::size_t>(roles_);
    std::copy_n(&expanded.moves[first * roles], roles, store.moves(node));
    const EdgeRows rows = store.rows(node);
    for (std::uint32_t i = 0; i < node.edges; ++i) {
        Edge& edge = store.edge(node, i);
        const float* values = &expanded.values[(first + i) * roles];
        edge.move = expanded.moves[(first + i) * roles + node.mover];
        std::copy_n(values, roles, edge.values());
        rows.values[i] = values[node.mover];
        rows.means[i] = values[node.mover];
    }
    softmax_priors(rows.values, node.edges, rows.priors);
    for (std::uint32_t i = 0; i < node.edges; ++i)
        if (expanded.ends[first + i]) meet_end(node, i);
}

// Marks an edge that leads to the end of a game as proven.
void SearchTree::meet_end(Node& node, std::uint32_t i) {
    Edge& edge = store.edge(node, i);
    edge.steps = 1;
    store.rows(node).priors[i] = EdgeRows::proven;
    --node.open;
    if (roles_ == 2) goal_sums_.observe(static_cast<int>(edge.values()[0] + edge.values()[1]));
}

// Makes a node that nothing lies below, if something is known of the state from elsewhere.
Index SearchTree::insert_known(std::uint64_t key, const Word* state) {
    if (!knowledge_) return nothing;
    std::vector<int> goals(static_cast<std::size_t>(roles_));
    const int steps = knowledge_->find(state, goals.data());
    if (steps == Knowledge::nothing) return nothing;
    const Index index = store.make(key, state, 0);
    if (index == nothing) return nothing;
    Node& node = store.node(index);
    std::ranges::copy(goals, store.values(node));
    node.proven = true;
    node.steps = static_cast<std::uint8_t>(std::min(steps, most_steps));
    return index;
}

// Whether edge a is better than b for the mover: a proven win is played the short way, a proven loss the long way.
bool SearchTree::better(Node& node, std::uint32_t a, std::uint32_t b) const {
    const EdgeRows rows = store.rows(node);
    if (rows.values[a] != rows.values[b]) return rows.values[a] > rows.values[b];
    if (rows.is_proven(a) != rows.is_proven(b)) return rows.is_proven(a);
    if (!rows.is_proven(a)) return false;
    const int longer = store.edge(node, a).steps - store.edge(node, b).steps;
    return rows.values[a] > middle_goal ? longer < 0 : longer > 0;
}

void SearchTree::find_best(Node& node) {
    for (std::uint32_t i = 0; i < node.edges; ++i)
        if (better(node, i, node.best)) node.best = i;
}

// Copies the child's values to the edge, and updates the node's own: all edges are compared only where the best one has
// become worse.
void SearchTree::update_edge(Node& node, std::uint32_t changed) {
    Edge& edge = store.edge(node, changed);
    Node& child = store.node(edge.child);
    const EdgeRows rows = store.rows(node);
    const float* values = store.values(child);
    if (!child.proven && std::equal(values, values + roles_, edge.values())) return;
    const float before = rows.values[changed];
    std::copy_n(values, roles_, edge.values());
    rows.values[changed] = values[node.mover];
    if (child.proven) {
        rows.priors[changed] = EdgeRows::proven;
        edge.steps = static_cast<std::uint8_t>(std::min(child.steps + 1, most_steps));
        --node.open;
    }
    if (changed != node.best) {
        if (!better(node, changed, node.best)) return;
        node.best = changed;
    } else if (rows.values[changed] < before) {
        find_best(node);
    }
    copy_best(node);
}

// Makes the values of the best edge those of the node.
void SearchTree::copy_best(Node& node) {
    const Edge& best = store.edge(node, node.best);
    std::copy_n(best.values(), roles_, store.values(node));
    node.steps = best.steps;
}

// Whether the values of the best edge are those of perfect play.
bool SearchTree::settled(Node& node) {
    const EdgeRows rows = store.rows(node);
    if (rows.is_proven(node.best) && rows.values[node.best] >= top_goal && one_goal_tells_all()) return true;
    if (node.open > 0) return false;
    const float* best = store.edge(node, node.best).values();
    // Which of two moves of the same worth to itself a role takes, nobody knows.
    for (std::uint32_t i = 0; i < node.edges; ++i) {
        const float* values = store.edge(node, i).values();
        if (rows.values[i] == rows.values[node.best] && !std::equal(values, values + roles_, best)) return false;
    }
    return true;
}

// Whether the goal of one role is taken to say what the others get.
bool SearchTree::one_goal_tells_all() {
    if (goal_sums_.proven()) return true;
    assumes_ |= goal_sums_.likely();
    return goal_sums_.likely();
}

void SearchTree::link(const Leaf& leaf, Index child, const Word* reached) {
    Edge& edge = store.edge(store.node(leaf.path.back().node), leaf.path.back().edge);
    edge.child = child;
    edge.is_image = !store.is_node_of(child, reached);
}

void SearchTree::backup(const std::vector<Step>& path, const float* values) {
    results_.assign(values, values + roles_);  // a copy: they may be those of a node on the path
    for (std::size_t i = path.size(); i-- > 0;) {
        const auto [at, chosen] = path[i];
        Node& node = store.node(at);
        Edge& edge = store.edge(node, chosen);
        const EdgeRows rows = store.rows(node);
        --node.in_flight;
        ++node.visits;
        --edge.in_flight;
        if (!rows.is_proven(chosen) && edge.child != nothing) {
            update_edge(node, chosen);
            node.proven = settled(node);
        }
        const float value = results_[node.mover], visits = static_cast<float>(rows.visits[chosen] - edge.in_flight);
        rows.means[chosen] = visits == 1 ? value : rows.means[chosen] + (value - rows.means[chosen]) / visits;
        if (node.proven) results_.assign(store.values(node), store.values(node) + roles_);
    }
    depth = std::max(depth, static_cast<int>(path.size()));
}

void SearchTree::cancel(const std::vector<Step>& path) {
    for (const auto [at, chosen] : path) {
        Node& node = store.node(at);
        --node.in_flight;
        --store.edge(node, chosen).in_flight;
        --store.rows(node).visits[chosen];
    }
}

}  // namespace ludens::guided
