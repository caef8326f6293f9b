// The transposition table of the pattern search, shared by its threads without locks: an entry is written with its key
// mixed into its data, so that one of which two threads wrote a half each is not found (Hyatt and Mann, "A lock-less
// transposition table implementation for parallel search", 2002).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/growing_buckets.hpp"

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
        Slot& slot = slots_[key];
        const std::uint64_t data = load(slot.data);
        if ((load(slot.check) ^ data) != key) return {};
        return {static_cast<int>(data & 0xffff) - 1, static_cast<std::int16_t>(data >> 16 & 0xffff),
                static_cast<int>(data >> 32 & 0xff), static_cast<Kind>(data >> 40 & 3), (data >> 42 & 1) != 0};
    }

    void store(std::uint64_t key, const Entry& entry) {
        const std::uint64_t data = static_cast<std::uint64_t>(entry.move + 1) |
                                   std::uint64_t{static_cast<std::uint16_t>(entry.value)} << 16 |
                                   static_cast<std::uint64_t>(std::clamp(entry.depth, 0, 255)) << 32 |
                                   static_cast<std::uint64_t>(entry.kind) << 40 | std::uint64_t{entry.settled} << 42;
        Slot& slot = slots_[key];
        if (load(slot.data) == 0) used_.fetch_add(1, std::memory_order_relaxed);
        store(slot.check, key ^ data);
        store(slot.data, data);
    }

    void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[key]); }
    // Uses more memory if what is in use is filling up.
    void grow() { slots_.grow(used()); }

    std::int64_t used() const { return used_.load(std::memory_order_relaxed); }
    std::int64_t bytes() const { return slots_.bytes(); }

private:
    struct Slot {
        std::uint64_t check, data;
    };

    static std::uint64_t load(std::uint64_t& word) { return std::atomic_ref(word).load(std::memory_order_relaxed); }
    static void store(std::uint64_t& word, std::uint64_t value) {
        std::atomic_ref(word).store(value, std::memory_order_relaxed);
    }

    GrowingBuckets<Slot> slots_;
    std::atomic<std::int64_t> used_ = 0;
};

}  // namespace ludens::gomoku
