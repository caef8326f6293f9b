// The transposition table of a depth-first search: what was found out about a state, by its hash.
//
// What is proven of a state's value holds for ever; what was estimated holds for the depth it was searched to.
// Buckets of two entries: one for the deepest search, one for the latest (Breuker, Uiterwijk and van den Herik,
// "Replacement schemes for transposition tables", 1994).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "depth_first/proven_bounds.hpp"

namespace ludens::alphabeta {

using depth_first::Bounds;

struct Entry {
    std::uint64_t key = 0;
    std::int32_t move = -1;  // the best, or the one that was too good; -1: none
    Bounds proven;
    Bounds estimated;         // of a search to `depth`
    std::int16_t depth = -1;  // -1: empty
};

class Table {
public:
    // At least one bucket.
    explicit Table(std::int64_t bytes)
        : buckets_(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bytes) / sizeof(Bucket))) {}

    const Entry* find(std::uint64_t key) const {
        for (const Entry& e : bucket(key).entries)
            if (e.depth >= 0 && e.key == key) return &e;
        return nullptr;
    }

    void store(const Entry& fresh) {
        auto& [deep, late] = bucket(fresh.key).entries;
        Entry& place = fresh.key == deep.key || fresh.depth >= deep.depth ? deep : late;
        if (place.depth < 0) {
            ++used_;
        } else if (&place == &deep && fresh.key != deep.key) {
            late = deep;
        }
        place = fresh;
    }

    std::int64_t used() const { return used_; }
    std::int64_t bytes() const { return static_cast<std::int64_t>(buckets_.size() * sizeof(Bucket)); }

private:
    struct Bucket {
        Entry entries[2];
    };

    // Any number of buckets, by the high half of the key, takes no division.
    std::size_t place(std::uint64_t key) const { return (key >> 32) * buckets_.size() >> 32; }
    Bucket& bucket(std::uint64_t key) { return buckets_[place(key)]; }
    const Bucket& bucket(std::uint64_t key) const { return buckets_[place(key)]; }

    std::vector<Bucket> buckets_;
    std::int64_t used_ = 0;
};

}  // namespace ludens::alphabeta
