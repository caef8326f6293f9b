// Where nodes come from and go: spare lists of each thread, the two growing ends of the arena, the clock hand.
//
// The hand looks at each node in turn. One that was visited since the last time gets a second chance; of the
// others those with at most `threshold_` visits go. Each round without a visit counts as an eighth of the visits,
// so what earlier turns left behind goes too, however much visited it was. After each revolution the threshold
// moves so that between a sixteenth and a quarter of the nodes are given up, so finding room is cheap.
#include <algorithm>
#include <cstring>

#include "tree.hpp"

namespace ludens {

namespace {

constexpr Index node_batch = 16, chunk_batch = 64;  // taken at a time from the growing ends
constexpr int patience = 64;                        // nodes looked at for one that is to be made

}  // namespace

Index Tree::take_node(Store& store) const {
    const Index index = store.nodes;
    store.nodes = node(index).twin;
    return index;
}

Index Tree::take_chunk(Store& store) const {
    const Index index = store.chunks;
    store.chunks = chunk(index).next;
    --store.chunk_count;
    return index;
}

// The record's lock is held, or nobody knows of it.
void Tree::give_node(Store& store, Index index) const {
    Node& node = this->node(index);
    std::atomic_ref(node.head.kind).store(NodeHead::vacant, std::memory_order_relaxed);
    node.twin = store.nodes;
    store.nodes = index;
}

void Tree::give_chunk(Store& store, Index index) const {
    chunk(index).next = store.chunks;
    store.chunks = index;
    ++store.chunk_count;
}

// Chunks of edges, and the undrawn moves at their end.
void Tree::give_chain(Store& store, Index first) const {
    for (Index i = first; i != nothing;) {
        const Index next = is_chunk(i) ? chunk(i).next : undrawn(i).next;
        give_chunk(store, i & ~undrawn_bit);
        i = next;
    }
}

void Tree::give_edges(Store& store, Node& node) const {
    if (node.head.kind >= NodeHead::turn_of) give_chain(store, node.next);
    if (node.head.kind != NodeHead::simultaneous) return;
    for (int r = 0; r < roles_; ++r) give_chain(store, group(node, r));
}

bool Tree::has(const Store& store, std::uint32_t chunks) const {
    return store.nodes != nothing && store.chunk_count >= chunks;
}

bool Tree::reserve(Store& store, std::uint32_t chunks) {
    if (has(store, chunks)) return true;
    if (!full_.load(std::memory_order_relaxed) && grow(store, chunks)) return true;
    for (int i = 0; i < patience && !has(store, chunks); ++i) pass(store, false);
    return has(store, chunks);
}

// Takes a batch from the growing ends, or what is left of them.
bool Tree::grow(Store& store, std::uint32_t chunks) {
    const std::lock_guard lock(growth_);
    std::size_t nodes = node_top_.load(std::memory_order_relaxed), edges = chunk_top_.load(std::memory_order_relaxed);
    constexpr std::size_t chunk_lines = sizeof(Chunk) / cache_line;
    const auto room = [&](std::size_t more_nodes, std::size_t more_chunks) {
        return (nodes + more_nodes) * node_lines_ + (edges + more_chunks) * chunk_lines <= lines_;
    };
    for (Index i = 0; i < node_batch && room(1, 0); ++i) give_node(store, record(nodes++));
    for (const Index wanted = std::max(chunks, chunk_batch); store.chunk_count < wanted && room(0, 1);) {
        give_chunk(store, static_cast<Index>(lines_ - ++edges * chunk_lines));
    }
    node_top_.store(static_cast<Index>(nodes), std::memory_order_relaxed);
    chunk_top_.store(static_cast<Index>(edges), std::memory_order_relaxed);
    if (!has(store, chunks)) full_.store(true, std::memory_order_relaxed);
    return has(store, chunks);
}

// One node under the hand; `ruthless`: it goes if it possibly can.
void Tree::pass(Store& store, bool ruthless) {
    const std::uint64_t number =
        hand_.fetch_add(1, std::memory_order_relaxed) % node_top_.load(std::memory_order_relaxed);
    if (number == 0) adapt_threshold();
    const Index index = record(number);
    Node& node = this->node(index);
    if (index == root_.load(std::memory_order_relaxed) || !Guard::try_lock(node.head.lock, shared_)) return;
    const Guard lock(node.head.lock, Guard::Adopt{});
    if (node.head.kind == NodeHead::vacant) return;
    if ((ruthless || !worth_keeping(node)) && in_flight(node) == 0) evict(store, index);
}

bool Tree::worth_keeping(Node& node) const {
    const int rounds = node.head.age;
    node.head.age = static_cast<std::uint8_t>(std::min(rounds + 1, 10));
    return rounds == 0 || node.head.visits >> (3 * (rounds - 1)) > threshold_.load(std::memory_order_relaxed);
}

// Once a revolution.
void Tree::adapt_threshold() {
    const std::uint32_t freed = freed_.exchange(0, std::memory_order_relaxed);
    const std::uint32_t all = node_top_.load(std::memory_order_relaxed);
    const std::uint32_t now = threshold_.load(std::memory_order_relaxed);
    if (freed < all / 16) threshold_.store(std::min(now * 2, visit_limit), std::memory_order_relaxed);
    if (freed > all / 4) threshold_.store(std::max(now / 2, 1u), std::memory_order_relaxed);
}

// Node locked.
void Tree::evict(Store& store, Index index) {
    Node& node = this->node(index);
    unlink(index);
    give_edges(store, node);
    give_node(store, index);
    store.recycled.fetch_add(1, std::memory_order_relaxed);
    freed_.fetch_add(1, std::memory_order_relaxed);
}

void Tree::make_room_for(Store& store, const Word* legal) {
    list_moves(store, legal);
    const std::uint32_t chunks = chunks_needed(store);
    if (has(store, chunks) || (!full_.load(std::memory_order_relaxed) && grow(store, chunks))) return;
    for (Index i = node_top_.load(std::memory_order_relaxed); i > 0 && !has(store, chunks); --i) pass(store, true);
}

void Tree::clear() {
    std::memset(base_, 0, node_top_ * node_lines_ * cache_line);
    std::memset(buckets_, 0, static_cast<std::size_t>(pages_.start() + pages_.bytes() - reinterpret_cast<std::byte*>(buckets_)));
    node_top_ = chunk_top_ = 0;
    full_ = false;
    root_ = nothing;
    threshold_ = 1;
    freed_ = 0;
    hand_ = 0;
}

}  // namespace ludens
