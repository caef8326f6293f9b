// Batches of children that have been made, kept for when a depth-first search comes to their state, or back to it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "depth_first/child_expander.hpp"

namespace ludens::proof {

using depth_first::ChildBatch;
using depth_first::ChildExpander;

class ChildCache {
public:
    // About so many bytes. What is given up is recycled in the expander.
    ChildCache(std::int64_t bytes, const Game& game, ChildExpander& expander)
        : slots_(std::bit_floor(
              std::clamp<std::uint64_t>(static_cast<std::uint64_t>(bytes) / batch_bytes(game), 1, most))),
          expander_(expander) {}

    bool has(std::uint64_t key) const { return slot(key).children && slot(key).key == key; }

    // Null where there is none.
    std::unique_ptr<ChildBatch> take(std::uint64_t key) { return has(key) ? std::move(slot(key).children) : nullptr; }

    void keep(std::uint64_t key, std::unique_ptr<ChildBatch> children) {
        Slot& place = slot(key);
        expander_.recycle_alone(std::move(place.children));
        place = {key, std::move(children)};
    }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::unique_ptr<ChildBatch> children;
    };

    static constexpr std::uint64_t most = 1 << 10;  // more do not fit into the processor's caches
    static constexpr std::uint64_t usual_moves = 32;

    static std::uint64_t batch_bytes(const Game& game) {
        const auto words = static_cast<std::uint64_t>(game.state_words() + game.move_words());
        return sizeof(ChildBatch) + usual_moves * (sizeof(depth_first::Node) + words * sizeof(Word));
    }

    const Slot& slot(std::uint64_t key) const { return slots_[key >> 32 & (slots_.size() - 1)]; }
    Slot& slot(std::uint64_t key) { return slots_[key >> 32 & (slots_.size() - 1)]; }

    std::vector<Slot> slots_;
    ChildExpander& expander_;
};

}  // namespace ludens::proof
