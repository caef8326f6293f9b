// What a proof-number search has found out about states, by their keys.
//
// What is proven of a state's value holds for ever and for every question; proof and disproof numbers are those of the
// question that was asked last. Threads share the table: a bucket is read and written under a lock of its own.
// Of the entries in a bucket the one with the least work below it gives way.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "depth_first/proven_bounds.hpp"

namespace ludens::proof {

using depth_first::Bounds;
using depth_first::Value;

// How many states have to be valued, at least, to prove that a state is worth what is asked for, [0], or is worth less,
// [1]: in other words what it takes the first role to get it, and the second role to prevent it.
using Numbers = std::array<std::uint32_t, 2>;
// `settled` where it has been done, and then `never` for the opposite; `most` is as far as numbers are counted.
constexpr std::uint32_t settled = 0, never = 1u << 30, most = never / 4;

// What is proven, and how many plies the proofs of the lower and of the upper bound are long. A bound that says nothing
// has a proof of no plies.
struct Proof {
    Bounds bounds;
    std::array<std::uint16_t, 2> plies{};

    bool tighter_low(const Proof& other) const {
        return bounds.low > other.bounds.low || (bounds.low == other.bounds.low && plies[0] < other.plies[0]);
    }
    bool tighter_high(const Proof& other) const {
        return bounds.high < other.bounds.high || (bounds.high == other.bounds.high && plies[1] < other.plies[1]);
    }
    void take_low(const Proof& other) {
        bounds.low = other.bounds.low;
        plies[0] = other.plies[0];
    }
    void take_high(const Proof& other) {
        bounds.high = other.bounds.high;
        plies[1] = other.plies[1];
    }
    void meet(const Proof& other) {
        if (other.tighter_low(*this)) take_low(other);
        if (other.tighter_high(*this)) take_high(other);
    }
};

struct Entry {
    std::uint64_t key = 0;
    Numbers numbers{};
    Proof proof;
    Value question = 0;       // the goal asked for; 0: the entry is empty
    std::uint16_t round = 0;  // of the search, in which neither number could be settled
    std::uint32_t work = 0;   // visits of it and of states below
};

class Table {
public:
    // At least one bucket.
    explicit Table(std::int64_t bytes)
        : buckets_(std::bit_floor(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bytes) / sizeof(Bucket)))) {}

    // Fetches what find() will need, into the processor's cache.
    void prefetch(std::uint64_t key) const {
        const auto* bucket = reinterpret_cast<const char*>(&buckets_[key & (buckets_.size() - 1)]);
        __builtin_prefetch(bucket);
        __builtin_prefetch(bucket + sizeof(Bucket) / 2);
    }

    std::optional<Entry> find(std::uint64_t key) {
        Bucket& bucket = this->bucket(key);
        const Lock lock(bucket.busy);
        for (const Entry& e : bucket.entries)
            if (e.question && e.key == key) return e;
        return {};
    }

    // What was proven of the state before stays, and its work adds up.
    void store(Entry fresh) {
        Bucket& bucket = this->bucket(fresh.key);
        const Lock lock(bucket.busy);
        Entry* place = &bucket.entries[0];
        for (Entry& e : bucket.entries) {
            if (e.question && e.key == fresh.key) {
                fresh.proof.meet(e.proof);
                const std::uint64_t work = std::uint64_t{fresh.work} + e.work;
                fresh.work = static_cast<std::uint32_t>(std::min<std::uint64_t>(UINT32_MAX, work));
                e = fresh;
                return;
            }
            if (!e.question ? place->question != 0 : place->question && e.work < place->work) place = &e;
        }
        if (!place->question) used_.fetch_add(1, std::memory_order_relaxed);
        *place = fresh;
    }

    std::int64_t used() const { return used_.load(std::memory_order_relaxed); }
    std::int64_t bytes() const { return static_cast<std::int64_t>(buckets_.size() * sizeof(Bucket)); }

private:
    struct alignas(64) Bucket {
        std::array<Entry, 3> entries;
        std::atomic_flag busy;
    };

    class Lock {
    public:
        explicit Lock(std::atomic_flag& busy) : busy_(busy) {
            while (busy_.test_and_set(std::memory_order_acquire)) {}
        }
        Lock(const Lock&) = delete;
        ~Lock() { busy_.clear(std::memory_order_release); }

    private:
        std::atomic_flag& busy_;
    };

    Bucket& bucket(std::uint64_t key) { return buckets_[key & (buckets_.size() - 1)]; }

    std::vector<Bucket> buckets_;
    std::atomic<std::int64_t> used_ = 0;
};

}  // namespace ludens::proof
