// The memory of a transposition table that its threads share: it begins small and doubles as it fills, up to its bound.
//
// For the system to clear memory that is used for the first time takes longer than a short search has, and keys are all
// over the table from the first one on; and little memory stays in the caches.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/pages.hpp"

namespace ludens {

// Buckets are zeroed at first.
template <class Bucket> class GrowingBuckets {
public:
    // At least one bucket, and no more than fit into `bytes`.
    explicit GrowingBuckets(std::int64_t bytes)
        : pages_(sizeof(Bucket) *
                 std::bit_floor(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bytes) / sizeof(Bucket)))),
          buckets_(reinterpret_cast<Bucket*>(pages_.start()), pages_.bytes() / sizeof(Bucket)) {}

    Bucket& operator[](std::uint64_t key) const {
        return buckets_[key & (in_use_.load(std::memory_order_relaxed) - 1)];
    }

    // Uses twice as many buckets if there are more entries than half of those in use; half of what is known is then
    // found no more.
    void grow(std::int64_t entries) {
        const std::uint64_t now = in_use_.load(std::memory_order_relaxed);
        if (now < buckets_.size() && 2 * static_cast<std::uint64_t>(entries) > now)
            in_use_.store(2 * now, std::memory_order_relaxed);
    }

    std::int64_t bytes() const { return static_cast<std::int64_t>(pages_.bytes()); }

private:
    static constexpr std::uint64_t bytes_at_first = std::uint64_t{1} << 20;

    Pages pages_;
    std::span<Bucket> buckets_;
    std::atomic<std::uint64_t> in_use_ =
        std::min<std::uint64_t>(buckets_.size(), std::bit_floor(bytes_at_first / sizeof(Bucket)));
};

}  // namespace ludens
