#include "mcts/tree.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ludens::mcts {

namespace {

constexpr int most_roles = 250;  // NodeHead::kind is a byte

constexpr std::size_t round_up(std::size_t bytes, std::size_t to = cache_line) { return (bytes + to - 1) / to * to; }

std::size_t checked(std::int64_t bytes) {
    if (bytes < 4096) throw Error("memory_bytes must be at least 4096, not " + std::to_string(bytes));
    return static_cast<std::size_t>(bytes) / cache_line * cache_line;
}

}  // namespace

Tree::Tree(const Game& game, std::int64_t bytes, std::uint64_t seed)
    : roles_(game.roles()), state_words_(game.state_words()), goal_sums_(game), role_moves_(game.moves()),
      bounds_at_(Node::bytes_before_slots + static_cast<std::size_t>(roles_) * sizeof(RoleSlot)),
      state_at_(round_up(bounds_at_ + 2 * static_cast<std::size_t>(roles_), sizeof(Word))),
      node_lines_(round_up(state_at_ + static_cast<std::size_t>(state_words_) * sizeof(Word)) / cache_line),
      pages_(checked(bytes)), joint_children_(nullptr, 1), random_(seed) {
    range_.resize(2 * static_cast<std::size_t>(roles_));
    if (roles_ > most_roles) throw Error("a tree has room for " + std::to_string(most_roles) + " roles");
    const std::size_t per_node = node_lines_ * cache_line + sizeof(Index);
    const std::size_t buckets =
        std::min(std::bit_floor(std::max<std::size_t>(pages_.bytes() / per_node, cache_line)), std::size_t{1} << 31);
    const std::size_t joints = roles_ > 1 ? std::bit_floor(pages_.bytes() / 16 / sizeof(JointMoveCache::Entry)) : 4;
    const std::size_t arena = pages_.bytes() - buckets * sizeof(Index) - joints * sizeof(JointMoveCache::Entry);
    base_ = pages_.start();
    lines_ = static_cast<Index>(std::min<std::size_t>(arena / cache_line, unexpanded_bit - 2));
    buckets_ = reinterpret_cast<Index*>(base_ + arena);
    bucket_mask_ = static_cast<std::uint32_t>(buckets - 1);
    joint_children_ = JointMoveCache(reinterpret_cast<JointMoveCache::Entry*>(buckets_ + buckets), joints);
}

int Tree::bytes_per_node() const {
    const std::size_t nodes = std::max<std::size_t>(node_top_, 1);
    const std::size_t blocks = block_top_;
    return static_cast<int>(node_lines_ * cache_line + blocks * sizeof(EdgeBlock) / nodes);
}

// ---- Lookup by state -----------------------------------------------------------------------------------------

std::uint32_t Tree::hash(const Word* state) const {
    return static_cast<std::uint32_t>(hash_words({state, static_cast<std::size_t>(state_words_)}) >> 32);
}

void Tree::prefetch_bucket(std::uint32_t hash) const { __builtin_prefetch(&buckets_[hash & bucket_mask_]); }

Ref Tree::find(const Word* state, std::uint32_t hash) const {
    const std::size_t bytes = static_cast<std::size_t>(state_words_) * sizeof(Word);
    for (Index i = buckets_[hash & bucket_mask_] - 1; i != nothing; i = node(i).hash_next) {
        Node& node = this->node(i);
        if (node.hash == hash && std::memcmp(this->state(node), state, bytes) == 0) return {i, node.head.generation};
    }
    return {};
}

// Removes a node from the table, and makes every Ref to it stale.
void Tree::unlink(Index index) {
    Node& gone = node(index);
    Index& bucket = buckets_[gone.hash & bucket_mask_];
    if (bucket - 1 == index) {
        bucket = gone.hash_next + 1;
    } else {
        Index before = bucket - 1;
        while (node(before).hash_next != index) before = node(before).hash_next;
        node(before).hash_next = gone.hash_next;
    }
    ++gone.head.generation;
}

// ---- Children ------------------------------------------------------------------------------------------------

void Tree::set_child(Node& parent, Index parent_index, const Choice* choices, Ref child) {
    if (parent.head.kind == NodeHead::simultaneous) {
        const std::uint64_t value = std::uint64_t{child.index + 1} << 32 | child.generation;
        joint_children_.put(joint_key(parent, parent_index, choices), value);
        return;
    }
    const Edge edge = choices->edge;
    block(edge.block).child[edge.place] = child.index;
    block(edge.block).tag[edge.place] = child.generation;
}

// ---- Statistics ----------------------------------------------------------------------------------------------

// A visit is in flight along one edge of each role that chooses.
std::uint32_t Tree::in_flight(Node& node) const {
    if (node.head.kind < NodeHead::simultaneous) return 0;
    EdgeBlock* first = &node;
    for (int r = 0; node.head.kind == NodeHead::simultaneous && first == &node; ++r) {
        if (const Index index = slots(node)[r].first_block(); index != nothing) first = &block(index);
    }
    std::uint32_t sum = 0;
    each_block_of(*first, [&](const EdgeBlock& c) {
        for (int place = 0; place < EdgeBlock::size; ++place) sum += c.in_flight(place);
    });
    return sum;
}

// Halves sums before they become too large: regrets for floats, counts for 32 bits. No mean and no strategy changes.
void Tree::halve_statistics(Node& node) const {
    if (node.head.kind == NodeHead::simultaneous) {
        each_block(node, [](EdgeBlock& c) {
            for (float& regret : c.regret) regret /= 2;
        });
    }
    if (node.head.visits < visit_limit) return;
    node.head.visits /= 2;
    each_block(node, [](EdgeBlock& c) {
        for (int p = 0; p < EdgeBlock::size; ++p) {
            if (c.completed(p) > 1) c.set_completed(p, c.completed(p) / 2);
        }
    });
    halved_.push_back(index_of(node));
}

}  // namespace ludens::mcts
