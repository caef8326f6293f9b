// Allocation: lists of free records and blocks, the two growing ends of the arena, the clock hand that evicts nodes.
//
// The hand looks at each node in turn. One that was visited since the last time gets a second chance; of the others
// those with at most `threshold_` visits are evicted. Each round without a visit divides a node's visits by eight, so
// what earlier turns left behind goes too, however much visited it was. After each round the threshold moves so that
// between a sixteenth and a quarter of the nodes are evicted, and finding room is cheap.
#include <algorithm>
#include <cstring>

#include "mcts/tree.hpp"

namespace ludens::mcts {

namespace {

constexpr Index node_batch = 16, block_batch = 64;  // taken at a time from the growing ends
constexpr int most_inspected = 64;                  // nodes that the hand looks at for one that is to be made

}  // namespace

Index Tree::allocate_node() {
    const Index index = free_nodes_;
    free_nodes_ = node(index).hash_next;
    return index;
}

Index Tree::allocate_block() {
    const Index index = free_blocks_;
    free_blocks_ = block(index).next;
    --free_block_count_;
    return index;
}

void Tree::release_node(Index index) {
    Node& node = this->node(index);
    node.head.kind = NodeHead::vacant;
    node.hash_next = free_nodes_;
    free_nodes_ = index;
}

void Tree::release_block(Index index) {
    block(index).next = free_blocks_;
    free_blocks_ = index;
    ++free_block_count_;
}

// Releases blocks of edges, and the unexpanded moves at their end.
void Tree::release_chain(Index first) {
    for (Index i = first; i != nothing;) {
        const Index next = is_block(i) ? block(i).next : unexpanded(i).next;
        release_block(i & ~unexpanded_bit);
        i = next;
    }
}

void Tree::release_edges(Node& node) {
    if (node.head.kind >= NodeHead::turn_of) release_chain(node.next);
    if (node.head.kind != NodeHead::simultaneous) return;
    for (int r = 0; r < roles_; ++r) release_chain(slots(node)[r].first_block());
}

// Makes sure that a record and that many blocks are free; false where there is no room.
bool Tree::reserve(std::uint32_t blocks) {
    if (has_free(blocks)) return true;
    if (!full_ && grow(blocks)) return true;
    for (int i = 0; i < most_inspected && !has_free(blocks); ++i) advance_hand(false);
    return has_free(blocks);
}

// Releases a batch from the growing ends, or what is left of them.
bool Tree::grow(std::uint32_t blocks) {
    std::size_t nodes = node_top_, edges = block_top_;
    constexpr std::size_t block_lines = sizeof(EdgeBlock) / cache_line;
    const auto room = [&](std::size_t more_nodes, std::size_t more_blocks) {
        return (nodes + more_nodes) * node_lines_ + (edges + more_blocks) * block_lines <= lines_;
    };
    for (Index i = 0; i < node_batch && room(1, 0); ++i) release_node(nth_record(nodes++));
    const Index wanted = std::max(blocks, block_batch);
    while (free_block_count_ < wanted && room(0, 1)) {
        ++edges;
        release_block(static_cast<Index>(lines_ - edges * block_lines));
    }
    node_top_ = static_cast<Index>(nodes);
    block_top_ = static_cast<Index>(edges);
    if (!has_free(blocks)) full_ = true;
    return has_free(blocks);
}

// Moves the hand on by one node, and evicts that if it is not worth keeping or `force` is set, and no visit is in
// flight.
void Tree::advance_hand(bool force) {
    if (node_top_ == 0) return;
    const std::uint64_t number = hand_++ % node_top_;
    if (number == 0) adapt_threshold();
    const Index index = nth_record(number);
    Node& node = this->node(index);
    if (index == root_ || index == expanding_ || node.head.kind == NodeHead::vacant) return;
    if ((force || !worth_keeping(node)) && in_flight(node) == 0) evict(index);
}

bool Tree::worth_keeping(Node& node) const {
    const int rounds = node.head.age;
    node.head.age = static_cast<std::uint8_t>(std::min(rounds + 1, 10));
    return rounds == 0 || node.head.visits >> (3 * (rounds - 1)) > threshold_;
}

// Once a round of the hand.
void Tree::adapt_threshold() {
    if (evicted_ < node_top_ / 16) threshold_ = std::min(threshold_ * 2, visit_limit);
    if (evicted_ > node_top_ / 4) threshold_ = std::max(threshold_ / 2, 1u);
    evicted_ = 0;
}

void Tree::evict(Index index) {
    Node& node = this->node(index);
    unlink(index);
    release_edges(node);
    release_node(index);
    ++recycled_;
    ++evicted_;
}

void Tree::make_room_for(const Word* legal) {
    list_moves(legal);
    const std::uint32_t blocks = blocks_needed();
    if (has_free(blocks) || (!full_ && grow(blocks))) return;
    for (Index i = node_top_; i > 0 && !has_free(blocks); --i) advance_hand(true);
}

void Tree::clear() {
    std::memset(base_, 0, std::size_t{node_top_} * node_lines_ * cache_line);
    std::memset(buckets_, 0,
                static_cast<std::size_t>(pages_.start() + pages_.bytes() - reinterpret_cast<std::byte*>(buckets_)));
    node_top_ = block_top_ = 0;
    full_ = false;
    root_ = free_nodes_ = free_blocks_ = nothing;
    free_block_count_ = 0;
    recycled_ = made_;
    threshold_ = 1;
    evicted_ = 0;
    hand_ = 0;
    assumes_ = false;
}

}  // namespace ludens::mcts
