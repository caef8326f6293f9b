// The records of the search tree: nodes, blocks of eight edges, and moves that have no edge yet.
//
// A node begins with eight edges as arrays in three cache lines. The first line holds all that a selection compares;
// the second what else selection needs: where the edges lead, and the head of the node; the third what is needed at
// the end of a path and during backup. Most nodes are visited a few times only, so further moves wait as bare numbers
// and become edges, eight at a time, when all others have been tried. Everything is addressed by the number of its
// first cache line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/machine.hpp"

namespace ludens::mcts {

constexpr std::size_t cache_line = 64;
constexpr int sum_of_goals = 100;  // where it is constant: Game::constant_sum()

using Index = std::uint32_t;  // number of a cache line
constexpr Index nothing = 0xffffffff;
constexpr Index unexpanded_bit = 1u << 31;  // in EdgeBlock::next: not a block of edges, but UnexpandedMoves

constexpr bool is_block(Index index) { return (index & unexpanded_bit) == 0; }

// Refers to a node as long as its record has the same generation; later the node is gone.
struct Ref {
    Index index = nothing;
    std::uint16_t generation = 0;

    explicit operator bool() const { return index != nothing; }
    bool operator==(const Ref&) const = default;
};

struct NodeHead {
    enum : std::uint8_t { vacant, terminal, simultaneous, turn_of };  // turn_of + r: only role r chooses
    enum : std::uint8_t { bounded = 1, solved = 2, unexpanded = 4 };

    std::uint8_t age;  // how often the clock hand came by since the last visit
    std::uint8_t kind;
    std::uint8_t flags;  // bounded: some goal is bounded; solved: all are exact; unexpanded: moves without an edge
    std::uint16_t generation;
    std::uint16_t distance;  // of a solved node: steps to the end
    std::uint32_t visits;    // begun
};

// In the first block of each of several roles that choose at once.
struct RoleBlockHead {
    std::uint32_t edges;
};

// Eight edges, as arrays so that selection works on all eight at once. Blank places look like closed edges.
struct alignas(cache_line) EdgeBlock {
    static constexpr int size = 8;
    static constexpr float untried = 1e20f;            // mean of an edge that was never selected
    static constexpr float closed = -1e30f;            // mean of one that need not be selected again
    static constexpr std::uint32_t memory = 1u << 23;  // visits after which means forget
    static constexpr int most_in_flight = std::numeric_limits<std::uint16_t>::max();  // more cannot be counted

    std::uint32_t visits[size];  // begun
    float mean[size];            // goal of the role that moves, over completed visits

    union {
        Index child[size];   // where one role chooses
        float regret[size];  // where several do: see mcts/regret.cpp
    };
    std::uint16_t tag[size];  // generation of the child
    Index next;               // of the same role: a block, or UnexpandedMoves
    union {
        NodeHead head;
        RoleBlockHead role_head;
    };

    std::int32_t move[size];                // -1: blank
    std::uint8_t lower[size], upper[size];  // what is proven of that goal
    std::uint16_t completed_low[size];      // the low bits of completed visits, which tell how many are in flight

    std::uint16_t in_flight(int place) const {
        return static_cast<std::uint16_t>(visits[place] - completed_low[place]);
    }
    std::uint32_t completed(int place) const { return visits[place] - in_flight(place); }
    // Sets the number of completed visits; those in flight stay so.
    void set_completed(int place, std::uint32_t completed) {
        visits[place] = in_flight(place) + completed;
        completed_low[place] = static_cast<std::uint16_t>(completed);
    }
    // Counts a visit that begins. All counts are written, as vectors, so that the processor knows the address before it
    // knows the place: later reads of other blocks need not wait, and reads of this one, as vectors, are forwarded what
    // was written.
    void begin_visit(int place) {
        using Half [[gnu::vector_size(size / 2 * sizeof(std::uint32_t)), gnu::may_alias]] = std::uint32_t;
        Half* halves = reinterpret_cast<Half*>(visits);
        halves[0] -= Half{0, 1, 2, 3} == static_cast<std::uint32_t>(place);
        halves[1] -= Half{4, 5, 6, 7} == static_cast<std::uint32_t>(place);
    }
    // Counts the result of a visit that began earlier.
    void add_result(int place, float goal) {
        ++completed_low[place];
        if (mean[place] == closed) return;
        goal = std::clamp(goal, static_cast<float>(lower[place]), static_cast<float>(upper[place]));
        mean[place] += (goal - mean[place]) / static_cast<float>(std::min(completed(place), memory));
    }
};
static_assert(sizeof(EdgeBlock) == 3 * cache_line);

// The record begins with its first eight edges. A RoleSlot for each role, a lower and an upper bound of each role's
// goal, and the words of the state follow: see Tree::slots(), bounds() and state().
struct Node : EdgeBlock {
    std::uint32_t hash;
    Index hash_next;  // in the bucket's chain, or in the list of free records

    static constexpr std::size_t bytes_before_slots = sizeof(EdgeBlock) + sizeof(std::uint32_t) + sizeof(Index);
};

// Of a role that has no edges in the node's record: its only move, or where its edges are.
class RoleSlot {
public:
    static RoleSlot of_move(int move) { return RoleSlot(static_cast<std::uint32_t>(move)); }
    static RoleSlot of_edges(Index first) { return RoleSlot(first | edges_bit); }
    RoleSlot() = default;  // the role has no move

    // -1: there is none, or a choice among several.
    int move() const { return has_edges() ? -1 : static_cast<int>(value_); }
    // The block where the edges begin; `nothing`: there is no choice.
    Index first_block() const { return has_edges() ? value_ & ~edges_bit : nothing; }

private:
    static constexpr std::uint32_t none = 0xffffffff, edges_bit = 1u << 31;

    explicit RoleSlot(std::uint32_t value) : value_(value) {}
    bool has_edges() const { return value_ != none && (value_ & edges_bit) != 0; }

    std::uint32_t value_ = none;
};

// Moves that have no edge yet, in random order, in the place of a block.
struct alignas(cache_line) UnexpandedMoves {
    static constexpr std::uint32_t size = 45;
    Index next;  // UnexpandedMoves as well
    std::uint32_t begin, end;
    std::int32_t move[size];
};
static_assert(sizeof(UnexpandedMoves) == sizeof(EdgeBlock));

struct Edge {
    Index block = nothing;
    int place = 0;

    explicit operator bool() const { return block != nothing; }
    bool operator==(const Edge&) const = default;
};

// What a role chose, and how likely that was.
struct Choice {
    Edge edge = {};  // none: there was no choice
    float chance = 1;
};

// What is proven of a node, copied.
struct Proof {
    bool known = false;
    std::uint16_t distance = 0;
    std::vector<std::uint8_t> bounds;  // of each role's goal, lower and upper

    // Brings results into the proven bounds.
    void clamp(std::span<double> goals) const;
};

// Whether of two moves with the same proven goal the first is to be played: it wins sooner, or does not win and ends
// later, or is the lower of two that end at the same time.
constexpr bool ends_better(int goal, int distance, int move, int other_distance, int other_move) {
    if (distance == other_distance) return move < other_move;
    return goal > middle_goal ? distance < other_distance : distance > other_distance;
}

}  // namespace ludens::mcts
