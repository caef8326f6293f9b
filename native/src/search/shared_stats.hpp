// Statistics of a search tree that are passed on: between the threads of a search, and as words between searches of the
// same game in other processes or on other machines.
//
// What is passed on is what a tree found out by itself about the edges of its most visited nodes. Nodes are found again
// by a hash of their state. Only nodes where one role chooses are shared, and goals are those of that role.
//
// As words: a format number; a SumReliance; then of each node the hash and the number of edges, and of each edge three
// words: move, distance, lower and upper bound in 32, 16, 8 and 8 bits, the most significant first; the visits; the sum
// of goals as a double.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/machine.hpp"
#include "base/random.hpp"

namespace ludens {

// What a search tells of a sum of goals that is likely, not proven (base/goal_sums.hpp): that no proof rests on it; that
// some do; or that two ends had different sums, so that nobody's proofs may rest on it.
enum class SumReliance : std::uint8_t { none, relied, refuted };

// Results of an edge.
struct EdgeStats {
    int move;
    std::int64_t visits = 0;  // completed
    double goals = 0;         // summed over these
    std::uint8_t lower = 0, upper = best_goal;
    std::uint16_t distance = 0;  // where proven: steps to the end

    int proven() const { return lower == upper ? lower : -1; }
    // Whether there is anything to be told of it.
    bool known() const { return visits > 0 || lower > 0 || upper < best_goal; }
    // Adds results of the same edge in another tree.
    void add(const EdgeStats& more) {
        if (more.proven() >= 0) distance = proven() >= 0 ? std::min(distance, more.distance) : more.distance;
        visits += more.visits;
        goals += more.goals;
        lower = std::max(lower, more.lower);
        upper = std::min(upper, more.upper);
    }
};

// Results of the edges of some nodes. Immutable once it is passed on.
class StatsSnapshot {
public:
    // Returns the hash by which a node is found again.
    static std::uint64_t key(std::span<const Word> state) { return hash_words(state); }

    // Returns the list to which the results of the node's edges are to be appended, before end().
    std::vector<EdgeStats>& begin(std::uint64_t node) {
        nodes_.push_back(node);
        places_[node].first = edges_.size();
        return edges_;
    }
    void end(std::uint64_t node) { places_[node].second = edges_.size(); }
    std::span<const EdgeStats> of(std::uint64_t node) const {
        const auto place = places_.find(node);
        if (place == places_.end()) return {};
        const auto [begin, end] = place->second;
        return {edges_.data() + begin, end - begin};
    }
    // In the order in which they were begun.
    std::span<const std::uint64_t> nodes() const { return nodes_; }

    // Returns it as words.
    std::vector<Word> words() const;
    // Reads words of a search of the same game; none at all are an empty snapshot. Throws Error unless words() may have
    // made them.
    static StatsSnapshot from_words(std::span<const Word> words, const Game& game);

    SumReliance sums = SumReliance::none;

private:
    std::vector<EdgeStats> edges_;
    std::vector<std::uint64_t> nodes_;
    std::unordered_map<std::uint64_t, std::pair<std::size_t, std::size_t>> places_;  // where a node's edges are
};

// Adds up what several snapshots tell of a node: one entry for each move of which any of them knows something.
class EdgeSums {
public:
    // Begins again; adds what `snapshots`, pointers to them, tell of the node.
    template <class Pointers> void collect(const Pointers& snapshots, std::uint64_t node) {
        for (const int move : moves_) by_move_[static_cast<std::size_t>(move)] = {.move = -1};
        moves_.clear();
        for (const auto& snapshot : snapshots)
            for (const EdgeStats& edge : snapshot->of(node)) add(edge);
    }
    // Returns the sum of a move; null where nothing is known of it.
    const EdgeStats* of(int move) const {
        const auto place = static_cast<std::size_t>(move);
        return place < by_move_.size() && by_move_[place].move >= 0 ? &by_move_[place] : nullptr;
    }
    // The moves of which something is known.
    std::span<const int> moves() const { return moves_; }

private:
    void add(const EdgeStats& edge) {
        const auto move = static_cast<std::size_t>(edge.move);
        if (move >= by_move_.size()) by_move_.resize(move + 1, EdgeStats{.move = -1});
        EdgeStats& sum = by_move_[move];
        if (sum.move >= 0) return sum.add(edge);
        sum = edge;
        moves_.push_back(edge.move);
    }

    std::vector<EdgeStats> by_move_;
    std::vector<int> moves_;
};

}  // namespace ludens
