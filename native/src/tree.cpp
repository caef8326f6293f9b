#include "tree.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ludens {

namespace {

constexpr std::size_t round_up(std::size_t bytes) { return (bytes + cache_line - 1) / cache_line * cache_line; }

std::size_t checked(std::int64_t bytes) {
    if (bytes < 4096) throw Error("memory_bytes must be at least 4096, not " + std::to_string(bytes));
    return static_cast<std::size_t>(bytes) / cache_line * cache_line;
}

}  // namespace

// A bucket of the transposition table, locked while this lives.
struct Tree::Bucket {
    static constexpr Index lock_bit = 1u << 31;

    Bucket(const Tree& tree, std::uint32_t hash) : slot_(tree.buckets_[hash & tree.bucket_mask_]) {
        Backoff wait;
        while ((head = slot_.fetch_or(lock_bit, std::memory_order_acquire)) & lock_bit) wait();
        head -= 1;  // of an empty one: `nothing`
    }
    ~Bucket() { slot_.store(head + 1, std::memory_order_release); }
    Bucket(const Bucket&) = delete;
    Bucket& operator=(const Bucket&) = delete;

    Index find(const Tree& tree, const Word* state, std::uint32_t hash) const {
        const std::size_t bytes = static_cast<std::size_t>(tree.state_words_) * sizeof(Word);
        for (Index i = head; i != nothing; i = tree.node(i).next) {
            Node& node = tree.node(i);
            if (node.hash == hash && std::memcmp(tree.state(node), state, bytes) == 0) return i;
        }
        return nothing;
    }

    Index head;

private:
    std::atomic_ref<Index> slot_;
};

Tree::Tree(const Game& game, std::int64_t bytes)
    : roles_(game.roles()),
      state_words_(game.state_words()),
      move_counts_(game.moves().begin(), game.moves().end()),
      node_bytes_(round_up(sizeof(Node) + static_cast<std::size_t>(roles_) * sizeof(Group) +
                           static_cast<std::size_t>(state_words_) * sizeof(Word))),
      pages_(checked(bytes)),
      joints_(nullptr, 1) {
    const std::size_t per_node = node_bytes_ + sizeof(Chunk) + sizeof(Index);
    const std::size_t buckets =
        std::min(std::bit_floor(std::max<std::size_t>(pages_.bytes() / per_node, cache_line)), std::size_t{1} << 31);
    const std::size_t joints = roles_ > 1 ? std::bit_floor(pages_.bytes() / 16 / sizeof(JointCache::Entry)) : 4;
    const std::size_t arena = pages_.bytes() - buckets * sizeof(Index) - joints * sizeof(JointCache::Entry);
    nodes_ = pages_.start();
    chunks_end_ = reinterpret_cast<Chunk*>(nodes_ + arena);
    buckets_ = reinterpret_cast<Index*>(chunks_end_);
    bucket_mask_ = static_cast<std::uint32_t>(buckets - 1);
    joints_ = JointCache(reinterpret_cast<JointCache::Entry*>(buckets_ + buckets), joints);
}

int Tree::bytes_per_node() const {
    const std::size_t nodes = std::max<std::size_t>(node_top_.load(std::memory_order_relaxed), 1);
    return static_cast<int>(node_bytes_ + chunk_top_.load(std::memory_order_relaxed) * sizeof(Chunk) / nodes);
}

// ---- Found by state ------------------------------------------------------------------------------------------

std::uint32_t Tree::hash(const Word* state) const {
    std::uint64_t h = 0;
    for (int i = 0; i < state_words_; ++i) h = mix(h + 0x9e3779b97f4a7c15u + state[i]);
    return static_cast<std::uint32_t>(h >> 32);
}

void Tree::prefetch_bucket(std::uint32_t hash) const { __builtin_prefetch(&buckets_[hash & bucket_mask_]); }

Ref Tree::find(const Word* state, std::uint32_t hash) const {
    const Bucket bucket(*this, hash);
    const Index index = bucket.find(*this, state, hash);
    return index == nothing ? Ref{} : Ref{index, node(index).generation};
}

// ---- Making nodes --------------------------------------------------------------------------------------------

void Tree::list_moves(Store& store, const Word* legal) const {
    store.moves.clear();
    store.ends.clear();
    int bit = 0;
    for (int count : move_counts_) {
        for (int begin = bit, end = bit + count; bit < end;) {
            const Word rest = legal[bit / 64] >> (bit % 64);
            const int step = rest == 0 ? 64 - bit % 64 : std::countr_zero(rest);
            bit += step;
            if (rest != 0 && bit < end) store.moves.push_back(bit++ - begin);
            bit = std::min(bit, end);
        }
        store.ends.push_back(static_cast<int>(store.moves.size()));
    }
}

std::uint16_t Tree::kind(const Store& store) const {
    int choosing = 0, mover = 0;
    for (int r = 0, begin = 0; r < roles_; begin = store.ends[r++]) {
        if (store.ends[r] - begin > 1) ++choosing, mover = r;
    }
    return static_cast<std::uint16_t>(choosing > 1 ? Node::simultaneous : Node::turn_of + mover);
}

std::uint32_t Tree::chunks_needed(const Store& store) const {
    std::uint32_t sum = 0;
    for (int r = 0, begin = 0; r < roles_; begin = store.ends[r++]) {
        sum += static_cast<std::uint32_t>(store.ends[r] - begin + Chunk::size - 1) / Chunk::size;
    }
    return sum;
}

// In random order, which makes "the next one never selected" a random choice among those.
Index Tree::link_edges(Store& store, std::span<int> moves, std::uint16_t kind) {
    for (std::size_t i = moves.size(); i > 1; --i) {
        std::swap(moves[i - 1], moves[store.random.below(static_cast<std::uint32_t>(i))]);
    }
    Index first = nothing;
    Index* link = &first;
    for (std::size_t done = 0; done < moves.size(); done += Chunk::size) {
        *link = take_chunk(store);
        Chunk& c = chunk(*link);
        for (int i = 0; i < Chunk::size; ++i) {
            const bool blank = done + i >= moves.size();
            c.visits[i] = blank ? 1 : 0;
            c.in_flight[i] = 0;
            c.sum[i] = blank ? -1e30 : 0;
            if (kind == Node::simultaneous) {
                c.estimate[i] = blank ? -1e30 : 0;
            } else {
                c.child[i] = {};
            }
            c.move[i] = blank ? -1 : moves[done + i];
        }
        c.next = nothing;
        link = &c.next;
    }
    chunk(first).started = 0;
    chunk(first).frontier = first;
    return first;
}

void Tree::fill(Store& store, Node& node, std::uint16_t kind) {
    for (int r = 0, begin = 0; r < roles_; begin = store.ends[r++]) {
        const std::span moves(store.moves.begin() + begin, store.moves.begin() + store.ends[r]);
        const bool edges = moves.size() > 1 || (kind == Node::turn_of + r && !moves.empty());
        Group& group = groups(node)[r];
        group.sum = 0;
        group.edges = edges ? static_cast<std::uint32_t>(moves.size()) : 0;
        const Index first = edges ? link_edges(store, moves, kind) : static_cast<Index>(moves.empty() ? -1 : moves[0]);
        std::atomic_ref(group.first).store(first, std::memory_order_relaxed);
    }
    std::atomic_ref(node.kind).store(kind, std::memory_order_relaxed);
}

// Puts a filled, locked record in the table, or gives it back where another thread was first.
Ref Tree::publish(Store& store, Index index, const Word* state, std::uint32_t hash) {
    Node& fresh = node(index);
    std::copy_n(state, state_words_, this->state(fresh));
    fresh.hash = hash;
    fresh.age = 0;
    fresh.visits = fresh.in_flight = 0;
    Bucket bucket(*this, hash);
    if (const Index twin = bucket.find(*this, state, hash); twin != nothing) {
        const Ref found{twin, node(twin).generation};
        give_edges(store, fresh);
        give_node(store, index);
        return found;
    }
    fresh.next = bucket.head;
    bucket.head = index;
    store.made.fetch_add(1, std::memory_order_relaxed);
    return {index, fresh.generation};
}

Ref Tree::make(Store& store, const Word* state, std::uint32_t hash, const Word* legal) {
    list_moves(store, legal);
    if (!reserve(store, chunks_needed(store))) return {};
    const Index index = take_node(store);
    const Guard lock(node(index).lock);
    fill(store, node(index), kind(store));
    return publish(store, index, state, hash);
}

Ref Tree::make_terminal(Store& store, const Word* state, std::uint32_t hash, const int* goals) {
    if (!reserve(store, 0)) return {};
    const Index index = take_node(store);
    Node& fresh = node(index);
    const Guard lock(fresh.lock);
    for (int r = 0; r < roles_; ++r) {
        Group& group = groups(fresh)[r];
        group.sum = goals[r];
        group.edges = 0;
        std::atomic_ref(group.first).store(nothing, std::memory_order_relaxed);
    }
    std::atomic_ref(fresh.kind).store(Node::terminal, std::memory_order_relaxed);
    return publish(store, index, state, hash);
}

// Takes a locked node out of the table and makes every Ref to it stale.
void Tree::unlink(Index index) {
    Node& gone = node(index);
    Bucket bucket(*this, gone.hash);
    Index* link = &bucket.head;
    while (*link != index) link = &node(*link).next;
    *link = gone.next;
    ++gone.generation;
}

// ---- Children ------------------------------------------------------------------------------------------------

void Tree::set_child(Node& parent, Index parent_index, const Choice* choices, Ref child) {
    if (parent.kind == Node::simultaneous) {
        const std::uint64_t value = std::uint64_t{child.index + 1} << 32 | child.generation;
        joints_.put(joint_key(parent, parent_index, choices), value);
        return;
    }
    const Edge edge = choices[parent.kind - Node::turn_of].edge;
    chunk(chunk_of(edge)).child[place_of(edge)] = child;
}

// ---- Statistics ----------------------------------------------------------------------------------------------

// Means stay as they are, and an edge that was visited stays visited.
void Tree::halve(Node& node) const {
    node.visits /= 2;
    for (Group& group : groups(node)) {
        group.sum /= 2;
        for (Index i = group.edges == 0 ? nothing : group.first; i != nothing; i = chunk(i).next) {
            Chunk& c = chunk(i);
            for (int place = 0; place < Chunk::size; ++place) {
                if (c.move[place] < 0) continue;
                if (node.kind == Node::simultaneous) c.estimate[place] /= 2;
                if (c.visits[place] < 2) continue;
                const std::uint32_t half = c.visits[place] / 2;
                c.sum[place] *= static_cast<double>(half) / c.visits[place];
                c.visits[place] = half;
            }
        }
    }
}

}  // namespace ludens
