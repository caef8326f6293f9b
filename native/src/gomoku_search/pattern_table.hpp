// The transposition table of the pattern search, shared by its threads without locks.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/growing_buckets.hpp"
#include "base/lockless_slot.hpp"

namespace ludens::gomoku {

class PatternTable {
public:
    enum class Kind : std::uint8_t { none, at_most, at_least, exact };

    struct Entry {
        int move = -1;  // the best, or the one that was too good; -1: none
        int value = 0;
        int depth = 0;
        Kind kind = Kind::none;
        bool settled = false;  // no estimate has a part in it, so that it holds for any depth
    };

    // At least one entry.
    explicit PatternTable(std::int64_t bytes) : slots_(bytes) {}

    // Kind::none where nothing is known.
    Entry find(std::uint64_t key) const {
        const std::uint64_t data = slots_[key].find(key);
        if (!data) return {};
        return {static_cast<int>(data & 0xffff) - 1, static_cast<std::int16_t>(data >> 16 & 0xffff),
                static_cast<int>(data >> 32 & 0xff), static_cast<Kind>(data >> 40 & 3), (data >> 42 & 1) != 0};
    }

    // Its kind must not be Kind::none.
    void store(std::uint64_t key, const Entry& entry) {
        const std::uint64_t data = static_cast<std::uint64_t>(entry.move + 1) |
                                   std::uint64_t{static_cast<std::uint16_t>(entry.value)} << 16 |
                                   static_cast<std::uint64_t>(std::clamp(entry.depth, 0, 255)) << 32 |
                                   static_cast<std::uint64_t>(entry.kind) << 40 | std::uint64_t{entry.settled} << 42;
        LocklessSlot& slot = slots_[key];
        if (!slot.data()) used_.fetch_add(1, std::memory_order_relaxed);
        slot.store(key, data);
    }

    void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[key]); }
    // Uses more memory if what is in use is filling up.
    void grow() { slots_.grow(used()); }

    std::int64_t used() const { return used_.load(std::memory_order_relaxed); }
    std::int64_t bytes() const { return slots_.bytes(); }

private:
    GrowingBuckets<LocklessSlot> slots_;
    std::atomic<std::int64_t> used_ = 0;
};

}  // namespace ludens::gomoku
