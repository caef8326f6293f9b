// The visits of a batch go down side by side, a node at a time, so that the tree, which is larger than any cache, is
// waited for once a batch and not once a visit. Each counts for those that choose after it as soon as it has chosen.
#include "guided/visits.hpp"

#include <algorithm>
#include <cmath>

#include "guided/choice.hpp"

namespace ludens::guided {

namespace {

constexpr float middle_goal = 50;
constexpr int longest = 255;  // steps that are told apart
constexpr std::size_t depth_limit = 500;
constexpr int enough_ends = 256;  // that agree on the sum of the goals, before proofs rest on it

}  // namespace

// All of them go down together, a node at a time: what one will need has come from memory when its turn comes again.
std::size_t GuidedTree::descend(std::span<Leaf> leaves) {
    going_.clear();
    for (Leaf& leaf : leaves) {
        leaf.at = root, leaf.arrived = false;
        leaf.path.clear();
        going_.push_back(&leaf);
    }
    while (!going_.empty()) std::erase_if(going_, [&](Leaf* leaf) { return !goes_on(*leaf); });
    const auto rest = std::partition(leaves.begin(), leaves.end(), [](const Leaf& leaf) { return leaf.arrived; });
    return static_cast<std::size_t>(rest - leaves.begin());
}

bool has_met(const std::vector<Step>& path, Index node) {
    return std::ranges::any_of(path, [&](const Step& step) { return step.node == node; });
}

// One step down. Not where the visit ends in the tree, has come to a leaf, or another one has to end first. A proven
// edge, which is chosen where all are, has the values of perfect play, and is gone no further.
bool GuidedTree::goes_on(Leaf& leaf) {
    const Index at = leaf.at;
    Node& node = tree.node(at);
    if (node.edges == 0 || node.proven || leaf.path.size() == depth_limit ||
        (node.in_flight > 0 && has_met(leaf.path, at))) {
        return end_visit(leaf.path, tree.values(node));
    }
    const Rows rows = tree.rows(node);
    const std::uint32_t chosen = choose(rows, node.edges, scale(node), node.best);
    Edge& edge = tree.edge(node, chosen);
    if (edge.child == nothing && edge.in_flight > 0) {
        take_back(leaf.path);
        return false;
    }
    ++node.in_flight;
    ++edge.in_flight;
    depart(rows, chosen);
    leaf.path.push_back({at, chosen});
    if (rows.is_proven(chosen)) return end_visit(leaf.path, edge.values());
    leaf.at = edge.child;
    if (edge.child != nothing) {
        tree.prefetch(edge.child);
        return true;
    }
    leaf.state.assign(tree.state(node), tree.state(node) + static_cast<std::ptrdiff_t>(leaf.state.size()));
    leaf.moves.assign(tree.moves(node), tree.moves(node) + roles_);
    leaf.moves[node.chooser] = edge.move;
    leaf.arrived = true;
    return false;
}

// In the tree: it goes on no more.
bool GuidedTree::end_visit(const std::vector<Step>& path, const float* values) {
    back_up(path, values);
    ++iterations;
    return false;
}

float GuidedTree::scale(const Node& node) const {
    return top_goal * exploration_ * std::sqrt(static_cast<float>(node.visits + node.in_flight) + 1);
}

Index GuidedTree::insert(std::uint64_t key, const Outlook& outlook, std::size_t position, const float* values) {
    const Outlook::Position& p = outlook.positions[position];
    const std::size_t roles = static_cast<std::size_t>(roles_);
    const std::size_t words = outlook.states.size() / outlook.positions.size();
    const Word* state = &outlook.states[position * words];
    if (const Index known = p.over ? nothing : insert_known(key, state); known != nothing) return known;
    const Index index = tree.make(key, state, static_cast<std::uint32_t>(p.count));
    if (index == nothing) return nothing;
    Node& node = tree.node(index);
    node.chooser = static_cast<std::uint8_t>(std::max(p.mover, 0));
    if (p.count == 0) {
        std::copy_n(p.over ? &outlook.goals[position * roles] : values, roles_, tree.values(node));
        node.proven = p.over;
        return index;
    }
    const std::size_t first = static_cast<std::size_t>(p.first);
    std::copy_n(&outlook.moves[first * roles], roles_, tree.moves(node));
    const Rows rows = tree.rows(node);
    for (std::uint32_t i = 0; i < node.edges; ++i) {
        Edge& edge = tree.edge(node, i);
        const float* told = &outlook.values[(first + i) * roles];
        edge.move = outlook.moves[(first + i) * roles + node.chooser];
        std::copy_n(told, roles_, edge.values());
        rows.values[i] = rows.means[i] = told[node.chooser];
    }
    share_out(rows.values, node.edges, rows.priors);
    for (std::uint32_t i = 0; i < node.edges; ++i)
        if (outlook.ends[first + i]) meet_end(node, i);
    find_best(node);
    tell(node);
    node.proven = settled(node);
    return index;
}

// The edge leads to where the game is over.
void GuidedTree::meet_end(Node& node, std::uint32_t i) {
    Edge& edge = tree.edge(node, i);
    edge.steps = 1;
    tree.rows(node).priors[i] = Rows::proven;
    --node.open;
    if (roles_ != 2) return;
    ends_agree_ &= edge.values()[0] + edge.values()[1] == top_goal;
    ends_met_ = std::min(ends_met_ + 1, enough_ends);
}

// A node that nothing lies below, if something is known of the state from elsewhere.
Index GuidedTree::insert_known(std::uint64_t key, const Word* state) {
    if (!knowledge_) return nothing;
    std::vector<int> goals(static_cast<std::size_t>(roles_));
    const int steps = knowledge_->find(state, goals.data());
    if (steps == Knowledge::nothing) return nothing;
    const Index index = tree.make(key, state, 0);
    if (index == nothing) return nothing;
    Node& node = tree.node(index);
    std::ranges::copy(goals, tree.values(node));
    node.proven = true;
    node.steps = static_cast<std::uint8_t>(std::min(steps, longest));
    return index;
}

// Whether edge a is better than b for who chooses. A proven win is played the short way, a proven loss the long way.
bool GuidedTree::better(Node& node, std::uint32_t a, std::uint32_t b) const {
    const Rows rows = tree.rows(node);
    if (rows.values[a] != rows.values[b]) return rows.values[a] > rows.values[b];
    if (rows.is_proven(a) != rows.is_proven(b)) return rows.is_proven(a);
    if (!rows.is_proven(a)) return false;
    const int longer = tree.edge(node, a).steps - tree.edge(node, b).steps;
    return rows.values[a] > middle_goal ? longer < 0 : longer > 0;
}

void GuidedTree::find_best(Node& node) {
    for (std::uint32_t i = 0; i < node.edges; ++i)
        if (better(node, i, node.best)) node.best = i;
}

// What the edge expects becomes what its child does now, and the node's own expectation what follows from that: all
// edges are compared only where the best one has become worse.
void GuidedTree::take_over(Node& node, std::uint32_t changed) {
    Edge& edge = tree.edge(node, changed);
    Node& child = tree.node(edge.child);
    const Rows rows = tree.rows(node);
    const float* told = tree.values(child);
    if (!child.proven && std::equal(told, told + roles_, edge.values())) return;
    const float before = rows.values[changed];
    std::copy_n(told, roles_, edge.values());
    rows.values[changed] = told[node.chooser];
    if (child.proven) {
        rows.priors[changed] = Rows::proven;
        edge.steps = static_cast<std::uint8_t>(std::min(child.steps + 1, longest));
        --node.open;
    }
    if (changed != node.best) {
        if (!better(node, changed, node.best)) return;
        node.best = changed;
    } else if (rows.values[changed] < before) {
        find_best(node);
    }
    tell(node);
}

// Takes over what the best edge expects.
void GuidedTree::tell(Node& node) {
    const Edge& best = tree.edge(node, node.best);
    std::copy_n(best.values(), roles_, tree.values(node));
    node.steps = best.steps;
}

// Whether the values of the best edge are those of perfect play.
bool GuidedTree::settled(Node& node) {
    const Rows rows = tree.rows(node);
    if (rows.is_proven(node.best) && rows.values[node.best] >= top_goal && one_goal_tells_all()) return true;
    if (node.open > 0) return false;
    const float* best = tree.edge(node, node.best).values();
    // Which of two moves of the same worth to itself a role takes, nobody knows.
    for (std::uint32_t i = 0; i < node.edges; ++i) {
        const float* values = tree.edge(node, i).values();
        if (rows.values[i] == rows.values[node.best] && !std::equal(values, values + roles_, best)) return false;
    }
    return true;
}

// Whether the goal of one role is taken to say what the others get.
bool GuidedTree::one_goal_tells_all() {
    if (sum_is_proven_) return true;
    const bool assumed = roles_ == 2 && ends_agree_ && ends_met_ == enough_ends;
    assumes_ |= assumed;
    return assumed;
}

void GuidedTree::link(const Leaf& leaf, Index child, const Word* reached) {
    Edge& edge = tree.edge(tree.node(leaf.path.back().node), leaf.path.back().edge);
    edge.child = child;
    edge.turned = !tree.is_of(child, reached);
}

void GuidedTree::back_up(const std::vector<Step>& path, const float* values) {
    told_.assign(values, values + roles_);  // they may be those of a node on the path
    for (std::size_t i = path.size(); i-- > 0;) {
        const auto [at, chosen] = path[i];
        Node& node = tree.node(at);
        Edge& edge = tree.edge(node, chosen);
        const Rows rows = tree.rows(node);
        --node.in_flight, ++node.visits;
        --edge.in_flight;
        if (!rows.is_proven(chosen) && edge.child != nothing) {
            take_over(node, chosen);
            node.proven = settled(node);
        }
        const float value = told_[node.chooser], visits = static_cast<float>(rows.visits[chosen] - edge.in_flight);
        rows.means[chosen] = visits == 1 ? value : rows.means[chosen] + (value - rows.means[chosen]) / visits;
        if (node.proven) told_.assign(tree.values(node), tree.values(node) + roles_);
    }
    depth = std::max(depth, static_cast<int>(path.size()));
}

void GuidedTree::take_back(const std::vector<Step>& path) {
    for (const auto [at, chosen] : path) {
        Node& node = tree.node(at);
        --node.in_flight;
        --tree.edge(node, chosen).in_flight;
        --tree.rows(node).visits[chosen];
    }
}

}  // namespace ludens::guided
