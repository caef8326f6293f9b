// The transposition table of alpha-beta for Tak, shared by its threads without locks.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

#include "base/growing_buckets.hpp"
#include "base/lockless_slot.hpp"
#include "base/machine.hpp"

namespace ludens::tak {

// What a search has found out about a position, for who is to move in it.
struct TdEntry {
    enum Kind : std::uint8_t { none, at_least, at_most, exact };

    int move = -1;  // the best, or the one that was too good; -1: none
    int depth = 0;  // plies
    Kind kind = none;
    float value = 0;
};

class TdTable {
public:
    // At least one bucket; at most `bytes` in all where there is room for that.
    explicit TdTable(std::int64_t bytes) : buckets_(bytes) {}

    // Entries of before may be written over by any from now on.
    void begin_root() { generation_ = (generation_ + 1) & 63; }

    TdEntry find(Word key) const {
        for (LocklessSlot& slot : buckets_[key])
            if (const Word data = slot.find(key)) return unpacked(data);
        return {};
    }

    // Of the two places the first is for deep searches of this root, the second for the latest.
    void store(Word key, const TdEntry& entry) {
        auto& [deep, late] = buckets_[key];
        const Word there = deep.data();
        const bool stays =
            there && !deep.find(key) && generation_of(there) == generation_ && unpacked(there).depth > entry.depth;
        LocklessSlot& slot = stays ? late : deep;
        if (!slot.data()) used_.fetch_add(1, std::memory_order_relaxed);
        slot.store(key, packed(entry));
    }

    // Uses more memory if what is in use is filling up.
    void grow() { buckets_.grow(used()); }

    std::int64_t used() const { return used_.load(std::memory_order_relaxed); }
    std::int64_t bytes() const { return buckets_.bytes(); }

    static constexpr int bytes_per_entry = 16;

private:
    using Bucket = std::array<LocklessSlot, 2>;
    static_assert(sizeof(LocklessSlot) == bytes_per_entry);

    // Bits: 32 of the value, 6 of the generation, 2 of the kind, 7 of the depth, 17 of the move + 1. They are not all 0, as
    // no entry is of no kind.
    Word packed(const TdEntry& e) const {
        return Word{std::bit_cast<std::uint32_t>(e.value)} | Word{generation_} << 32 | static_cast<Word>(e.kind) << 38 |
               static_cast<Word>(std::clamp(e.depth, 0, 127)) << 40 | static_cast<Word>(e.move + 1) << 47;
    }
    static TdEntry unpacked(Word data) {
        return {.move = static_cast<int>(data >> 47) - 1,
                .depth = static_cast<int>(data >> 40 & 127),
                .kind = static_cast<TdEntry::Kind>(data >> 38 & 3),
                .value = std::bit_cast<float>(static_cast<std::uint32_t>(data))};
    }
    static unsigned generation_of(Word data) { return data >> 32 & 63; }

    GrowingBuckets<Bucket> buckets_;
    unsigned generation_ = 0;
    std::atomic<std::int64_t> used_ = 0;
};

}  // namespace ludens::tak
