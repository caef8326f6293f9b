// The search tree: nodes found again by their state, statistics on edges, a fixed amount of memory.
//
// Layout of the records: mcts/node.hpp.
//
// Memory. One arena holds node records, which grow from its start, and blocks of eight edges, which grow from its
// end. Where they meet the arena is full: from then on a clock hand goes round the nodes and evicts those that have
// few visits and were not touched for a while (Corbato, "A paging experiment with the Multics system", 1968). Records
// and blocks never change into one another, so any index ever handed out points at something of the right kind, and
// a Ref carries the generation of its record to tell whether that is still the same node.
//
// The root is never evicted, nor are nodes in which a visit is in flight: a path may hold plain indices.
//
// Threads. A tree belongs to one thread: see mcts/stats_sync.hpp.
//
// Counting. Visits in flight are counted from their beginning, but have no result yet (Liu et al., "Watch the
// unobserved", 2020). Results are kept as running means, which forget slowly after 2^23 visits, where a float
// would no longer notice a result.
//
// Proofs. See mcts/tree_proof.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/goal_sums.hpp"
#include "base/machine.hpp"
#include "base/random.hpp"
#include "base/role_moves.hpp"
#include "mcts/amaf.hpp"
#include "mcts/node.hpp"
#include "mcts/tree_memory.hpp"

namespace ludens::mcts {

class Tree {
public:
    static constexpr std::uint32_t visit_limit = 1u << 30;
    static constexpr std::uint32_t regret_window = 1u << 20;

    // `bytes` is for everything: records, edges, the table of states and the joint moves. Throws Error if there is too
    // little of it, or for more roles than a record can tell apart.
    Tree(const Game& game, std::int64_t bytes, std::uint64_t seed);

    int roles() const { return roles_; }
    int state_words() const { return state_words_; }
    std::int64_t bytes() const { return static_cast<std::int64_t>(pages_.bytes()); }
    int bytes_per_node() const;
    std::int64_t nodes() const { return made_ - recycled_; }
    std::int64_t recycled() const { return recycled_; }

    Node& node(Index index) const { return *reinterpret_cast<Node*>(base_ + index * cache_line); }
    EdgeBlock& block(Index index) const { return *reinterpret_cast<EdgeBlock*>(base_ + index * cache_line); }
    std::span<std::uint8_t> bounds(Node& node) const {
        return {at<std::uint8_t>(node, bounds_at_), 2 * static_cast<std::size_t>(roles_)};
    }
    Word* state(Node& node) const { return at<Word>(node, state_at_); }

    // The block where the role's edges begin; `nothing` where it has no choice.
    Index first_block(Node& node, Index index, int role) const {
        if (node.head.kind == NodeHead::turn_of + role) return index;
        return node.head.kind == NodeHead::simultaneous ? slots(node)[role].first_block() : nothing;
    }
    // The move of a role that chose `edge`, or had no choice; -1: none.
    int move(Node& node, int role, Edge edge) const {
        return edge ? block(edge.block).move[edge.place] : slots(node)[role].move();
    }
    // The edge that a role chose, if it had a choice.
    Edge edge_of(const Node& node, const Choice* choices, int role) const {
        if (node.head.kind == NodeHead::simultaneous) return choices[role].edge;
        return node.head.kind == NodeHead::turn_of + role ? choices->edge : Edge{};
    }
    // How many choices are made at a node: one by the role whose turn it is, or one by each role.
    std::size_t choices(const Node& node) const {
        return node.head.kind == NodeHead::simultaneous ? static_cast<std::size_t>(roles_) : 1;
    }

    // ---- Lookup by state: mcts/tree.cpp

    std::uint32_t hash(const Word* state) const;
    void prefetch_bucket(std::uint32_t hash) const;
    Ref find(const Word* state, std::uint32_t hash) const;
    // Where choices lead.
    Ref child(const Node& parent, Index parent_index, const Choice* choices) const;
    void set_child(Node& parent, Index parent_index, const Choice* choices, Ref child);

    // ---- Making nodes: mcts/tree_nodes.cpp

    // Returns the node of a state, made unless it is there; no Ref when there is no room. `legal` as Machine reads it.
    // The first edges are those of random moves, of the moves with the best means in `amaf`, or else of those with the
    // highest `ranks`, which are of the moves of the role that chooses.
    Ref make(const Word* state, std::uint32_t hash, const Word* legal, AmafView amaf = {},
             std::span<const float> ranks = {});
    // Makes a node that nothing lies below: the game is over, or an end is known that many steps away.
    Ref make_terminal(const Word* state, std::uint32_t hash, const int* goals, int steps = 0);
    // Makes edges of the next unexpanded moves and returns the first; none where there is no room.
    Edge expand_moves(Node& node, Index index);
    // Puts the unexpanded moves with the best means first.
    void prioritise(Index index, AmafRow amaf);

    // ---- Making room: mcts/tree_recycle.cpp

    // Evicts nodes until one with these moves fits, or all are gone that can be.
    void make_room_for(const Word* legal);
    // Removes all nodes; no Ref and no index may be used afterwards.
    void clear();
    // Names the node that is never evicted.
    void pin_root(Index root) { root_ = root; }

    // ---- Statistics

    // What an edge without a result counts as: the mean of the edges tried so far.
    float first_value(const Node& node) const;
    // Counts a visit that begins along these choices.
    void begin_visit(Node& node, Index index, const Choice* choices) const;
    // Counts the goals [roles] that a visit along these choices has brought.
    void add_result(Node& node, const Choice* choices, const double* goals) const;
    // Counts visits that begin, at the node alone: its edges have been updated.
    void begin_visit(Node& node, std::uint32_t visits) const {
        node.head.age = 0;
        const std::uint32_t before = node.head.visits;
        node.head.visits += visits;
        if (node.head.visits / regret_window != before / regret_window) [[unlikely]]
            halve_statistics(node);
    }
    // Calls use(edge, move) for every move from `first` on; the edge is none where the move has none yet.
    template <class Use> void each_move(Index first, Use use) const;
    // How many visits have begun along these choices.
    std::uint32_t visits(const Node& node, const Choice* choices) const;
    // How many visits of the node have no result yet.
    std::uint32_t in_flight(Node& node) const;
    // Nodes whose counts have been halved since they were asked for; one that was halved twice is there twice.
    std::vector<Index> take_halved() { return std::exchange(halved_, {}); }

    // ---- Proofs: mcts/tree_proof.cpp

    // What is known of the sum of two goals. Every visit that comes to an end observes it, as a random game does: in a
    // small game all ends are nodes soon, and hardly a random game is played.
    GoalSums& goal_sums() { return goal_sums_; }
    const GoalSums& goal_sums() const { return goal_sums_; }
    // Whether something may be proven that rests on equal sums of all ends; so it was taken from elsewhere.
    bool assumes() const { return assumes_; }
    void note_assumption() const { assumes_ = true; }
    // Copies what is proven of a node; nothing is known of one that is gone.
    void copy_proof(Ref of, Proof& proof) const;
    void copy_proof(Node& node, Proof& proof) const;
    // Takes over what is proven of the node that `edge` of this node, where one role chooses, leads to.
    void refine(Node& node, Index index, Edge edge, const Proof& below) const;
    // The proven goal of an edge; -1: unknown.
    int proven(const EdgeBlock& block, int place) const {
        return block.lower[place] == block.upper[place] ? block.lower[place] : -1;
    }
    // Of a node where one role chooses and its goal is proven: the edge that wins soonest or loses latest, of equal ones
    // that of the lowest move.
    Edge proven_edge(Node& node, Index index) const;
    // Whether it is proven what the one role that chooses can get.
    bool decided(Node& node) const;
    // Steps to the end from where a proven edge leads; very many where that is not known.
    int distance(const EdgeBlock& block, int place) const;
    // Where one role chooses: the least visited edge that might still be best and whose goal is not proven.
    Edge unresolved_edge(Node& node, Index index) const;

    // ---- Hints for the processor

    // Fetches what selection reads of a node.
    void prefetch(Index index) const { prefetch(index, 0, 2); }
    // Fetches what else is read of the last node of a path.
    void prefetch_leaf(Index index) const { prefetch(index, 2, node_lines_); }
    // Fetches what backup needs of a block.
    void prefetch_block(Index index) const { prefetch(index, 0, sizeof(EdgeBlock) / cache_line); }

private:
    void prefetch(Index index, std::size_t begin, std::size_t end) const {
        for (std::size_t line = begin; line < end; ++line) __builtin_prefetch(base_ + (index + line) * cache_line, 1);
    }

    // What lies that many bytes behind the start of a record.
    template <class T> static T* at(Node& node, std::size_t offset) {
        return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(&node) + offset);
    }
    RoleSlot* slots(Node& node) const { return at<RoleSlot>(node, Node::bytes_before_slots); }
    UnexpandedMoves& unexpanded(Index index) const {
        return *reinterpret_cast<UnexpandedMoves*>(base_ + (index & ~unexpanded_bit) * cache_line);
    }
    std::uint64_t joint_key(const Node& parent, Index parent_index, const Choice* choices) const;
    void unlink(Index index);
    void halve_statistics(Node& node) const;
    Index index_of(const Node& node) const {
        return static_cast<Index>((reinterpret_cast<const std::byte*>(&node) - base_) / cache_line);
    }
    template <class Use> void each_block_of(EdgeBlock& first, Use use) const;  // of one role
    template <class Use> void each_block(Node& node, Use use) const;

    // mcts/tree_nodes.cpp
    void list_moves(const Word* legal);
    std::span<int> listed_moves(int role);
    std::uint32_t blocks_needed();
    std::uint8_t kind();
    void fill(Node& node, std::uint8_t kind, AmafView amaf, std::span<const float> ranks);
    void fill_edges(EdgeBlock& block, std::span<const int> moves, float mean) const;
    void shuffle(std::span<int> moves);
    void prioritise(std::span<int> moves, AmafRow amaf);
    Index link_edges(std::span<const int> moves);
    Index link_unexpanded(std::span<const int> moves);
    Ref insert(Index index, const Word* state, std::uint32_t hash);

    // mcts/tree_proof.cpp
    bool up_to_date(Node& node, int mover) const;
    void bound_others(Node& node, Index index, int mover, std::uint8_t least) const;
    void bound_opponent(Node& node, Index index, int mover) const;
    void close_edges(Node& node, std::uint8_t least) const;
    bool widen_range(Ref child) const;
    bool tighten(Node& node, int role, int lower, int upper) const;

    // mcts/tree_recycle.cpp
    Index nth_record(std::uint64_t number) const { return static_cast<Index>(number * node_lines_); }
    Index allocate_node();
    Index allocate_block();
    void release_node(Index index);
    void release_block(Index index);
    void release_chain(Index first);
    void release_edges(Node& node);
    bool reserve(std::uint32_t blocks);
    bool grow(std::uint32_t blocks);
    bool has_free(std::uint32_t blocks) const { return free_nodes_ != nothing && free_block_count_ >= blocks; }
    void advance_hand(bool force);
    bool worth_keeping(Node& node) const;
    void adapt_threshold();
    void evict(Index index);

    const int roles_, state_words_;
    GoalSums goal_sums_;
    mutable bool assumes_ = false;
    mutable std::vector<Index> halved_;
    mutable std::vector<std::uint8_t> range_;  // of goals; see bound_others()
    const RoleMoves role_moves_;
    const std::size_t bounds_at_, state_at_, node_lines_;
    Pages pages_;
    std::uint32_t bucket_mask_ = 0;
    Index* buckets_ = nullptr;  // index + 1 of the first node, 0: none
    JointMoveCache joint_children_;
    std::byte* base_ = nullptr;
    Index lines_ = 0;

    Random random_;
    std::vector<int> moves_;  // legal moves of the node to be made, role after role ...
    std::vector<int> ends_;   // ... each ending here

    Index node_top_ = 0, block_top_ = 0;                  // how many there are
    Index free_nodes_ = nothing, free_blocks_ = nothing;  // lists by `hash_next` and `next`
    std::uint32_t free_block_count_ = 0;
    std::int64_t made_ = 0, recycled_ = 0;
    bool full_ = false;
    Index root_ = nothing, expanding_ = nothing;  // nodes that the hand leaves alone
    std::uint64_t hand_ = 0;
    std::uint32_t threshold_ = 1;  // visits up to which a node that was not touched is evicted
    std::uint32_t evicted_ = 0;    // in this round of the hand
};

// ---- What every level of every path runs through -----------------------------------------------------------

inline std::uint64_t Tree::joint_key(const Node& parent, Index parent_index, const Choice* choices) const {
    std::uint64_t key = mix(std::uint64_t{parent_index} << 32 | parent.head.generation);
    for (int r = 0; r < roles_; ++r) {
        const Edge edge = choices[r].edge;
        key = mix(key + golden_ratio + (std::uint64_t{edge.block} << 8 | static_cast<unsigned>(edge.place)));
    }
    return key;
}

inline Ref Tree::child(const Node& parent, Index parent_index, const Choice* choices) const {
    if (parent.head.kind == NodeHead::simultaneous) {
        const std::uint64_t value = joint_children_.find(joint_key(parent, parent_index, choices));
        return value == 0 ? Ref{} : Ref{static_cast<Index>(value >> 32) - 1, static_cast<std::uint16_t>(value)};
    }
    const Edge edge = choices->edge;
    const EdgeBlock& c = block(edge.block);
    return {c.child[edge.place], c.tag[edge.place]};
}

template <class Use> void Tree::each_block_of(EdgeBlock& first, Use use) const {
    use(first);
    for (Index i = first.next; is_block(i); i = block(i).next) use(block(i));
}

template <class Use> void Tree::each_block(Node& node, Use use) const {
    if (node.head.kind >= NodeHead::turn_of) return each_block_of(node, use);
    if (node.head.kind != NodeHead::simultaneous) return;
    for (int r = 0; r < roles_; ++r) {
        if (const Index first = slots(node)[r].first_block(); first != nothing) each_block_of(block(first), use);
    }
}

template <class Use> void Tree::each_move(Index first, Use use) const {
    Index i = first;
    for (; is_block(i); i = block(i).next) {
        for (int p = 0; p < EdgeBlock::size; ++p) {
            if (block(i).move[p] >= 0) use(Edge{i, p}, static_cast<int>(block(i).move[p]));
        }
    }
    for (; i != nothing; i = unexpanded(i).next) {
        for (std::uint32_t n = unexpanded(i).begin; n < unexpanded(i).end; ++n)
            use(Edge{}, static_cast<int>(unexpanded(i).move[n]));
    }
}

// The mean of the edges tried so far.
inline float Tree::first_value(const Node& node) const {
    float visits = 0, sum = 0;
    for (int p = 0; p < EdgeBlock::size; ++p) {
        const bool counts = node.mean[p] < EdgeBlock::untried && node.mean[p] > EdgeBlock::closed;
        const float n = counts ? static_cast<float>(node.visits[p]) : 0;
        visits += n;
        sum += n * (counts ? node.mean[p] : 0);
    }
    return visits == 0 ? middle_goal : sum / visits;
}

// The most common block is recognised by a comparison, whose outcome the processor predicts: then it knows the address
// at once, and goes on to the next visit while the place is still being worked out.
inline void Tree::begin_visit(Node& node, Index index, const Choice* choices) const {
    const auto depart_in = [&](EdgeBlock& c, int place) {
        if (c.mean[place] == EdgeBlock::untried) [[unlikely]]
            c.mean[place] = first_value(node);
        c.begin_visit(place);
    };
    const auto depart_along = [&](Edge edge) {
        if (edge.block == index) return depart_in(node, edge.place);
        depart_in(block(edge.block), edge.place);
    };
    if (node.head.kind == NodeHead::simultaneous) {
        for (int r = 0; r < roles_; ++r) {
            if (choices[r].edge) depart_along(choices[r].edge);
        }
    } else {
        depart_along(choices->edge);
    }
    begin_visit(node, 1);
}

inline void Tree::add_result(Node& node, const Choice* choices, const double* goals) const {
    const bool turn = node.head.kind != NodeHead::simultaneous;
    const int first_role = turn ? node.head.kind - NodeHead::turn_of : 0;
    for (std::size_t i = 0; i < this->choices(node); ++i) {
        const Edge edge = choices[i].edge;
        if (!edge) continue;
        block(edge.block).add_result(edge.place, static_cast<float>(goals[first_role + static_cast<int>(i)]));
    }
}

// The joint move was visited as often as the least visited of its parts.
inline std::uint32_t Tree::visits(const Node& node, const Choice* choices) const {
    std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t i = 0; i < this->choices(node); ++i) {
        if (const Edge edge = choices[i].edge) least = std::min(least, block(edge.block).visits[edge.place]);
    }
    return least;
}

}  // namespace ludens::mcts
