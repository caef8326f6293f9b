#include "guided/node_store.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/random.hpp"

namespace ludens::guided {

namespace {

constexpr std::int64_t least_bytes = 1 << 16;
constexpr int lines_ahead = 7;                                                // of the cache: nodes of a dozen edges
constexpr std::size_t row_bytes = 3 * sizeof(float) + sizeof(std::uint32_t);  // of an edge in all rows
constexpr std::int64_t bytes_per_slot = 128;  // of memory: a node is seldom smaller, so slots are seldom short

std::int64_t checked(std::int64_t bytes) {
    if (bytes < least_bytes) throw Error("memory_bytes must be at least " + std::to_string(least_bytes));
    return bytes;
}

std::size_t slot_count(std::int64_t bytes) { return std::bit_ceil(static_cast<std::size_t>(bytes / bytes_per_slot)); }

}  // namespace

// The arena's pages are not touched before they are used.
NodeStore::NodeStore(const Game& game, std::int64_t bytes, const std::vector<std::vector<int>>& symmetries)
    : key_(game, symmetries), symmetric_(!symmetries.empty()), roles_(game.roles()), words_(game.state_words()),
      edge_bytes_(sizeof(Edge) + static_cast<std::size_t>(game.roles()) * sizeof(float)), bytes_(bytes),
      slots_(slot_count(checked(bytes))) {
    clear();
    const std::size_t room =
        static_cast<std::size_t>(key_.left_of(bytes)) - slots_.size() * sizeof(Index) - vector_bytes;
    limit_ = static_cast<Index>(std::min<std::size_t>(room / unit, nothing - 1));
    arena_.reset(new std::byte[std::size_t{limit_} * unit + vector_bytes]);
}

Index NodeStore::units(std::uint32_t edges) const {
    const std::size_t values_and_moves = static_cast<std::size_t>(roles_) * (sizeof(float) + sizeof(int));
    const std::size_t state = static_cast<std::size_t>(words_) * sizeof(Word);
    return static_cast<Index>((sizeof(Node) + values_and_moves + state + edges * (row_bytes + edge_bytes_) + unit - 1) /
                              unit);
}

// With symmetries the key alone decides: 64 bits tell images of a state from other states.
Index NodeStore::find(std::uint64_t key, const Word* state, bool exactly) const {
    for (std::size_t slot = first_slot(key);; slot = (slot + 1) & (slots_.size() - 1)) {
        const Index index = slots_[slot].load(std::memory_order_acquire);
        if (index == nothing) return nothing;
        if (node(index).key == key && ((symmetric_ && !exactly) || is_node_of(index, state))) return index;
    }
}

void NodeStore::enter_slot(Index index) {
    std::size_t slot = first_slot(node(index).key);
    while (slots_[slot].load(std::memory_order_relaxed) != nothing) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot].store(index, std::memory_order_release);
}

Index NodeStore::make(std::uint64_t key, const Word* state, std::uint32_t edges) {
    const Index size = units(edges);
    if (limit_ - top_ < size || count_ >= most_nodes()) return nothing;
    const Index index = top_;
    top_ += size;
    ++count_;
    Node& made = node(index);
    std::memset(&made, 0, std::size_t{size} * unit);
    made.key = key;
    made.edges = made.open = edges;
    std::copy_n(state, words_, this->state(made));
    for (std::uint32_t i = 0; i < edges; ++i) edge(made, i).child = nothing;
    enter_slot(index);
    return index;
}

void NodeStore::empty_slots() {
    for (std::atomic<Index>& slot : slots_) slot.store(nothing, std::memory_order_relaxed);
}

void NodeStore::clear() {
    empty_slots();
    top_ = 0;
    count_ = 0;
}

void NodeStore::prefetch(Index index) const {
    const std::byte* record = reinterpret_cast<const std::byte*>(&node(index));
    for (int line = 0; line < lines_ahead; ++line) __builtin_prefetch(record + line * 64);
}

// ---- Making room ---------------------------------------------------------------------------------------------

Index NodeStore::compact(Index root) {
    std::uint32_t threshold = 0;
    while (!leaves_room(mark(root, threshold)) && threshold < nothing) threshold = threshold * 2 + 1;
    return slide(root);
}

// Marks the root and what is reached from it through nodes with at least `threshold` visits; returns how much room that
// takes.
NodeStore::Usage NodeStore::mark(Index root, std::uint32_t threshold) {
    Usage kept{};
    for (Index at = 0; at < top_; at += units(node(at).edges)) node(at).kept = 0;
    std::vector<Index> waiting{root};
    node(root).kept = 1;
    while (!waiting.empty()) {
        Node& from = node(waiting.back());
        waiting.pop_back();
        kept.units += units(from.edges);
        ++kept.nodes;
        for (std::uint32_t i = 0; i < from.edges; ++i) {
            const Index child = edge(from, i).child;
            if (child == nothing || node(child).kept || node(child).visits < threshold) continue;
            node(child).kept = 1;
            waiting.push_back(child);
        }
    }
    return kept;
}

// Moves what is marked to the start of the arena, and returns the new index of the root.
Index NodeStore::slide(Index root) {
    Index to = 0;
    for (Index at = 0; at < top_; at += units(node(at).edges)) {
        if (!node(at).kept) continue;
        node(at).forward = to;
        to += units(node(at).edges);
    }
    for (Index at = 0; at < top_; at += units(node(at).edges)) {
        if (!node(at).kept) continue;
        for (std::uint32_t i = 0; i < node(at).edges; ++i) {
            Index& child = edge(node(at), i).child;
            if (child != nothing) child = node(child).kept ? node(child).forward : nothing;
        }
    }
    root = node(root).forward;
    empty_slots();
    count_ = 0;
    for (Index at = 0, next; at < top_; at = next) {
        const Index size = units(node(at).edges), forward = node(at).forward;
        next = at + size;
        if (!node(at).kept) continue;
        std::memmove(&node(forward), &node(at), std::size_t{size} * unit);
        enter_slot(forward);
        ++count_;
    }
    top_ = to;
    return root;
}

}  // namespace ludens::guided
