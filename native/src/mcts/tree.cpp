#include "mcts/tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace ludens {

namespace {

constexpr int most_roles = 250;  // NodeHead::kind is a byte

constexpr std::size_t round_up(std::size_t bytes, std::size_t to = cache_line) { return (bytes + to - 1) / to * to; }

std::size_t checked(std::int64_t bytes) {
    if (bytes < 4096) throw Error("memory_bytes must be at least 4096, not " + std::to_string(bytes));
    return static_cast<std::size_t>(bytes) / cache_line * cache_line;
}

}  // namespace

Tree::Tree(const Game& game, std::int64_t bytes, std::uint64_t seed)
    : roles_(game.roles()),
      state_words_(game.state_words()),
      constant_sum_(game.constant_sum()),
      move_counts_(game.moves().begin(), game.moves().end()),
      bounds_at_(sizeof(Node::Chunk) + 2 * sizeof(Index) + static_cast<std::size_t>(roles_) * sizeof(std::int32_t)),
      state_at_(round_up(bounds_at_ + 2 * static_cast<std::size_t>(roles_), sizeof(Word))),
      node_lines_(round_up(state_at_ + static_cast<std::size_t>(state_words_) * sizeof(Word)) / cache_line),
      pages_(checked(bytes)),
      joints_(nullptr, 1),
      random_(seed) {
    range_.resize(2 * static_cast<std::size_t>(roles_));
    if (roles_ > most_roles) throw Error("a tree has room for " + std::to_string(most_roles) + " roles");
    const std::size_t per_node = node_lines_ * cache_line + sizeof(Index);
    const std::size_t buckets =
        std::min(std::bit_floor(std::max<std::size_t>(pages_.bytes() / per_node, cache_line)), std::size_t{1} << 31);
    const std::size_t joints = roles_ > 1 ? std::bit_floor(pages_.bytes() / 16 / sizeof(JointCache::Entry)) : 4;
    const std::size_t arena = pages_.bytes() - buckets * sizeof(Index) - joints * sizeof(JointCache::Entry);
    base_ = pages_.start();
    lines_ = static_cast<Index>(std::min<std::size_t>(arena / cache_line, undrawn_bit - 2));
    buckets_ = reinterpret_cast<Index*>(base_ + arena);
    bucket_mask_ = static_cast<std::uint32_t>(buckets - 1);
    joints_ = JointCache(reinterpret_cast<JointCache::Entry*>(buckets_ + buckets), joints);
}

int Tree::bytes_per_node() const {
    const std::size_t nodes = std::max<std::size_t>(node_top_, 1);
    const std::size_t chunks = chunk_top_;
    return static_cast<int>(node_lines_ * cache_line + chunks * sizeof(Chunk) / nodes);
}

// ---- Found by state ------------------------------------------------------------------------------------------

std::uint32_t Tree::hash(const Word* state) const {
    std::uint64_t h = 0;
    for (int i = 0; i < state_words_; ++i) h = mix(h + 0x9e3779b97f4a7c15u + state[i]);
    return static_cast<std::uint32_t>(h >> 32);
}

void Tree::prefetch_bucket(std::uint32_t hash) const { __builtin_prefetch(&buckets_[hash & bucket_mask_]); }

Ref Tree::find(const Word* state, std::uint32_t hash) const {
    const std::size_t bytes = static_cast<std::size_t>(state_words_) * sizeof(Word);
    for (Index i = buckets_[hash & bucket_mask_] - 1; i != nothing; i = node(i).twin) {
        Node& node = this->node(i);
        if (node.hash == hash && std::memcmp(this->state(node), state, bytes) == 0) return {i, node.head.generation};
    }
    return {};
}

// ---- Making nodes --------------------------------------------------------------------------------------------

void Tree::list_moves(const Word* legal) {
    moves_.clear();
    ends_.clear();
    int bit = 0;
    for (int count : move_counts_) {
        for (int begin = bit, end = bit + count; bit < end;) {
            const Word rest = legal[bit / 64] >> (bit % 64);
            const int step = rest == 0 ? 64 - bit % 64 : std::countr_zero(rest);
            bit += step;
            if (rest != 0 && bit < end) moves_.push_back(bit++ - begin);
            bit = std::min(bit, end);
        }
        ends_.push_back(static_cast<int>(moves_.size()));
    }
}

std::uint8_t Tree::kind() const {
    int choosing = 0, mover = 0;
    for (int r = 0, begin = 0; r < roles_; begin = ends_[r++]) {
        if (ends_[r] - begin > 1) ++choosing, mover = r;
    }
    return static_cast<std::uint8_t>(choosing > 1 ? NodeHead::simultaneous : NodeHead::turn_of + mover);
}

// Chunks beside those in the record.
std::uint32_t Tree::chunks_needed() const {
    const std::uint8_t kind = this->kind();
    int sum = 0;
    for (int r = 0, begin = 0; r < roles_; begin = ends_[r++]) {
        const int moves = ends_[r] - begin;
        if (kind == NodeHead::simultaneous) {
            sum += moves > 1 ? (moves + Chunk::size - 1) / Chunk::size : 0;
        } else if (kind == NodeHead::turn_of + r && moves > Chunk::size) {
            sum += (moves - Chunk::size + static_cast<int>(Undrawn::size) - 1) / static_cast<int>(Undrawn::size);
        }
    }
    return static_cast<std::uint32_t>(sum);
}

void Tree::fill_edges(Chunk& chunk, std::span<const int> moves, float mean) const {
    for (std::size_t i = 0; i < Chunk::size; ++i) {
        const bool blank = i >= moves.size();
        chunk.visits[i] = blank ? 1 : 0;
        chunk.mean[i] = blank ? Chunk::closed : mean;
        chunk.move[i] = blank ? -1 : moves[i];
        chunk.lower[i] = 0;
        chunk.upper[i] = blank ? 0 : best_goal;
        chunk.child[i] = nothing;
        chunk.arrived[i] = blank ? 1 : 0;
    }
    chunk.next = nothing;
}

// In random order, which makes "the first never selected" a random choice among those.
void Tree::shuffle(std::span<int> moves) {
    for (std::size_t i = moves.size(); i > 1; --i) {
        std::swap(moves[i - 1], moves[random_.below(static_cast<std::uint32_t>(i))]);
    }
}

// The edges of one of several roles that choose at once: all of them, as regret matching wants.
Index Tree::link_edges(std::span<const int> moves) {
    Index first = nothing;
    Index* link = &first;
    for (std::size_t done = 0; done < moves.size(); done += Chunk::size) {
        *link = take_chunk();
        Chunk& c = chunk(*link);
        fill_edges(c, moves.subspan(done, std::min<std::size_t>(Chunk::size, moves.size() - done)), middle_goal);
        std::fill_n(c.regret, Chunk::size, 0.0f);
        link = &c.next;
    }
    chunk(first).group = {static_cast<std::uint32_t>(moves.size())};
    return first;
}

Index Tree::link_undrawn(std::span<const int> moves) {
    Index first = nothing;
    Index* link = &first;
    for (; !moves.empty(); moves = moves.subspan(std::min<std::size_t>(Undrawn::size, moves.size()))) {
        *link = take_chunk() | undrawn_bit;
        Undrawn& u = undrawn(*link);
        u.next = nothing;
        u.begin = 0;
        u.end = static_cast<std::uint32_t>(std::min<std::size_t>(Undrawn::size, moves.size()));
        std::copy_n(moves.begin(), u.end, u.move);
        link = &u.next;
    }
    return first;
}

// Those that promise most come first, as many as are drawn at a time.
void Tree::bring_forward(std::span<int> moves, AmafRow amaf) {
    const std::size_t drawn = std::min<std::size_t>(Chunk::size, moves.size());
    std::array<float, Chunk::size> promises;
    for (std::size_t i = 0; i < drawn; ++i) promises[i] = amaf[moves[i]].promise();
    const auto last = promises.begin() + static_cast<std::ptrdiff_t>(drawn);
    auto least = std::min_element(promises.begin(), last);
    for (int& move : moves.subspan(drawn)) {
        const float promise = amaf[move].promise();
        if (promise <= *least) continue;
        *least = promise;
        std::swap(move, moves[static_cast<std::size_t>(least - promises.begin())]);
        least = std::min_element(promises.begin(), last);
    }
}

// The record's head keeps its generation.
void Tree::fill(Node& node, std::uint8_t kind, AmafView amaf) {
    node.head.flags = 0;
    node.head.distance = 0;
    for (int r = 0, begin = 0; r < roles_; begin = ends_[r++]) {
        const std::span moves(moves_.begin() + begin, moves_.begin() + ends_[r]);
        std::int32_t& seat = seats(node)[r];
        seat = moves.empty() ? -1 : moves[0];
        bounds(node)[2 * r] = 0;
        bounds(node)[2 * r + 1] = best_goal;
        if (kind == NodeHead::turn_of + r) {
            const AmafRow row = amaf.row(r);
            row.empty() ? shuffle(moves) : bring_forward(moves, row);
            const std::size_t drawn = std::min<std::size_t>(Chunk::size, moves.size());
            fill_edges(node, moves.first(drawn), Chunk::fresh);
            node.next = link_undrawn(moves.subspan(drawn));
            if (node.next != nothing) node.head.flags = NodeHead::undrawn;
        } else if (kind == NodeHead::simultaneous && moves.size() > 1) {
            shuffle(moves);
            seat = -2 - static_cast<std::int32_t>(link_edges(moves));
        }
    }
    node.head.kind = kind;
}

void Tree::bring_forward(Index index, AmafRow amaf) {
    while (is_chunk(index)) index = chunk(index).next;
    const auto each = [&](auto use) {
        for (Index i = index; i != nothing; i = undrawn(i).next) {
            Undrawn& u = undrawn(i);
            use(std::span(u.move + u.begin, u.move + u.end));
        }
    };
    moves_.clear();
    each([&](std::span<std::int32_t> waiting) { moves_.insert(moves_.end(), waiting.begin(), waiting.end()); });
    bring_forward(moves_, amaf);
    auto next = moves_.begin();
    each([&](std::span<std::int32_t> waiting) {
        std::copy_n(next, waiting.size(), waiting.begin());
        next += std::ssize(waiting);
    });
}

Edge Tree::draw(Node& node, Index index) {
    Index last = index;
    while (is_chunk(chunk(last).next)) last = chunk(last).next;
    const Index waiting = chunk(last).next;
    Undrawn& u = undrawn(waiting);
    std::array<int, Chunk::size> moves;
    const std::uint32_t count = std::min<std::uint32_t>(Chunk::size, u.end - u.begin);
    std::copy_n(u.move + u.begin, count, moves.begin());
    Index rest = waiting, made = waiting & ~undrawn_bit;
    if (u.begin + count == u.end) {
        rest = u.next;  // its place becomes the chunk
    } else {
        drawing_ = index;
        const bool room = reserve(1);
        drawing_ = nothing;
        if (!room) return {};
        made = take_chunk();
        u.begin += count;
    }
    fill_edges(chunk(made), std::span(moves).first(count), Chunk::fresh);
    chunk(made).next = rest;
    chunk(last).next = made;
    if (rest == nothing) node.head.flags &= static_cast<std::uint8_t>(~NodeHead::undrawn);
    return {made, 0};
}

// Puts a filled record in the table.
Ref Tree::publish(Index index, const Word* state, std::uint32_t hash) {
    Node& fresh = node(index);
    std::copy_n(state, state_words_, this->state(fresh));
    fresh.hash = hash;
    fresh.head.age = 0;
    fresh.head.visits = 0;
    if (const Ref known = find(state, hash)) {
        give_edges(fresh);
        give_node(index);
        return known;
    }
    Index& bucket = buckets_[hash & bucket_mask_];
    fresh.twin = bucket - 1;
    bucket = index + 1;
    ++made_;
    return {index, fresh.head.generation};
}

Ref Tree::make(const Word* state, std::uint32_t hash, const Word* legal, AmafView amaf) {
    list_moves(legal);
    if (!reserve(chunks_needed())) return {};
    const Index index = take_node();
    fill(node(index), kind(), amaf);
    return publish(index, state, hash);
}

Ref Tree::make_terminal(const Word* state, std::uint32_t hash, const int* goals, int steps) {
    if (!reserve(0)) return {};
    const Index index = take_node();
    Node& fresh = node(index);
    for (int r = 0; r < roles_; ++r) {
        seats(fresh)[r] = -1;
        bounds(fresh)[2 * r] = bounds(fresh)[2 * r + 1] = static_cast<std::uint8_t>(goals[r]);
    }
    fresh.head.flags = NodeHead::bounded | NodeHead::solved;
    fresh.head.distance = static_cast<std::uint16_t>(steps);
    fresh.head.kind = NodeHead::terminal;
    return publish(index, state, hash);
}

// Takes a node out of the table and makes every Ref to it stale.
void Tree::unlink(Index index) {
    Node& gone = node(index);
    Index& bucket = buckets_[gone.hash & bucket_mask_];
    if (bucket - 1 == index) {
        bucket = gone.twin + 1;
    } else {
        Index before = bucket - 1;
        while (node(before).twin != index) before = node(before).twin;
        node(before).twin = gone.twin;
    }
    ++gone.head.generation;
}

// ---- Children ------------------------------------------------------------------------------------------------

void Tree::set_child(Node& parent, Index parent_index, const Choice* choices, Ref child) {
    if (parent.head.kind == NodeHead::simultaneous) {
        const std::uint64_t value = std::uint64_t{child.index + 1} << 32 | child.generation;
        joints_.put(joint_key(parent, parent_index, choices), value);
        return;
    }
    const Edge edge = choices->edge;
    chunk(edge.chunk).child[edge.place] = child.index;
    chunk(edge.chunk).tag[edge.place] = child.generation;
}

// ---- Statistics ----------------------------------------------------------------------------------------------

// A visit is in flight along one edge of each role that chooses.
std::uint32_t Tree::in_flight(Node& node) const {
    if (node.head.kind < NodeHead::simultaneous) return 0;
    Chunk* first = &node;
    for (int r = 0; node.head.kind == NodeHead::simultaneous && first == &node; ++r) {
        if (const Index index = group(node, r); index != nothing) first = &chunk(index);
    }
    std::uint32_t sum = 0;
    each_chunk_of(*first, [&](const Chunk& c) {
        for (int place = 0; place < Chunk::size; ++place) sum += c.in_flight(place);
    });
    return sum;
}

// Regrets are sums of floats, counts have 32 bits: halving either changes no mean and no strategy.
void Tree::forget_slowly(Node& node) const {
    if (node.head.kind == NodeHead::simultaneous) {
        each_chunk(node, [](Chunk& c) {
            for (float& regret : c.regret) regret /= 2;
        });
    }
    if (node.head.visits < visit_limit) return;
    node.head.visits /= 2;
    each_chunk(node, [](Chunk& c) {
        for (int p = 0; p < Chunk::size; ++p) {
            if (c.completed(p) > 1) c.complete(p, c.completed(p) / 2);
        }
    });
}

}  // namespace ludens
