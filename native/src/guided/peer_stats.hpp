// Statistics of the guided search's tree for searches of the same game elsewhere, its peers, and of theirs in the tree:
// root parallelisation (Chaslot, Winands and van den Herik, "Parallel Monte-Carlo tree search", 2008) in which not only
// the root is shared, but all nodes with some share of its visits.
//
// What peers found out counts as visits and means of edges, and as proofs where the goal of one role says that of the
// other. What was imported is remembered, so that it is never told as one's own and each message takes the place of the
// one before. A node is found by its very state: images of it have other moves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "guided/search_tree.hpp"
#include "search/shared_stats.hpp"

namespace ludens::guided {

// Every call needs the tree's lock.
class PeerStats {
public:
    PeerStats(SearchTree& tree, const Game& game, int peers)
        : tree_(tree), words_(static_cast<std::size_t>(game.state_words())), told_(static_cast<std::size_t>(peers)) {}

    // Returns what the tree found out by itself about the nodes that are visited most, at most `most` of them.
    StatsSnapshot own(int most) const {
        StatsSnapshot snapshot;
        if (told_.empty()) return snapshot;
        if (tree_.sums_differ()) snapshot.sums = SumReliance::refuted;
        else if (tree_.assumes()) snapshot.sums = SumReliance::relied;
        for (const Index index : most_visited(static_cast<std::size_t>(most))) {
            Node& node = tree_.store.node(index);
            std::vector<EdgeStats>& edges = snapshot.begin(key(node));
            for (std::uint32_t i = 0; i < node.edges; ++i)
                if (const EdgeStats edge = own(node, i); edge.known()) edges.push_back(edge);
            snapshot.end(key(node));
        }
        return snapshot;
    }
    // Takes what a peer found out, in place of what it told before; the tree may be refuted by it. Throws Error if there
    // is no such peer.
    void take(int peer, StatsSnapshot snapshot) {
        if (peer < 0 || peer >= static_cast<int>(told_.size())) throw Error("there is no such peer");
        if (snapshot.sums == SumReliance::refuted) tree_.refute_sums();
        told_[static_cast<std::size_t>(peer)] = std::make_unique<const StatsSnapshot>(std::move(snapshot));
        import();
    }
    // Adds to the tree what the peers told last; for a new root.
    void import() {
        std::vector<const StatsSnapshot*> heard;
        for (const auto& snapshot : told_)
            if (snapshot && !(snapshot->sums == SumReliance::relied && tree_.sums_differ()))
                heard.push_back(snapshot.get());
        if (heard.empty()) return;
        for (const Index index : most_visited(most_shared)) {
            Node& node = tree_.store.node(index);
            sums_.collect(heard, key(node));
            if (!sums_.moves().empty()) import(node);
        }
    }
    // For a tree from which nodes were removed: nothing that was imported is left of those.
    void forget_removed() {
        std::erase_if(imported_, [&](const auto& entry) {
            const Word* state = entry.second.state.data();
            return tree_.store.find(tree_.store.key(state), state, true) == nothing;
        });
    }

private:
    static constexpr std::size_t most_shared = 512;
    static constexpr std::uint32_t shared_part = 256;   // of the root's visits, that a node needs to be shared ...
    static constexpr std::uint32_t shared_visits = 16;  // ... and how many at least

    struct ImportedEdge {
        std::int64_t visits = 0;
        double goals = 0;
    };
    struct ImportedNode {
        std::vector<Word> state;
        std::vector<ImportedEdge> edges;
    };

    std::uint64_t key(Node& node) const { return StatsSnapshot::key({tree_.store.state(node), words_}); }

    // The root and what is visited most below it, breadth first.
    std::vector<Index> most_visited(std::size_t most) const {
        std::vector<Index> found;
        if (tree_.root == nothing || tree_.store.node(tree_.root).edges == 0) return found;
        const std::uint32_t enough = std::max(tree_.store.node(tree_.root).visits / shared_part, shared_visits);
        std::unordered_set<Index> seen{tree_.root};
        found.push_back(tree_.root);
        for (std::size_t i = 0; i < found.size(); ++i) {
            Node& node = tree_.store.node(found[i]);
            const EdgeRows rows = tree_.store.rows(node);
            for (std::uint32_t e = 0; e < node.edges && found.size() < most; ++e) {
                const Index child = tree_.store.edge(node, e).child;
                if (child == nothing || rows.visits[e] < enough || tree_.store.node(child).edges == 0) continue;
                if (seen.insert(child).second) found.push_back(child);
            }
        }
        return found;
    }

    EdgeStats own(Node& node, std::uint32_t i) const {
        const EdgeRows rows = tree_.store.rows(node);
        const Edge& edge = tree_.store.edge(node, i);
        EdgeStats stats{.move = edge.move, .visits = std::int64_t{rows.visits[i]} - edge.in_flight};
        stats.goals = rows.means[i] * static_cast<double>(stats.visits);
        if (rows.is_proven(i)) {
            stats.lower = stats.upper = static_cast<std::uint8_t>(rows.values[i]);
            stats.distance = edge.steps;
        }
        if (const auto found = imported_.find(key(node)); found != imported_.end()) {
            stats.visits -= found->second.edges[i].visits;
            stats.goals -= found->second.edges[i].goals;
        }
        stats.visits = std::max<std::int64_t>(stats.visits, 0);
        stats.goals = std::clamp(stats.goals, 0.0, static_cast<double>(best_goal * stats.visits));
        return stats;
    }

    // Replaces what was imported of a node by the sums.
    void import(Node& node) {
        const auto [place, first] = imported_.try_emplace(key(node));
        ImportedNode& imported = place->second;
        if (first) imported.state.assign(tree_.store.state(node), tree_.store.state(node) + words_);
        imported.edges.resize(node.edges);
        for (std::uint32_t i = 0; i < node.edges; ++i) {
            const EdgeStats* now = sums_.of(tree_.store.edge(node, i).move);
            if (now == nullptr) continue;
            ImportedEdge& before = imported.edges[i];
            if (tree_.add_visits(node, i, now->visits - before.visits, now->goals - before.goals))
                before = {now->visits, now->goals};
            if (now->proven() >= 0) tree_.take_proof(node, i, now->proven(), now->distance);
        }
        tree_.settle(node);
    }

    SearchTree& tree_;
    const std::size_t words_;
    std::vector<std::unique_ptr<const StatsSnapshot>> told_;    // by each peer; null: nothing yet
    std::unordered_map<std::uint64_t, ImportedNode> imported_;  // by the hash of the state
    EdgeSums sums_;
};

}  // namespace ludens::guided
