// The tree of the guided search: how visits go down, what they add, and what is proven. See guided/turn_search.cpp.
//
// The visits of a batch go down side by side, a node at a time, so that memory, which is slower than any cache, is
// waited for once a batch and not once a visit. Each visit counts for those that choose after it as soon as it has
// chosen.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/goal_sums.hpp"
#include "base/insight.hpp"
#include "base/logarithm.hpp"
#include "base/random.hpp"
#include "base/timed_lock.hpp"
#include "evaluation/expansion.hpp"
#include "guided/node_store.hpp"
#include "guided/puct.hpp"
#include "search/search.hpp"

namespace ludens::guided {

struct Step {
    Index node;
    std::uint32_t edge;
};

// A visit on its way to a state that has no node yet, or is not linked to its node.
struct Leaf {
    Index at;      // the node that selection has come to
    bool is_leaf;  // selection has found it
    std::vector<Step> path;
    std::vector<Word> state;  // of the last node on the path
    std::vector<int> moves;   // from there, one per role
    std::uint64_t key;        // of the state that these lead to
    Index found;              // the node of that state, if there is one already
};

// Whoever reads the tree while a search runs takes the lock, as does the one thread in which it grows; other threads
// may call NodeStore::find().
class SearchTree {
public:
    SearchTree(const Game& game, const SearchOptions& options)
        : store(game, options.memory_bytes, options.symmetries), exploration_(static_cast<float>(options.exploration)),
          knowledge_(options.knowledge), insight_(insight_of(game)), roles_(game.roles()), goal_sums_(game),
          noise_(options.prior_noise), random_(options.seed),
          ranks_(static_cast<std::size_t>(std::ranges::max(game.moves()))) {}

    NodeStore store;
    Index root = nothing;
    std::mutex lock;
    LockCosts lock_costs;  // of the thread in which it grows
    std::int64_t iterations = 0, state_changes = 0, recycled = 0;
    int depth = 0;

    // Whether it is proven what to play at the root: what that brings may still depend on which of several moves of the
    // same worth to itself a role takes.
    bool solved() {
        Node& node = store.node(root);
        if (refuted()) return false;
        return node.proven || (node.edges > 0 && (node.open == 0 || has_proven_most(node)));
    }
    // Whether proofs rest on equal sums of all ends, and two of them differ.
    bool refuted() const { return assumes_ && goal_sums_.refuted(); }
    bool assumes() const { return assumes_; }
    bool sums_differ() const { return goal_sums_.refuted(); }
    // Takes note that somebody else has met ends with different sums.
    void refute_sums() { goal_sums_.refute(); }
    void clear() {
        store.clear();
        assumes_ = false;
    }

    // Selects paths from the root to edges without a child, each to another edge. Those that found one are moved to the
    // front; returns how many they are.
    // What a visit needs next has come from memory when its turn comes again. Where a role has its best move nobody goes
    // on, unless there is nowhere else to go: what the others get may follow from its other moves.
    std::size_t select(std::span<Leaf> leaves) {
        descending_.clear();
        for (Leaf& leaf : leaves) {
            leaf.at = root;
            leaf.is_leaf = false;
            leaf.path.clear();
            descending_.push_back(&leaf);
        }
        while (!descending_.empty()) std::erase_if(descending_, [&](Leaf* leaf) { return !descend(*leaf); });
        const auto rest = std::partition(leaves.begin(), leaves.end(), [](const Leaf& leaf) { return leaf.is_leaf; });
        const auto found = static_cast<std::size_t>(rest - leaves.begin());
        thorough_ = found == 0;
        return found;
    }

    // Makes the node of an expanded position; `nothing` where there is no room. `values` [roles]: by the evaluation. A
    // root gets its edges whatever is known of it, since one of its moves is wanted.
    Index insert(std::uint64_t key, const ExpandedPositions& expanded, std::size_t position, const float* values,
                 bool is_root = false) {
        const ExpandedPositions::Position& p = expanded.positions[position];
        const std::size_t roles = static_cast<std::size_t>(roles_);
        const std::size_t words = expanded.states.size() / expanded.positions.size();
        const Word* state = &expanded.states[position * words];
        if (const Index known = p.over || is_root ? nothing : insert_known(key, state); known != nothing) return known;
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

    // Makes `child`, whose state or an image of it is `reached`, the child of the edge that the leaf's path ends with.
    void link(const Leaf& leaf, Index child, const Word* reached) {
        Edge& edge = store.edge(store.node(leaf.path.back().node), leaf.path.back().edge);
        edge.child = child;
        edge.is_image = !store.is_node_of(child, reached);
    }
    // Counts the result of a visit, `values` [roles], along its path. Where the move that seems best is proven to bring a role
    // more, it makes that one instead: from there on the visit has what that brings.
    void backup(const std::vector<Step>& path, const float* values) {
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
            if (node.proven || (rows.is_proven(node.best) && rows.values[node.best] > value))
                results_.assign(store.values(node), store.values(node) + roles_);
        }
        depth = std::max(depth, static_cast<int>(path.size()));
    }

    // Takes back a visit that has no result.
    void cancel(const std::vector<Step>& path) {
        for (const auto [at, chosen] : path) {
            Node& node = store.node(at);
            --node.in_flight;
            --store.edge(node, chosen).in_flight;
            --store.rows(node).visits[chosen];
        }
    }

    // Adds so many visits of an edge with that sum of goals, which others made, or takes some of them away. Returns false
    // if there are none, or it is not possible.
    bool add_visits(Node& node, std::uint32_t i, std::int64_t visits, double goals) {
        const EdgeRows rows = store.rows(node);
        const std::int64_t before = std::int64_t{rows.visits[i]} - store.edge(node, i).in_flight;
        const std::int64_t after = before + visits, of_node = node.visits + visits;
        if (visits == 0 || after < 0 || of_node < 0 || std::max(after, of_node) > most_visits) return false;
        if (after > 0) {
            const double sum = rows.means[i] * static_cast<double>(before) + goals;
            rows.means[i] = std::clamp(static_cast<float>(sum / static_cast<double>(after)), 0.0f, top_goal);
        }
        rows.visits[i] = static_cast<std::uint32_t>(rows.visits[i] + visits);
        node.visits = static_cast<std::uint32_t>(of_node);
        return true;
    }
    // Takes note that others have proven what the mover gets by an edge, and in how many steps; settle() is to follow.
    // Only in games where that says what the other gets.
    void take_proof(Node& node, std::uint32_t i, int goal, int steps) {
        const EdgeRows rows = store.rows(node);
        if (roles_ != 2 || rows.is_proven(i) || !one_goal_tells_all()) return;
        Edge& edge = store.edge(node, i);
        edge.values()[node.mover] = rows.values[i] = static_cast<float>(goal);
        edge.values()[1 - node.mover] = static_cast<float>(goal_sums_.sum() - goal);
        edge.steps = static_cast<std::uint8_t>(std::min(steps, most_steps));
        rows.priors[i] = EdgeRows::proven;
        --node.open;
    }
    // Works out the values of a node whose edges have been changed, and whether they are those of perfect play.
    void settle(Node& node) {
        find_best(node);
        copy_best(node);
        node.proven = settled(node);
    }

private:
    static constexpr std::int64_t most_visits = 1 << 30;
    static constexpr int most_steps = 255;  // longer play counts as so many steps
    static constexpr std::size_t depth_limit = 500;

    static bool contains(const std::vector<Step>& path, Index node) {
        return std::ranges::any_of(path, [&](const Step& step) { return step.node == node; });
    }
    // Takes a visit one step down. Returns false where it ends in the tree, has found a leaf, or is cancelled because
    // another visit is on its way to the same leaf. A proven edge, which is chosen where all are, has the values of
    // perfect play, so the visit ends there.
    bool descend(Leaf& leaf) {
        const Index at = leaf.at;
        Node& node = store.node(at);
        if (node.edges == 0 || node.proven || (!thorough_ && is_decided(node)) || leaf.path.size() == depth_limit ||
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
    bool end_in_tree(const std::vector<Step>& path, const float* values) {
        backup(path, values);
        ++iterations;
        return false;
    }
    // The factor of the priors in PUCT at a node.
    float scale(const Node& node) const {
        return top_goal * exploration_ * std::sqrt(static_cast<float>(node.visits + node.in_flight) + 1);
    }
    // Whether edge a is better than b for the mover: a proven win is played the short way, a proven loss the long way.
    bool better(Node& node, std::uint32_t a, std::uint32_t b) const {
        const EdgeRows rows = store.rows(node);
        if (rows.values[a] != rows.values[b]) return rows.values[a] > rows.values[b];
        if (rows.is_proven(a) != rows.is_proven(b)) return rows.is_proven(a);
        if (!rows.is_proven(a)) return false;
        const int longer = store.edge(node, a).steps - store.edge(node, b).steps;
        return rows.values[a] > middle_goal ? longer < 0 : longer > 0;
    }
    // Copies the child's values to the edge, and updates the node's own: all edges are compared only where the best one
    // has become worse. Values of a child that was removed are kept until the new one has had as many visits, half of all
    // those of the edge, or is decided and gets no more.
    void update_edge(Node& node, std::uint32_t changed) {
        Edge& edge = store.edge(node, changed);
        Node& child = store.node(edge.child);
        const EdgeRows rows = store.rows(node);
        const float* values = store.values(child);
        const std::uint32_t visits = rows.visits[changed] - edge.in_flight;
        if (edge.of_removed && !child.proven && !is_decided(child) && 2 * (child.visits + 1) < visits) return;
        edge.of_removed = 0;
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

    // Fills in the edges from the expanded children, which begin at `first`.
    void fill_edges(Node& node, const ExpandedPositions& expanded, std::size_t first) {
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
        if (insight_) multiply_by_ranks(node);
        if (noise_ > 0) add_noise(rows.priors, node.edges);
        for (std::uint32_t i = 0; i < node.edges; ++i)
            if (expanded.ends[first + i]) meet_end(node, i);
    }

    // Multiplies priors by how likely strong players make the moves, as the game core ranks them.
    void multiply_by_ranks(Node& node) {
        insight_->rank(store.state(node), ranks_);
        const EdgeRows rows = store.rows(node);
        edge_ranks_.resize(node.edges);
        for (std::uint32_t i = 0; i < node.edges; ++i)
            edge_ranks_[i] = ranks_[static_cast<std::size_t>(store.edge(node, i).move)];
        const float highest = std::ranges::max(edge_ranks_);
        for (float& rank : edge_ranks_) rank -= highest;
        exponentials(edge_ranks_.data(), node.edges);
        float sum = 0;
        for (std::uint32_t i = 0; i < node.edges; ++i) sum += rows.priors[i] *= edge_ranks_[i];
        for (std::uint32_t i = 0; i < node.edges; ++i) rows.priors[i] /= sum;
    }

    // Mixes priors with numbers drawn by lot that add up to one: exponentially distributed, thus uniform among all such
    // rows.
    void add_noise(float* priors, std::uint32_t count) {
        drawn_.resize(count);
        double sum = 0;
        for (double& number : drawn_) sum += number = 31 - logarithm(1 + random_.below((1u << 31) - 1));
        for (std::uint32_t i = 0; i < count; ++i)
            priors[i] += static_cast<float>(noise_ * (drawn_[i] / sum - priors[i]));
    }

    void find_best(Node& node) {
        for (std::uint32_t i = 0; i < node.edges; ++i)
            if (better(node, i, node.best)) node.best = i;
    }
    // Makes the values of the best edge those of the node.
    void copy_best(Node& node) {
        const Edge& best = store.edge(node, node.best);
        std::copy_n(best.values(), roles_, store.values(node));
        node.steps = best.steps;
    }
    // Marks an edge that leads to the end of a game as proven.
    void meet_end(Node& node, std::uint32_t i) {
        Edge& edge = store.edge(node, i);
        edge.steps = 1;
        store.rows(node).priors[i] = EdgeRows::proven;
        --node.open;
        if (roles_ == 2) goal_sums_.observe(static_cast<int>(edge.values()[0] + edge.values()[1]));
    }
    // Whether the best edge is proven to bring its mover as much as there is.
    bool has_proven_most(Node& node) const {
        const EdgeRows rows = store.rows(node);
        return rows.is_proven(node.best) && rows.values[node.best] >= top_goal;
    }
    // Whether the mover will make its best move, whatever that and its other moves may bring the others.
    bool is_decided(Node& node) const { return (roles_ > 2 || goal_sums_.refuted()) && has_proven_most(node); }
    // Whether the values of the best edge are those of perfect play.
    bool settled(Node& node) {
        const EdgeRows rows = store.rows(node);
        if (has_proven_most(node) && one_goal_tells_all()) return true;
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
    bool one_goal_tells_all() {
        if (goal_sums_.proven()) return true;
        assumes_ |= goal_sums_.likely();
        return goal_sums_.likely();
    }

    // Makes a node that nothing lies below, if something is known of the state from elsewhere.
    Index insert_known(std::uint64_t key, const Word* state) {
        if (!knowledge_ && !insight_) return nothing;
        std::vector<int> goals(static_cast<std::size_t>(roles_));
        int steps = knowledge_ ? knowledge_->find(state, goals.data()) : Knowledge::nothing;
        if (steps == Knowledge::nothing && insight_) steps = insight_->find(state, goals.data());
        if (steps < 0) return nothing;
        const Index index = store.make(key, state, 0);
        if (index == nothing) return nothing;
        Node& node = store.node(index);
        std::ranges::copy(goals, store.values(node));
        node.proven = true;
        node.steps = static_cast<std::uint8_t>(std::min(steps, most_steps));
        return index;
    }

    const float exploration_;
    const std::shared_ptr<const Knowledge> knowledge_;
    const std::unique_ptr<Insight> insight_;  // null: none
    const int roles_;
    GoalSums goal_sums_;
    const double noise_;  // part of the priors that is drawn by lot
    Random random_;
    std::vector<double> drawn_;
    std::vector<float> ranks_;       // of the moves of the role that moves
    std::vector<float> edge_ranks_;  // of a node's edges
    bool assumes_ = false;           // some proof rests on a sum of goals that is likely, not proven
    std::vector<float> results_;     // that are backed up
    std::vector<Leaf*> descending_;
    bool thorough_ = false;  // visits go on where a role has its best move: the last ones all ended in the tree
};

}  // namespace ludens::guided
