// What a search of forced wins by roads remembers of positions; see tak/tinue.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/growing_buckets.hpp"

namespace ludens::tak {

// What is known of a position. Moves are those of the attacker that are still to be made, from 1 to 254.
struct TinueEntry {
    static constexpr std::uint8_t ever = 255;

    std::uint64_t key = 0;
    // With `moves` left: how many positions at least have yet to turn out well for who is to move, and for who is not,
    // to prove that they have their way; 0: nothing is known.
    std::uint32_t mine = 0, others = 0;
    std::int32_t move = -1;   // of the attacker, that wins
    std::uint8_t moves = 0;   // left, when `mine` and `others` were found out
    std::uint8_t won = 0;     // the attacker wins with so many; 0: not known
    std::uint8_t failed = 0;  // the attacker does not win with so many; `ever`: with any number
    std::uint8_t effort = 0;  // how much it took to find that out; less the longer it was not looked up
};

class TinueTable {
public:
    // No more memory than `bytes`, but one bucket.
    explicit TinueTable(std::int64_t bytes) : buckets_(bytes) {}

    TinueEntry find(std::uint64_t key) const {
        for (const TinueEntry& entry : buckets_[key])
            if (entry.key == key && entry.effort > 0) return entry;
        return {.key = key};
    }

    // Takes the place of what was known of the position, or of what took the least effort.
    void store(const TinueEntry& entry) {
        auto& bucket = buckets_[entry.key];
        TinueEntry* place = &bucket[0];
        for (TinueEntry& other : bucket) {
            if (other.key == entry.key && other.effort > 0) {
                other = entry;
                return;
            }
            if (other.effort < place->effort) place = &other;
        }
        used_ += place->effort == 0;
        for (TinueEntry& other : bucket) other.effort = std::max<std::uint8_t>(other.effort, 2) - 1;
        *place = entry;
        buckets_.grow(used_);
    }

    std::int64_t bytes() const { return buckets_.bytes(); }

private:
    using Bucket = std::array<TinueEntry, 4>;

    GrowingBuckets<Bucket> buckets_;
    std::int64_t used_ = 0;
};

}  // namespace ludens::tak
