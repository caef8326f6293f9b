// The nodes of the guided search, each with the values of all its children, found again by their state or by an image
// of it under a symmetry of the game: then the edge that leads there is marked `is_image`, and moves below it are those
// of the image.
//
// Memory. One arena, filled from the start; a record is a node with its edges, and its index is its place in units of
// eight bytes. When the arena is full, compact() keeps what lies below the root and was visited often enough, and
// slides it together (a mark-compact collector, as in Jones and Lins, "Garbage Collection", 1996). Edges whose child is
// gone keep their statistics, and their values until a new child is as well founded.
//
// Threads. One thread at a time may change nodes. While it makes nodes others may call find(), which sees a node once
// its key and state are written; they must not read anything else of a node. No thread may call anything during
// compact() and clear().
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/machine.hpp"
#include "base/pages.hpp"
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
    std::uint16_t in_flight;      // visits without a result yet
    std::uint8_t is_image : 1;    // the child is an image of the state that the move leads to
    std::uint8_t of_removed : 1;  // the values are those of a child that was removed
    std::uint8_t steps;           // if proven: how long perfect play lasts, at most 255

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
    // The arena is not touched before it is used.
    NodeStore(const Game& game, std::int64_t bytes, const std::vector<std::vector<int>>& symmetries)
        : key_(game, symmetries), symmetric_(!symmetries.empty()), roles_(game.roles()), words_(game.state_words()),
          edge_bytes_(sizeof(Edge) + static_cast<std::size_t>(game.roles()) * sizeof(float)), bytes_(bytes),
          slots_(slot_count(bytes)) {
        clear();
        const std::size_t room =
            static_cast<std::size_t>(key_.left_of(bytes)) - slots_.size() * sizeof(Index) - vector_bytes;
        limit_ = static_cast<Index>(std::min<std::size_t>(room / unit, nothing - 1));
        arena_.emplace(std::size_t{limit_} * unit + vector_bytes);
    }

    std::int64_t bytes() const { return bytes_; }
    std::int64_t nodes() const { return count_; }
    std::int64_t used_bytes() const { return std::int64_t{top_} * unit; }
    int bytes_per_node() const { return count_ ? static_cast<int>(used_bytes() / count_) : 0; }

    Node& node(Index index) const { return *reinterpret_cast<Node*>(arena_->start() + std::size_t{index} * unit); }
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
    // With symmetries the key alone decides: 64 bits tell images of a state from other states.
    Index find(std::uint64_t key, const Word* state, bool exactly = false) const {
        for (std::size_t slot = first_slot(key);; slot = (slot + 1) & (slots_.size() - 1)) {
            const Index index = slots_[slot].load(std::memory_order_acquire);
            if (index == nothing) return nothing;
            if (node(index).key == key && ((symmetric_ && !exactly) || is_node_of(index, state))) return index;
        }
    }
    bool is_node_of(Index index, const Word* state) const {
        return std::equal(state, state + words_, this->state(node(index)));
    }
    // Whether a node with so many edges fits into an empty arena.
    bool can_hold(std::uint32_t edges) const { return units(edges) <= limit_; }
    // Makes a node that is to be filled in; `nothing` where there is no room.
    Index make(std::uint64_t key, const Word* state, std::uint32_t edges) {
        const Index size = units(edges);
        if (limit_ - top_ < size || count_ >= most_nodes()) return nothing;
        const Index index = top_;
        top_ += size;
        ++count_;
        Node& made = node(index);
        std::memset(&made, 0, std::size_t{size} * unit);
        made.key = key;
        made.edges = made.open = edges;
        std::copy_n(state, words_, this->state(made));
        for (std::uint32_t i = 0; i < edges; ++i) edge(made, i).child = nothing;
        enter_slot(index);
        return index;
    }

    // Removes what is neither `root` nor below it, and of that what has few visits, until at most half of the room, and
    // half as many nodes as there may be, are in use or the root is alone. Returns the new index of the root.
    Index compact(Index root) {
        std::uint32_t threshold = 0;
        while (!leaves_room(mark(root, threshold)) && threshold < nothing) threshold = threshold * 2 + 1;
        return slide(root);
    }

    void clear() {
        empty_slots();
        top_ = 0;
        count_ = 0;
    }

    // Fetches into the cache what is about to be read of a node.
    void prefetch(Index index) const {
        const std::byte* record = reinterpret_cast<const std::byte*>(&node(index));
        for (int line = 0; line < lines_ahead; ++line) __builtin_prefetch(record + line * 64);
    }
    void prefetch_slot(std::uint64_t key) const { __builtin_prefetch(&slots_[first_slot(key)]); }

private:
    static constexpr std::size_t unit = 8;
    static constexpr std::size_t vector_bytes = 32;  // that may be read from the end of a row on
    static constexpr std::size_t row_bytes = 3 * sizeof(float) + sizeof(std::uint32_t);  // of an edge in all rows
    static constexpr std::int64_t least_bytes = 1 << 16;
    static constexpr std::int64_t bytes_per_slot = 128;  // a node is seldom smaller, so slots are seldom short
    static constexpr int lines_ahead = 7;                // of the cache: nodes of a dozen edges

    struct Usage {
        Index units;
        std::int64_t nodes;
    };

    static std::size_t slot_count(std::int64_t bytes) {
        if (bytes < least_bytes) throw Error("memory_bytes must be at least " + std::to_string(least_bytes));
        return std::bit_ceil(static_cast<std::size_t>(bytes / bytes_per_slot));
    }
    // Open addressing slows down as its slots fill up, so one in eight stays empty.
    std::int64_t most_nodes() const { return static_cast<std::int64_t>(slots_.size() - slots_.size() / 8); }
    std::size_t first_slot(std::uint64_t key) const { return (key >> 32) & (slots_.size() - 1); }
    Index units(std::uint32_t edges) const {
        const std::size_t values_and_moves = static_cast<std::size_t>(roles_) * (sizeof(float) + sizeof(int));
        const std::size_t state = static_cast<std::size_t>(words_) * sizeof(Word);
        return static_cast<Index>(
            (sizeof(Node) + values_and_moves + state + edges * (row_bytes + edge_bytes_) + unit - 1) / unit);
    }
    // Marks the root and what is reached from it through nodes with at least `threshold` visits; returns how much room
    // that takes.
    Usage mark(Index root, std::uint32_t threshold) {
        Usage kept{};
        for (Index at = 0; at < top_; at += units(node(at).edges)) node(at).kept = 0;
        std::vector<Index> waiting{root};
        node(root).kept = 1;
        while (!waiting.empty()) {
            Node& from = node(waiting.back());
            waiting.pop_back();
            kept.units += units(from.edges);
            ++kept.nodes;
            for (std::uint32_t i = 0; i < from.edges; ++i) {
                const Index child = edge(from, i).child;
                if (child == nothing || node(child).kept || node(child).visits < threshold) continue;
                node(child).kept = 1;
                waiting.push_back(child);
            }
        }
        return kept;
    }

    bool leaves_room(Usage kept) const { return kept.units <= limit_ / 2 && kept.nodes <= most_nodes() / 2; }
    // Moves what is marked to the start of the arena, and returns the new index of the root.
    Index slide(Index root) {
        Index to = 0;
        for (Index at = 0; at < top_; at += units(node(at).edges)) {
            if (!node(at).kept) continue;
            node(at).forward = to;
            to += units(node(at).edges);
        }
        for (Index at = 0; at < top_; at += units(node(at).edges)) {
            if (!node(at).kept) continue;
            for (std::uint32_t i = 0; i < node(at).edges; ++i) {
                Edge& to_child = edge(node(at), i);
                if (to_child.child != nothing) move_child(to_child);
            }
        }
        root = node(root).forward;
        empty_slots();
        count_ = 0;
        for (Index at = 0, next; at < top_; at = next) {
            const Index size = units(node(at).edges), forward = node(at).forward;
            next = at + size;
            if (!node(at).kept) continue;
            std::memmove(&node(forward), &node(at), std::size_t{size} * unit);
            enter_slot(forward);
            ++count_;
        }
        top_ = to;
        return root;
    }

    void move_child(Edge& edge) {
        const Node& child = node(edge.child);
        edge.of_removed |= !child.kept;
        edge.child = child.kept ? child.forward : nothing;
    }

    void enter_slot(Index index) {
        std::size_t slot = first_slot(node(index).key);
        while (slots_[slot].load(std::memory_order_relaxed) != nothing) slot = (slot + 1) & (slots_.size() - 1);
        slots_[slot].store(index, std::memory_order_release);
    }
    void empty_slots() {
        for (std::atomic<Index>& slot : slots_) slot.store(nothing, std::memory_order_relaxed);
    }

    const StateKey key_;
    const bool symmetric_;
    const int roles_, words_;
    const std::size_t edge_bytes_;
    const std::int64_t bytes_;
    std::vector<std::atomic<Index>> slots_;  // open addressing; a power of two
    std::optional<Pages> arena_;
    Index limit_, top_ = 0;
    std::int64_t count_ = 0;
};

}  // namespace ludens::guided
