// The tree of the guided search: nodes with all their children's values, found again by their state, or by one that a
// symmetry of the game carries it into: then the edge that leads there is `turned`, and moves below it are those of
// that image.
//
// Memory. One arena, filled from the start; a record is a node with its edges, and its number is its place in units
// of eight bytes. When it is full, compact() keeps what lies below the root and was visited often enough, slides it
// together (a mark-compact collector, as in Jones and Lins, "Garbage Collection", 1996) and leaves the other edges as
// they were before their child was made, but for their statistics.
//
// Not synchronised: whoever shares a tree locks it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "machine.hpp"
#include "state_key.hpp"

namespace ludens::guided {

using Index = std::uint32_t;
constexpr Index nothing = 0xffffffff;

// One move of the role that chooses; `roles` values follow: the goals expected after it by minimax (max^n where
// there are more than two roles), at first those that the evaluation tells.
struct Edge {
    Index child;
    std::int32_t move;
    std::uint32_t visits;     // completed
    std::uint16_t in_flight;
    std::uint8_t proven : 1;  // the values are those of perfect play ...
    std::uint8_t turned : 1;  // the child is an image of the state that the move leads to
    std::uint8_t steps;       // ... of perfect play, which lasts so long; 255: or longer
    float mean;               // of the leaves below, goal of the role that chooses
    float prior;              // its share of the parent's visits, by the values at first

    float* values() { return reinterpret_cast<float*>(this + 1); }
    const float* values() const { return reinterpret_cast<const float*>(this + 1); }
};

// The values and moves of all roles, the words of the state and the edges follow.
struct Node {
    std::uint32_t visits, in_flight;
    std::uint32_t edges;
    std::uint32_t best;       // the edge whose values are the node's
    std::int32_t chooser;
    std::uint32_t hash;
    Index forward;            // while compacting: where it goes
    std::uint8_t proven, kept;
    std::uint8_t steps;       // as of the best edge; where the game is over 0
    std::uint8_t unused;
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
    Edge& edge(Node& node, std::uint32_t i) const {
        std::byte* first = reinterpret_cast<std::byte*>(state(node) + words_);
        return *reinterpret_cast<Edge*>(first + std::size_t{i} * edge_bytes_);
    }

    // The node of the state, or unless it is to be that exactly, of an image.
    Index find(const Word* state, bool exactly = false) const;
    bool is_of(Index index, const Word* state) const { return std::equal(state, state + words_, this->state(node(index))); }
    // A node to be filled in; `nothing` where there is no room.
    Index make(const Word* state, std::uint32_t edges);
    // Forgets what is neither `root` nor below it, and of that what has few visits, until at most half is used or the root is alone.
    // The new number of the root.
    Index compact(Index root);

    void clear();

    void prefetch(Index index) const;

private:
    static constexpr std::size_t unit = 8;

    Index units(std::uint32_t edges) const;
    Index mark(Index root, std::uint32_t threshold);
    Index slide(Index root);
    void enter(Index index);

    const StateKey key_;
    const bool symmetric_;
    const int roles_, words_;
    const std::size_t edge_bytes_;
    const std::int64_t bytes_;
    std::vector<Index> slots_;  // open addressing; a power of two
    std::unique_ptr<std::byte[]> arena_;
    Index limit_, top_ = 0;
    std::int64_t count_ = 0;
};

}  // namespace ludens::guided
