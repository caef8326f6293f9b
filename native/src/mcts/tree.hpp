// The search tree: nodes found again by their state, statistics on edges, a fixed amount of memory.
//
// Layout. A node begins with eight edges as arrays in three cache lines. The first holds all that a selection
// compares; the second what else a descent needs: where the edges lead, and the head of the node; the third what is
// needed at its end and on the way back. Most nodes are met a few times only, so that further moves wait as bare
// numbers and become edges, eight at a time, when all others have been tried. Everything is addressed by the number
// of its first cache line.
//
// Memory. One arena holds node records, which grow from its start, and chunks of eight edges, which grow from its
// end. Where they meet the arena is full: from then on a clock hand goes round the nodes and gives up those that
// have few visits and were not touched for a while (Corbato, "A paging experiment with the Multics system",
// 1968). Records and chunks never change into one another, so any index ever handed out points at something of
// the right kind, and a Ref carries the generation of its record to tell whether that is still the same node.
//
// Nodes that a descent has passed and not yet backed up (some edge is in flight) and the root are never given up:
// paths may hold plain indices.
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
#include <vector>

#include "base/machine.hpp"
#include "base/random.hpp"
#include "mcts/amaf.hpp"
#include "mcts/tree_memory.hpp"

namespace ludens {

constexpr std::size_t cache_line = 64;
constexpr int middle_goal = 50;  // also what a missing goal counts as
constexpr int best_goal = 100;
constexpr int sum_of_goals = 100;  // where it is constant: Game::constant_sum()

using Index = std::uint32_t;  // number of a cache line
constexpr Index nothing = 0xffffffff;
constexpr Index undrawn_bit = 1u << 31;  // in Chunk::next: not a chunk of edges, but Undrawn moves

constexpr bool is_chunk(Index index) { return (index & undrawn_bit) == 0; }

struct Ref {
    Index index = nothing;
    std::uint16_t generation = 0;

    explicit operator bool() const { return index != nothing; }
    bool operator==(const Ref&) const = default;
};

struct NodeHead {
    enum : std::uint8_t { vacant, terminal, simultaneous, turn_of };  // turn_of + r: only r chooses
    enum : std::uint8_t { bounded = 1, solved = 2, undrawn = 4 };

    std::uint8_t age;  // how often the clock hand came by since the last visit
    std::uint8_t kind;
    std::uint8_t flags;  // bounded: a bound says something; solved: all are exact; undrawn: more moves wait
    std::uint16_t generation;
    std::uint16_t distance;  // of a solved node: steps to the end
    std::uint32_t visits;    // begun
};

// In the first chunk of each of several roles that choose at once.
struct GroupHead {
    std::uint32_t edges;
};

// Eight edges, as arrays so that selection works on all eight at once. Blank places look like closed edges.
struct alignas(cache_line) Chunk {
    static constexpr int size = 8;
    static constexpr float fresh = 1e20f;              // mean of an edge that was never selected
    static constexpr float closed = -1e30f;            // mean of one that need not be selected again
    static constexpr std::uint32_t memory = 1u << 23;  // visits after which means forget

    std::uint32_t visits[size];  // begun
    float mean[size];            // goal of the role that moves, over completed visits

    union {
        Index child[size];   // where one role chooses
        float regret[size];  // where several do: see mcts/regret.cpp
    };
    std::uint16_t tag[size];  // generation of the child
    Index next;               // of the same role: a chunk, or Undrawn moves
    union {
        NodeHead head;
        GroupHead group;
    };

    std::int32_t move[size];                // -1: blank
    std::uint8_t lower[size], upper[size];  // what is proven of that goal
    std::uint16_t arrived[size];            // completed visits, of which the lowest bits tell how many are in flight

    std::uint16_t in_flight(int place) const { return static_cast<std::uint16_t>(visits[place] - arrived[place]); }
    std::uint32_t completed(int place) const { return visits[place] - in_flight(place); }
    // Sets the number of completed visits; those in flight stay so.
    void complete(int place, std::uint32_t completed) {
        visits[place] = in_flight(place) + completed;
        arrived[place] = static_cast<std::uint16_t>(completed);
    }
    // Counts a visit that begins. All counts are written, as vectors, so that where is known before the place is: later
    // reads, of other chunks, need not wait for that, and those of the same, as vectors, are given what was written.
    void depart(int place) {
        using Half [[gnu::vector_size(size / 2 * sizeof(std::uint32_t)), gnu::may_alias]] = std::uint32_t;
        Half* halves = reinterpret_cast<Half*>(visits);
        halves[0] -= Half{0, 1, 2, 3} == static_cast<std::uint32_t>(place);
        halves[1] -= Half{4, 5, 6, 7} == static_cast<std::uint32_t>(place);
    }
    // Counts its result.
    void arrive(int place, float goal) {
        ++arrived[place];
        if (mean[place] == closed) return;
        goal = std::clamp(goal, static_cast<float>(lower[place]), static_cast<float>(upper[place]));
        mean[place] += (goal - mean[place]) / static_cast<float>(std::min(completed(place), memory));
    }
};
static_assert(sizeof(Chunk) == 3 * cache_line);

// The record begins with its first eight edges. A seat for each role (its only move, -1: none; or -2 less its first
// chunk), a pair of bounds for each, and the words of the state follow.
struct Node : Chunk {
    std::uint32_t hash;
    Index twin;  // next in the bucket's chain, or in the list of spare nodes
};

// Moves that have no edge yet, in random order, in the place of a chunk.
struct alignas(cache_line) Undrawn {
    static constexpr std::uint32_t size = 45;
    Index next;  // Undrawn as well
    std::uint32_t begin, end;
    std::int32_t move[size];
};
static_assert(sizeof(Undrawn) == sizeof(Chunk));

struct Edge {
    Index chunk = nothing;
    int place = 0;

    explicit operator bool() const { return chunk != nothing; }
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
    bool solved = false;
    std::uint16_t distance = 0;
    std::vector<std::uint8_t> bounds;  // of each role, lower and upper

    // No result outside what is proven passes a node.
    void clamp(std::span<double> goals) const;
};

class Tree {
public:
    static constexpr std::uint32_t visit_limit = 1u << 30;
    static constexpr std::uint32_t memory_of_regret = 1u << 20;

    // `bytes` is for everything: records, edges, transposition table and joint moves.
    Tree(const Game& game, std::int64_t bytes, std::uint64_t seed);

    int roles() const { return roles_; }
    int state_words() const { return state_words_; }
    std::int64_t bytes() const { return static_cast<std::int64_t>(pages_.bytes()); }
    int bytes_per_node() const;
    std::int64_t nodes() const { return made_ - recycled_; }
    std::int64_t recycled() const { return recycled_; }

    Node& node(Index index) const { return *reinterpret_cast<Node*>(base_ + index * cache_line); }
    Chunk& chunk(Index index) const { return *reinterpret_cast<Chunk*>(base_ + index * cache_line); }
    std::span<std::uint8_t> bounds(Node& node) const {
        return {reinterpret_cast<std::uint8_t*>(&node) + bounds_at_, 2 * static_cast<std::size_t>(roles_)};
    }
    Word* state(Node& node) const { return reinterpret_cast<Word*>(reinterpret_cast<std::byte*>(&node) + state_at_); }

    // The first of the role's edges; `nothing` where it has no choice.
    Index first_chunk(Node& node, Index index, int role) const {
        if (node.head.kind == NodeHead::turn_of + role) return index;
        return node.head.kind == NodeHead::simultaneous ? group(node, role) : nothing;
    }
    // The move of a role that chose `edge`, or had no choice; -1: none.
    int move(Node& node, int role, Edge edge) const {
        return edge ? chunk(edge.chunk).move[edge.place] : seats(node)[role];
    }
    // The edge that a role chose, if it had a choice.
    Edge edge_of(const Node& node, const Choice* choices, int role) const {
        if (node.head.kind == NodeHead::simultaneous) return choices[role].edge;
        return node.head.kind == NodeHead::turn_of + role ? choices->edge : Edge{};
    }
    // How many choices are made at a node: one by the role whose turn it is, or one by each.
    std::size_t choices(const Node& node) const {
        return node.head.kind == NodeHead::simultaneous ? static_cast<std::size_t>(roles_) : 1;
    }

    std::uint32_t hash(const Word* state) const;
    void prefetch_bucket(std::uint32_t hash) const;
    Ref find(const Word* state, std::uint32_t hash) const;

    // The node of a state, made unless it is there; no Ref when there is no room. `legal` as Machine reads it. The first
    // edges are of moves drawn at random, or of those that promise most.
    Ref make(const Word* state, std::uint32_t hash, const Word* legal, AmafView amaf = {});
    // One that nothing lies below: the game is over, or so many steps from an end that is known.
    Ref make_terminal(const Word* state, std::uint32_t hash, const int* goals, int steps = 0);
    // Gives up whatever can be until a node with these moves fits.
    void make_room_for(const Word* legal);
    // Makes edges of the next undrawn moves and returns the first; none where there is no room.
    Edge draw(Node& node, Index index);
    // Has those of the node's undrawn moves drawn next that promise most.
    void bring_forward(Index index, AmafRow amaf);

    // Forgets all nodes; their users must have forgotten them before.
    void clear();

    // The root is kept whatever happens.
    void keep(Index root) { root_ = root; }

    // Where choices lead.
    Ref child(const Node& parent, Index parent_index, const Choice* choices) const;
    void set_child(Node& parent, Index parent_index, const Choice* choices, Ref child);

    // What an edge that is tried is worth until it has a result of its own.
    float first_value(const Node& node) const;
    // Counts a visit that begins along these choices, and a completed one with these goals.
    void depart(Node& node, Index index, const Choice* choices) const;
    void arrive(Node& node, const Choice* choices, const double* goals) const;
    // Counts visits that begin, of the node alone.
    void depart(Node& node, std::uint32_t visits) const {
        node.head.age = 0;
        const std::uint32_t before = node.head.visits;
        node.head.visits += visits;
        if (node.head.visits / memory_of_regret != before / memory_of_regret) [[unlikely]]
            forget_slowly(node);
    }

    // Calls use(edge, move) for every move from `first` on; no edge where it has none yet.
    template <class Use>
    void each_move(Index first, Use use) const;

    // How many have begun along these choices.
    std::uint32_t visits(const Node& node, const Choice* choices) const;

    // How many visits are in flight.
    std::uint32_t in_flight(Node& node) const;

    // mcts/tree_proof.cpp
    // Takes note of the sum of the goals with which a game ended, however often it did: in a small game all ends are
    // nodes soon, and hardly a random game is played.
    void observe_end(int sum);
    // Whether two ends had different sums; so that is known from elsewhere.
    bool ends_differ() const;
    void note_that_ends_differ();
    // Whether something may be proven that rests on equal sums of all ends; so it was taken from elsewhere.
    bool assumes() const { return assumes_; }
    void note_assumption() const { assumes_ = true; }
    void copy_proof(Ref of, Proof& proof) const;
    void copy_proof(Node& node, Proof& proof) const;
    void refine(Node& node, Index index, Edge edge, const Proof& below) const;
    int proven(const Chunk& chunk, int place) const {
        return chunk.lower[place] == chunk.upper[place] ? chunk.lower[place] : -1;
    }
    // Of a node where one role chooses and its goal is proven: the edge that wins soonest or loses latest.
    Edge proven_edge(Node& node, Index index) const;
    bool decided(Node& node) const;
    // Steps to the end from where a proven edge leads; very many where that is not known.
    int distance(const Chunk& chunk, int place) const;
    // Where one role chooses: the least visited edge that might still be best, and of which that is not yet proven.
    Edge unresolved_edge(Node& node, Index index) const;

    // Hints for the processor: what a descent needs of a node; what it needs of the last one, and what the way back
    // needs of each.
    void prefetch(Index index) const { prefetch(index, 0, 2); }
    void prefetch_leaf(Index index) const { prefetch(index, 2, node_lines_); }
    void prefetch_chunk(Index index) const { prefetch(index, 0, sizeof(Chunk) / cache_line); }

private:
    void prefetch(Index index, std::size_t begin, std::size_t end) const {
        for (std::size_t line = begin; line < end; ++line) __builtin_prefetch(base_ + (index + line) * cache_line, 1);
    }

    std::span<std::int32_t> seats(Node& node) const {
        return {reinterpret_cast<std::int32_t*>(&node.twin + 1), static_cast<std::size_t>(roles_)};
    }
    Undrawn& undrawn(Index index) const {
        return *reinterpret_cast<Undrawn*>(base_ + (index & ~undrawn_bit) * cache_line);
    }
    std::uint64_t joint_key(const Node& parent, Index parent_index, const Choice* choices) const;

    void list_moves(const Word* legal);
    std::uint32_t chunks_needed() const;
    std::uint8_t kind() const;
    void fill(Node& node, std::uint8_t kind, AmafView amaf);
    void fill_edges(Chunk& chunk, std::span<const int> moves, float mean) const;
    void shuffle(std::span<int> moves);
    void bring_forward(std::span<int> moves, AmafRow amaf);
    Index link_edges(std::span<const int> moves);
    Index link_undrawn(std::span<const int> moves);
    Ref publish(Index index, const Word* state, std::uint32_t hash);
    void unlink(Index index);
    void forget_slowly(Node& node) const;

    Index group(Node& node, int role) const {
        const std::int32_t seat = seats(node)[role];
        return seat < -1 ? static_cast<Index>(-2 - seat) : nothing;
    }
    template <class Use>
    void each_chunk_of(Chunk& first, Use use) const;  // of one role
    template <class Use>
    void each_chunk(Node& node, Use use) const;

    // mcts/tree_proof.cpp
    bool up_to_date(Node& node, int mover) const;
    void bound_others(Node& node, Index index, int mover, std::uint8_t least) const;
    void bound_spited(Node& node, Index index, int mover) const;
    void close_edges(Node& node, std::uint8_t least) const;
    bool widen_range(Ref child) const;
    bool tighten(Node& node, int role, int lower, int upper) const;

    // mcts/tree_recycle.cpp
    Index record(std::uint64_t number) const { return static_cast<Index>(number * node_lines_); }
    Index take_node();
    Index take_chunk();
    void give_node(Index index);
    void give_chunk(Index index);
    void give_chain(Index first);
    void give_edges(Node& node);
    bool reserve(std::uint32_t chunks);
    bool grow(std::uint32_t chunks);
    bool has(std::uint32_t chunks) const { return spare_nodes_ != nothing && spare_chunk_count_ >= chunks; }
    void pass(bool ruthless);
    bool worth_keeping(Node& node) const;
    void adapt_threshold();
    void evict(Index index);

    const int roles_, state_words_;
    const bool constant_sum_;
    int sum_of_ends_ = 0, ends_agreed_ = 0;  // see observe_end(); up to what is enough
    mutable bool assumes_ = false;
    mutable std::vector<std::uint8_t> range_;  // of goals; see bound_others()
    std::vector<int> move_counts_;
    const std::size_t bounds_at_, state_at_, node_lines_;
    Pages pages_;
    std::uint32_t bucket_mask_ = 0;
    Index* buckets_ = nullptr;  // index + 1 of the first node, 0: none
    JointCache joints_;
    std::byte* base_ = nullptr;
    Index lines_ = 0;

    Random random_;
    std::vector<int> moves_;  // legal moves of the node to be made, role after role ...
    std::vector<int> ends_;   // ... each ending here

    Index node_top_ = 0, chunk_top_ = 0;                    // how many there are
    Index spare_nodes_ = nothing, spare_chunks_ = nothing;  // lists by `twin` and `next`
    std::uint32_t spare_chunk_count_ = 0;
    std::int64_t made_ = 0, recycled_ = 0;
    bool full_ = false;
    Index root_ = nothing, drawing_ = nothing;  // the hand passes over these
    std::uint64_t hand_ = 0;
    std::uint32_t threshold_ = 1;  // visits up to which a forgotten node is given up
    std::uint32_t freed_ = 0;      // in this revolution of the hand
};

// ---- What every level of every descent runs through --------------------------------------------------------

inline std::uint64_t Tree::joint_key(const Node& parent, Index parent_index, const Choice* choices) const {
    std::uint64_t key = mix(std::uint64_t{parent_index} << 32 | parent.head.generation);
    for (int r = 0; r < roles_; ++r) {
        const Edge edge = choices[r].edge;
        key = mix(key + 0x9e3779b97f4a7c15u + (std::uint64_t{edge.chunk} << 8 | static_cast<unsigned>(edge.place)));
    }
    return key;
}

inline Ref Tree::child(const Node& parent, Index parent_index, const Choice* choices) const {
    if (parent.head.kind == NodeHead::simultaneous) {
        const std::uint64_t value = joints_.find(joint_key(parent, parent_index, choices));
        return value == 0 ? Ref{} : Ref{static_cast<Index>(value >> 32) - 1, static_cast<std::uint16_t>(value)};
    }
    const Edge edge = choices->edge;
    const Chunk& c = chunk(edge.chunk);
    return {c.child[edge.place], c.tag[edge.place]};
}

template <class Use>
void Tree::each_chunk_of(Chunk& first, Use use) const {
    use(first);
    for (Index i = first.next; is_chunk(i); i = chunk(i).next) use(chunk(i));
}

template <class Use>
void Tree::each_chunk(Node& node, Use use) const {
    if (node.head.kind >= NodeHead::turn_of) return each_chunk_of(node, use);
    if (node.head.kind != NodeHead::simultaneous) return;
    for (int r = 0; r < roles_; ++r) {
        if (const Index first = group(node, r); first != nothing) each_chunk_of(chunk(first), use);
    }
}

template <class Use>
void Tree::each_move(Index first, Use use) const {
    Index i = first;
    for (; is_chunk(i); i = chunk(i).next) {
        for (int p = 0; p < Chunk::size; ++p) {
            if (chunk(i).move[p] >= 0) use(Edge{i, p}, static_cast<int>(chunk(i).move[p]));
        }
    }
    for (; i != nothing; i = undrawn(i).next) {
        for (std::uint32_t n = undrawn(i).begin; n < undrawn(i).end; ++n)
            use(Edge{}, static_cast<int>(undrawn(i).move[n]));
    }
}

// The mean of the edges tried so far.
inline float Tree::first_value(const Node& node) const {
    float visits = 0, sum = 0;
    for (int p = 0; p < Chunk::size; ++p) {
        const bool counts = node.mean[p] < Chunk::fresh && node.mean[p] > Chunk::closed;
        const float n = counts ? static_cast<float>(node.visits[p]) : 0;
        visits += n;
        sum += n * (counts ? node.mean[p] : 0);
    }
    return visits == 0 ? middle_goal : sum / visits;
}

// The commonest chunk is told by a comparison, whose outcome the processor guesses: then it knows at once where will
// be written, and goes on to the next descent while the place is still being worked out.
inline void Tree::depart(Node& node, Index index, const Choice* choices) const {
    const auto depart_in = [&](Chunk& c, int place) {
        if (c.mean[place] == Chunk::fresh) [[unlikely]]
            c.mean[place] = first_value(node);
        c.depart(place);
    };
    const auto depart_along = [&](Edge edge) {
        if (edge.chunk == index) return depart_in(node, edge.place);
        depart_in(chunk(edge.chunk), edge.place);
    };
    if (node.head.kind == NodeHead::simultaneous) {
        for (int r = 0; r < roles_; ++r) {
            if (choices[r].edge) depart_along(choices[r].edge);
        }
    } else {
        depart_along(choices->edge);
    }
    depart(node, 1);
}

inline void Tree::arrive(Node& node, const Choice* choices, const double* goals) const {
    const bool turn = node.head.kind != NodeHead::simultaneous;
    const int first_role = turn ? node.head.kind - NodeHead::turn_of : 0;
    for (std::size_t i = 0; i < this->choices(node); ++i) {
        const Edge edge = choices[i].edge;
        if (!edge) continue;
        chunk(edge.chunk).arrive(edge.place, static_cast<float>(goals[first_role + static_cast<int>(i)]));
    }
}

// The joint move was visited as often as the least visited of its parts.
inline std::uint32_t Tree::visits(const Node& node, const Choice* choices) const {
    std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t i = 0; i < this->choices(node); ++i) {
        if (const Edge edge = choices[i].edge) least = std::min(least, chunk(edge.chunk).visits[edge.place]);
    }
    return least;
}

}  // namespace ludens
