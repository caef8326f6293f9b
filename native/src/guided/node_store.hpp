// The nodes of the guided search, each with the values of all its children, found again by their state or by an image
// of it under a symmetry of the game: then the edge that leads there is marked `is_image`, and moves below it are those
// of the image.
//
// Memory. One arena, filled from the start; a record is a node with its edges, and its index is its place in units of
// eight bytes. When the arena is full, compact() keeps what lies below the root and was visited often enough, and
// slides it together (a mark-compact collector, as in Jones and Lins, "Garbage Collection", 1996). Edges whose child is
// gone keep their statistics.
//
// Threads. One thread at a time may change nodes. While it makes nodes others may call find(), which sees a node once
// its key and state are written; they must not read anything else of a node. No thread may call anything during
// compact() and clear().
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

// The numbers of a node's edges that selection compares, a row of each: selection reads all of them on every visit, and
// of the rest of an edge only that of the one chosen. `proven` in place of a prior: the values are those of perfect
// play, and no visit goes there any more.
struct EdgeRows {
    std::uint32_t* visits;  // completed and in flight
    float* values;          // expected by minimax for the role that chooses; at first by the evaluation
    float* means;           // of the leaves below; before there are any the first values
    float* priors;          // of PUCT, by the first values: they add up to one

    static constexpr float proven = -1;

    bool is_proven(std::size_t i) const { return priors[i] < 0; }
};

// One move of the role that chooses; `roles` values follow: the goals expected after it by minimax (max^n where
// there are more than two roles).
struct Edge {
    Index child;
    std::int32_t move;
    std::uint16_t in_flight;  // visits without a result yet
    std::uint8_t is_image;    // the child is an image of the state that the move leads to
    std::uint8_t steps;       // if proven: how long perfect play lasts, at most 255

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
    Index forward;       // during compact(): where the record goes
    std::uint16_t in_flight;
    std::uint8_t mover;  // the role that chooses
    std::uint8_t steps;  // as of the best edge; 0 where the game is over
    std::uint8_t proven, kept;
};

class NodeStore {
public:
    // `bytes`: for everything. Throws Error if there is too little.
    NodeStore(const Game& game, std::int64_t bytes, const std::vector<std::vector<int>>& symmetries);

    int roles() const { return roles_; }
    std::int64_t bytes() const { return bytes_; }
    std::int64_t nodes() const { return count_; }
    std::int64_t used_bytes() const { return std::int64_t{top_} * unit; }
    int bytes_per_node() const { return count_ ? static_cast<int>(used_bytes() / count_) : 0; }

    Node& node(Index index) const { return *reinterpret_cast<Node*>(arena_.get() + std::size_t{index} * unit); }
    float* values(Node& node) const { return reinterpret_cast<float*>(&node + 1); }
    // The moves [roles] of those that do not choose; the mover's own is to be filled in.
    int* moves(Node& node) const { return reinterpret_cast<int*>(values(node) + roles_); }
    Word* state(Node& node) const { return reinterpret_cast<Word*>(moves(node) + roles_); }
    EdgeRows rows(Node& node) const {
        std::uint32_t* visits = reinterpret_cast<std::uint32_t*>(state(node) + words_);
        float* values = reinterpret_cast<float*>(visits + node.edges);
        return {visits, values, values + node.edges, values + 2 * std::size_t{node.edges}};
    }
    Edge& edge(Node& node, std::uint32_t i) const {
        std::byte* first = reinterpret_cast<std::byte*>(rows(node).priors + node.edges);
        return *reinterpret_cast<Edge*>(first + std::size_t{i} * edge_bytes_);
    }

    // A number that a state has in common with its images, and with no others (but by chance).
    std::uint64_t key(const Word* state) const { return key_(state); }
    // Returns the node of the state with that key, or, unless `exactly` is set, of an image; `nothing` if there is
    // none.
    Index find(std::uint64_t key, const Word* state, bool exactly = false) const;
    bool is_node_of(Index index, const Word* state) const {
        return std::equal(state, state + words_, this->state(node(index)));
    }
    // Whether a node with so many edges fits into an empty arena.
    bool can_hold(std::uint32_t edges) const { return units(edges) <= limit_; }
    // Makes a node that is to be filled in; `nothing` where there is no room.
    Index make(std::uint64_t key, const Word* state, std::uint32_t edges);
    // Removes what is neither `root` nor below it, and of that what has few visits, until at most half of the room, and
    // half as many nodes as there may be, are in use or the root is alone. Returns the new index of the root.
    Index compact(Index root);

    void clear();

    // Fetches into the cache what is about to be read of a node.
    void prefetch(Index index) const;
    void prefetch_slot(std::uint64_t key) const { __builtin_prefetch(&slots_[first_slot(key)]); }

private:
    static constexpr std::size_t unit = 8;
    static constexpr std::size_t vector_bytes = 32;  // that may be read from the end of a row on

    struct Usage {
        Index units;
        std::int64_t nodes;
    };

    // Open addressing slows down as its slots fill up, so one in eight stays empty.
    std::int64_t most_nodes() const { return static_cast<std::int64_t>(slots_.size() - slots_.size() / 8); }
    std::size_t first_slot(std::uint64_t key) const { return (key >> 32) & (slots_.size() - 1); }
    Index units(std::uint32_t edges) const;
    Usage mark(Index root, std::uint32_t threshold);
    bool leaves_room(Usage kept) const { return kept.units <= limit_ / 2 && kept.nodes <= most_nodes() / 2; }
    Index slide(Index root);
    void enter_slot(Index index);
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
