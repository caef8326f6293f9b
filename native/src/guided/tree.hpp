// The tree of the guided search: nodes with all their children's values, found again by their state, or by one that a
// symmetry of the game carries it into: then the edge that leads there is `turned`, and moves below it are those of
// that image.
//
// Memory. One arena, filled from the start; a record is a node with its edges, and its number is its place in units
// of eight bytes. When it is full, compact() keeps what lies below the root and was visited often enough, slides it
// together (a mark-compact collector, as in Jones and Lins, "Garbage Collection", 1996) and leaves the other edges as
// they were before their child was made, but for their statistics.
//
// One thread at a time may change a tree. While it makes nodes others may look states up, which sees a node once its key
// and state are there; whatever else a node holds is not for them. compact() and clear() want the tree for themselves.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/machine.hpp"
#include "base/state_key.hpp"

namespace ludens::guided {

using Index = std::uint32_t;
constexpr Index nothing = 0xffffffff;

// What choosing among a node's edges looks at, a row of each for all edges: choosing reads them all on every visit, of
// the rest of an edge only of the one chosen. `proven` in place of a prior: the values are those of perfect play, and
// nobody goes there any more.
struct Rows {
    std::uint32_t* visits;  // completed and in flight
    float* values;          // expected by minimax for the role that chooses; at first those the evaluation tells
    float* means;           // of the leaves below; before there are any the first values
    float* priors;          // shares of the parent's visits, by the first values

    static constexpr float proven = -1;

    bool is_proven(std::size_t i) const { return priors[i] < 0; }
};

// One move of the role that chooses; `roles` values follow: the goals expected after it by minimax (max^n where
// there are more than two roles).
struct Edge {
    Index child;
    std::int32_t move;
    std::uint16_t in_flight;  // visits that are
    std::uint8_t turned;      // the child is an image of the state that the move leads to
    std::uint8_t steps;       // if proven: perfect play lasts so long; 255: or longer

    float* values() { return reinterpret_cast<float*>(this + 1); }
    const float* values() const { return reinterpret_cast<const float*>(this + 1); }
};

// The values and moves of all roles, the words of the state, the rows of the edges and the edges follow.
struct Node {
    std::uint64_t key;
    std::uint32_t visits;  // completed
    std::uint32_t edges;
    std::uint32_t open;  // edges that are not proven
    std::uint32_t best;  // the edge whose values are the node's
    Index forward;       // while compacting: where it goes
    std::uint16_t in_flight;
    std::uint8_t chooser;
    std::uint8_t steps;  // as of the best edge; where the game is over 0
    std::uint8_t proven, kept;
};

class Tree {
public:
    Tree(const Game& game, std::int64_t bytes, const std::vector<std::vector<int>>& symmetries);

    int roles() const { return roles_; }
    std::int64_t bytes() const { return bytes_; }
    std::int64_t nodes() const { return count_; }
    std::int64_t used_bytes() const { return std::int64_t{top_} * unit; }
    int bytes_per_node() const { return count_ ? static_cast<int>(used_bytes() / count_) : 0; }

    Node& node(Index index) const { return *reinterpret_cast<Node*>(arena_.get() + std::size_t{index} * unit); }
    float* values(Node& node) const { return reinterpret_cast<float*>(&node + 1); }
    // Of the roles that do not choose; that of the role that does is to be put in.
    int* moves(Node& node) const { return reinterpret_cast<int*>(values(node) + roles_); }
    Word* state(Node& node) const { return reinterpret_cast<Word*>(moves(node) + roles_); }
    Rows rows(Node& node) const {
        std::uint32_t* visits = reinterpret_cast<std::uint32_t*>(state(node) + words_);
        float* values = reinterpret_cast<float*>(visits + node.edges);
        return {visits, values, values + node.edges, values + 2 * std::size_t{node.edges}};
    }
    Edge& edge(Node& node, std::uint32_t i) const {
        std::byte* first = reinterpret_cast<std::byte*>(rows(node).priors + node.edges);
        return *reinterpret_cast<Edge*>(first + std::size_t{i} * edge_bytes_);
    }

    // What states have in common with their images, and no others.
    std::uint64_t key(const Word* state) const { return key_(state); }
    // The node of the state with that key, or unless it is to be that exactly, of an image.
    Index find(std::uint64_t key, const Word* state, bool exactly = false) const;
    bool is_of(Index index, const Word* state) const {
        return std::equal(state, state + words_, this->state(node(index)));
    }
    // Whether there is room in an empty tree for a node with so many edges.
    bool holds(std::uint32_t edges) const { return units(edges) <= limit_; }
    // A node to be filled in; `nothing` where there is no room.
    Index make(std::uint64_t key, const Word* state, std::uint32_t edges);
    // Forgets what is neither `root` nor below it, and of that what has few visits, until at most half of the room and
    // of the nodes that there may be is used or the root is alone. The new number of the root.
    Index compact(Index root);

    void clear();

    // Fetches what is about to be looked at into the cache.
    void prefetch(Index index) const;
    void prefetch_slot(std::uint64_t key) const { __builtin_prefetch(&slots_[first_slot(key)]); }

private:
    static constexpr std::size_t unit = 8;
    static constexpr std::size_t vector_bytes = 32;  // that may be read from the end of a row on

    struct Use {
        Index units;
        std::int64_t nodes;
    };

    // Open addressing slows down as its slots fill up: one in eight stays empty.
    std::int64_t most_nodes() const { return static_cast<std::int64_t>(slots_.size() - slots_.size() / 8); }
    std::size_t first_slot(std::uint64_t key) const { return (key >> 32) & (slots_.size() - 1); }
    Index units(std::uint32_t edges) const;
    Use mark(Index root, std::uint32_t threshold);
    bool leaves_room(Use kept) const { return kept.units <= limit_ / 2 && kept.nodes <= most_nodes() / 2; }
    Index slide(Index root);
    void enter(Index index);
    void empty_slots();

    const StateKey key_;
    const bool symmetric_;
    const int roles_, words_;
    const std::size_t edge_bytes_;
    const std::int64_t bytes_;
    std::vector<std::atomic<Index>> slots_;  // open addressing; a power of two
    std::unique_ptr<std::byte[]> arena_;
    Index limit_, top_ = 0;
    std::int64_t count_ = 0;
};

}  // namespace ludens::guided
