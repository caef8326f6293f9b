// Where nodes come from and go: the spare lists, the two growing ends of the arena, the clock hand.
//
// The hand looks at each node in turn. One that was visited since the last time gets a second chance; of the
// others those with at most `threshold_` visits go. Each round without a visit counts as an eighth of the visits,
// so what earlier turns left behind goes too, however much visited it was. After each revolution the threshold
// moves so that between a sixteenth and a quarter of the nodes are given up, so finding room is cheap.
#include <algorithm>
#include <cstring>

#include "mcts/tree.hpp"

namespace ludens {

namespace {

constexpr Index node_batch = 16, chunk_batch = 64;  // taken at a time from the growing ends
constexpr int patience = 64;                        // nodes looked at for one that is to be made

}  // namespace

Index Tree::take_node() {
    const Index index = spare_nodes_;
    spare_nodes_ = node(index).twin;
    return index;
}

Index Tree::take_chunk() {
    const Index index = spare_chunks_;
    spare_chunks_ = chunk(index).next;
    --spare_chunk_count_;
    return index;
}

void Tree::give_node(Index index) {
    Node& node = this->node(index);
    node.head.kind = NodeHead::vacant;
    node.twin = spare_nodes_;
    spare_nodes_ = index;
}

void Tree::give_chunk(Index index) {
    chunk(index).next = spare_chunks_;
    spare_chunks_ = index;
    ++spare_chunk_count_;
}

// Chunks of edges, and the undrawn moves at their end.
void Tree::give_chain(Index first) {
    for (Index i = first; i != nothing;) {
        const Index next = is_chunk(i) ? chunk(i).next : undrawn(i).next;
        give_chunk(i & ~undrawn_bit);
        i = next;
    }
}

void Tree::give_edges(Node& node) {
    if (node.head.kind >= NodeHead::turn_of) give_chain(node.next);
    if (node.head.kind != NodeHead::simultaneous) return;
    for (int r = 0; r < roles_; ++r) give_chain(group(node, r));
}

bool Tree::reserve(std::uint32_t chunks) {
    if (has(chunks)) return true;
    if (!full_ && grow(chunks)) return true;
    for (int i = 0; i < patience && !has(chunks); ++i) pass(false);
    return has(chunks);
}

// Takes a batch from the growing ends, or what is left of them.
bool Tree::grow(std::uint32_t chunks) {
    std::size_t nodes = node_top_, edges = chunk_top_;
    constexpr std::size_t chunk_lines = sizeof(Chunk) / cache_line;
    const auto room = [&](std::size_t more_nodes, std::size_t more_chunks) {
        return (nodes + more_nodes) * node_lines_ + (edges + more_chunks) * chunk_lines <= lines_;
    };
    for (Index i = 0; i < node_batch && room(1, 0); ++i) give_node(record(nodes++));
    for (const Index wanted = std::max(chunks, chunk_batch); spare_chunk_count_ < wanted && room(0, 1);) {
        give_chunk(static_cast<Index>(lines_ - ++edges * chunk_lines));
    }
    node_top_ = static_cast<Index>(nodes);
    chunk_top_ = static_cast<Index>(edges);
    if (!has(chunks)) full_ = true;
    return has(chunks);
}

// One node under the hand; `ruthless`: it goes if it possibly can.
void Tree::pass(bool ruthless) {
    if (node_top_ == 0) return;
    const std::uint64_t number = hand_++ % node_top_;
    if (number == 0) adapt_threshold();
    const Index index = record(number);
    Node& node = this->node(index);
    if (index == root_ || index == drawing_ || node.head.kind == NodeHead::vacant) return;
    if ((ruthless || !worth_keeping(node)) && in_flight(node) == 0) evict(index);
}

bool Tree::worth_keeping(Node& node) const {
    const int rounds = node.head.age;
    node.head.age = static_cast<std::uint8_t>(std::min(rounds + 1, 10));
    return rounds == 0 || node.head.visits >> (3 * (rounds - 1)) > threshold_;
}

// Once a revolution.
void Tree::adapt_threshold() {
    if (freed_ < node_top_ / 16) threshold_ = std::min(threshold_ * 2, visit_limit);
    if (freed_ > node_top_ / 4) threshold_ = std::max(threshold_ / 2, 1u);
    freed_ = 0;
}

void Tree::evict(Index index) {
    Node& node = this->node(index);
    unlink(index);
    give_edges(node);
    give_node(index);
    ++recycled_;
    ++freed_;
}

void Tree::make_room_for(const Word* legal) {
    list_moves(legal);
    const std::uint32_t chunks = chunks_needed();
    if (has(chunks) || (!full_ && grow(chunks))) return;
    for (Index i = node_top_; i > 0 && !has(chunks); --i) pass(true);
}

void Tree::clear() {
    std::memset(base_, 0, std::size_t{node_top_} * node_lines_ * cache_line);
    std::memset(buckets_, 0,
                static_cast<std::size_t>(pages_.start() + pages_.bytes() - reinterpret_cast<std::byte*>(buckets_)));
    node_top_ = chunk_top_ = 0;
    full_ = false;
    root_ = spare_nodes_ = spare_chunks_ = nothing;
    spare_chunk_count_ = 0;
    recycled_ = made_;
    threshold_ = 1;
    freed_ = 0;
    hand_ = 0;
    assumes_ = false;
}

}  // namespace ludens
