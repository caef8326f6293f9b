// The search tree: nodes found again by their state, statistics on edges, a fixed amount of memory.
//
// Memory. One arena holds node records, which grow from its start, and chunks of eight edges, which grow from its
// end. Where they meet the arena is full: from then on a clock hand goes round the nodes and gives up those that
// have few visits and were not touched for a while (Corbato, "A paging experiment with the Multics system",
// 1968). Records and chunks never change into one another, so any index ever handed out points at something of
// the right kind, and a Ref carries the generation of its record to tell whether that is still the same node.
//
// Nodes that a descent has passed and not yet backed up (in_flight > 0) and the root are never given up: paths
// may hold plain indices.
//
// Locks. A node's lock guards its record and its edges; the lowest level is the lock bit in each bucket of the
// transposition table, which guards the bucket's chain (Node::next, and that a node in it stays one). Order: node
// before bucket; nobody holds two nodes. `growth_` is held alone and only while the arena is not yet full.
// A node's state, kind and moves do not change while it lives and need no lock once it was met under one.
//
// Counting. Visits in flight are counted apart from completed ones (Liu et al., "Watch the unobserved", 2020).
// Counts are 32 bits; a node with 2^30 visits halves all its statistics, so they cannot overflow.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "machine.hpp"
#include "search_random.hpp"
#include "tree_memory.hpp"

namespace ludens {

constexpr std::size_t cache_line = 64;
constexpr int middle_goal = 50;  // also what a missing goal counts as

using Index = std::uint32_t;
constexpr Index nothing = 0xffffffff;

struct Ref {
    Index index = nothing;
    std::uint32_t generation = 0;

    explicit operator bool() const { return index != nothing; }
    bool operator==(const Ref&) const = default;
};

// Eight edges, as arrays so that selection works on all eight at once. Blank places of the last chunk of a group
// look like moves that lose beyond measure.
struct alignas(cache_line) Chunk {
    static constexpr int size = 8;
    std::uint32_t visits[size];     // completed
    std::uint32_t in_flight[size];
    double sum[size];               // of goals of the role that moves, over completed visits
    union {
        Ref child[size];            // where one role chooses
        double estimate[size];      // where several do: see search_regret.cpp
    };
    std::int32_t move[size];
    Index next;                     // chunk of the same group
    std::uint32_t started;          // first chunk of a group: how many of its edges were ever selected,
    Index frontier;                 // ... and the chunk of the first that was not
};
static_assert(sizeof(Chunk) == 256);

// An edge: its chunk and its place there.
using Edge = std::uint32_t;
constexpr Index chunk_of(Edge edge) { return edge / Chunk::size; }
constexpr int place_of(Edge edge) { return static_cast<int>(edge % Chunk::size); }

// What a role chose, and how likely that was.
struct Choice {
    Edge edge = nothing;  // `nothing`: there was no choice
    float chance = 1;
};

// One role's alternatives at a node.
struct Group {
    double sum;           // of the role's goals over completed visits; of a terminal node: its goal
    Index first;          // chunk; where `edges` is 0, the only move (-1: none)
    std::uint32_t edges;  // 0 where there is nothing to choose
};

// The record's head; `roles` groups and the words of the state follow.
struct Node {
    enum : std::uint16_t { vacant, terminal, simultaneous, turn_of };  // turn_of + r: only r chooses

    std::uint8_t lock;
    std::uint8_t age;  // how often the clock hand came by since the last visit
    std::uint16_t kind;
    std::uint32_t generation;
    std::uint32_t visits, in_flight;
    Index next;        // in the bucket's chain, or in the list of spare nodes
    std::uint32_t hash;
};

// One thread's spare nodes and chunks, linked by their `next`, and what it needs to make nodes.
struct Store {
    explicit Store(std::uint64_t seed) : random(seed) {}

    Index nodes = nothing, chunks = nothing;
    std::uint32_t chunk_count = 0;
    std::atomic<std::int64_t> made = 0, recycled = 0;
    std::vector<int> moves;  // legal moves, role after role ...
    std::vector<int> ends;   // ... each ending here
    Random random;

    void forget() {
        nodes = chunks = nothing;
        chunk_count = 0;
        recycled.store(made.load());
    }
};

class Tree {
public:
    static constexpr std::uint32_t visit_limit = 1u << 30;

    // `bytes` is for everything: records, edges, transposition table and joint moves.
    Tree(const Game& game, std::int64_t bytes);

    int roles() const { return roles_; }
    int state_words() const { return state_words_; }
    std::int64_t bytes() const { return static_cast<std::int64_t>(pages_.bytes()); }
    int bytes_per_node() const;

    Node& node(Index index) const { return *reinterpret_cast<Node*>(nodes_ + index * node_bytes_); }
    std::span<Group> groups(Node& node) const {
        return {reinterpret_cast<Group*>(&node + 1), static_cast<std::size_t>(roles_)};
    }
    Word* state(Node& node) const { return reinterpret_cast<Word*>(groups(node).data() + roles_); }
    Chunk& chunk(Index index) const { return chunks_end_[-static_cast<std::ptrdiff_t>(index) - 1]; }

    std::uint32_t hash(const Word* state) const;
    void prefetch_bucket(std::uint32_t hash) const;
    Ref find(const Word* state, std::uint32_t hash) const;

    // The node of a state, made unless it is there; no Ref when there is no room. `legal` as Machine reads it.
    Ref make(Store& store, const Word* state, std::uint32_t hash, const Word* legal);
    Ref make_terminal(Store& store, const Word* state, std::uint32_t hash, const int* goals);
    // Gives up whatever can be until a node with these moves fits.
    void make_room_for(Store& store, const Word* legal);

    // Forgets all nodes; their users and all stores must have forgotten them before.
    void clear();

    // The root is kept whatever happens.
    void keep(Index root) { root_.store(root, std::memory_order_relaxed); }

    // Where choices, one per role, lead. Parent locked.
    Ref child(const Node& parent, Index parent_index, const Choice* choices) const;
    void set_child(Node& parent, Index parent_index, const Choice* choices, Ref child);

    // The next edge of a group that was never selected, or `nothing`. Node locked.
    Edge untried(const Group& group) const;

    // Counts a visit under way along one choice a role, and a completed one with these goals. Node locked.
    void depart(Node& node, const Choice* choices) const;
    void arrive(Node& node, const Choice* choices, const double* goals) const;

    int move(const Group& group, Edge edge) const {
        return edge == nothing ? static_cast<int>(group.first) : chunk(chunk_of(edge)).move[place_of(edge)];
    }

    // Hints for the processor: the record, then its first edges.
    void prefetch(Index index) const;
    void prefetch_edges(Index index) const;
    void prefetch_edge(Edge edge) const;

private:
    struct Bucket;

    std::uint64_t joint_key(const Node& parent, Index parent_index, const Choice* choices) const;

    void list_moves(Store& store, const Word* legal) const;
    std::uint32_t chunks_needed(const Store& store) const;
    std::uint16_t kind(const Store& store) const;
    void fill(Store& store, Node& node, std::uint16_t kind);
    Index link_edges(Store& store, std::span<int> moves, std::uint16_t kind);
    Ref publish(Store& store, Index index, const Word* state, std::uint32_t hash);
    void unlink(Index index);
    void halve(Node& node) const;

    // tree_recycle.cpp
    Index take_node(Store& store) const;
    Index take_chunk(Store& store) const;
    void give_node(Store& store, Index index) const;
    void give_edges(Store& store, Node& node) const;
    bool reserve(Store& store, std::uint32_t chunks);
    bool grow(Store& store, std::uint32_t chunks);
    bool has(const Store& store, std::uint32_t chunks) const;
    void pass(Store& store, bool ruthless);
    bool worth_keeping(Node& node) const;
    void adapt_threshold();
    void evict(Store& store, Index index);

    const int roles_, state_words_;
    std::vector<int> move_counts_;
    const std::size_t node_bytes_;
    Pages pages_;
    std::uint32_t bucket_mask_ = 0;
    Index* buckets_ = nullptr;  // index + 1 of the first node, 0: none; the top bit is the lock
    JointCache joints_;
    std::byte* nodes_ = nullptr;
    Chunk* chunks_end_ = nullptr;

    std::mutex growth_;
    std::atomic<Index> node_top_ = 0, chunk_top_ = 0;
    std::atomic<bool> full_ = false;
    std::atomic<Index> root_ = nothing;
    std::atomic<std::uint64_t> hand_ = 0;
    std::atomic<std::uint32_t> threshold_ = 1;    // visits up to which a forgotten node is given up
    std::atomic<std::uint32_t> freed_ = 0;        // in this revolution of the hand
};

// ---- What every level of every descent runs through --------------------------------------------------------

inline std::uint64_t Tree::joint_key(const Node& parent, Index parent_index, const Choice* choices) const {
    std::uint64_t key = mix(std::uint64_t{parent_index} << 32 | parent.generation);
    for (int r = 0; r < roles_; ++r) key = mix(key + 0x9e3779b97f4a7c15u + choices[r].edge);
    return key;
}

inline Ref Tree::child(const Node& parent, Index parent_index, const Choice* choices) const {
    if (parent.kind == Node::simultaneous) {
        const std::uint64_t value = joints_.find(joint_key(parent, parent_index, choices));
        return value == 0 ? Ref{} : Ref{static_cast<Index>(value >> 32) - 1, static_cast<std::uint32_t>(value)};
    }
    const Edge edge = choices[parent.kind - Node::turn_of].edge;
    return chunk(chunk_of(edge)).child[place_of(edge)];
}

inline Edge Tree::untried(const Group& group) const {
    Chunk& first = chunk(group.first);
    if (first.started == group.edges) return nothing;
    const Edge edge = first.frontier * Chunk::size + first.started % Chunk::size;
    if (++first.started % Chunk::size == 0) first.frontier = chunk(first.frontier).next;
    return edge;
}

inline void Tree::depart(Node& node, const Choice* choices) const {
    node.age = 0;
    ++node.in_flight;
    for (int r = 0; r < roles_; ++r) {
        const Edge edge = choices[r].edge;
        if (edge != nothing) ++chunk(chunk_of(edge)).in_flight[place_of(edge)];
    }
}

inline void Tree::arrive(Node& node, const Choice* choices, const double* goals) const {
    --node.in_flight;
    ++node.visits;
    const std::span all = groups(node);
    for (int r = 0; r < roles_; ++r) {
        all[r].sum += goals[r];
        const Edge edge = choices[r].edge;
        if (edge == nothing) continue;
        Chunk& c = chunk(chunk_of(edge));
        const int place = place_of(edge);
        --c.in_flight[place];
        ++c.visits[place];
        c.sum[place] += goals[r];
        if (node.kind == Node::simultaneous) c.estimate[place] += (goals[r] - middle_goal) / choices[r].chance;
    }
    if (node.visits >= visit_limit) halve(node);
}

inline void Tree::prefetch(Index index) const {
    const std::byte* record = reinterpret_cast<const std::byte*>(&node(index));
    __builtin_prefetch(record);
    __builtin_prefetch(record + cache_line);
}

inline void Tree::prefetch_edges(Index index) const {
    Node& node = this->node(index);
    const std::uint16_t kind = std::atomic_ref(node.kind).load(std::memory_order_relaxed);
    if (kind < Node::turn_of) return;
    const Index first = std::atomic_ref(groups(node)[kind - Node::turn_of].first).load(std::memory_order_relaxed);
    if (first >= chunk_top_.load(std::memory_order_relaxed)) return;
    const std::byte* edges = reinterpret_cast<const std::byte*>(&chunk(first));
    for (std::size_t at = 0; at < sizeof(Chunk); at += cache_line) __builtin_prefetch(edges + at);
}

inline void Tree::prefetch_edge(Edge edge) const {
    const std::byte* edges = reinterpret_cast<const std::byte*>(&chunk(chunk_of(edge)));
    __builtin_prefetch(edges);
    __builtin_prefetch(edges + cache_line);
}

}  // namespace ludens
