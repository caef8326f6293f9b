// What the tree is built from: zeroed pages, one-byte spin locks, and the lossy cache of joint moves.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "machine.hpp"
#include "search_random.hpp"

namespace ludens {

// Anonymous zeroed memory. Pages become real when first written to; huge pages are asked for because a descent
// jumps about at random and a miss in the TLB costs as much as one in the cache.
class Pages {
public:
    explicit Pages(std::size_t bytes) : bytes_(bytes) {
        void* got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (got == MAP_FAILED) throw Error("no memory for a search tree of " + std::to_string(bytes) + " bytes");
        start_ = static_cast<std::byte*>(got);
#ifdef MADV_HUGEPAGE
        madvise(got, bytes, MADV_HUGEPAGE);
#endif
    }
    ~Pages() { munmap(start_, bytes_); }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    std::byte* start() const { return start_; }
    std::size_t bytes() const { return bytes_; }

private:
    std::byte* start_;
    std::size_t bytes_;
};

// Waits politely: with more threads than cores the holder may be asleep.
class Backoff {
public:
    void operator()() {
        if (++spins_ % 64 == 0) std::this_thread::yield();
    }

private:
    unsigned spins_ = 0;
};

// Holds a one-byte lock, 0 being free. Where memory is not shared by threads it is just a mark.
class Guard {
public:
    Guard(std::uint8_t& lock, bool shared) : lock_(lock) {
        for (Backoff wait; !try_lock(lock, shared); wait()) {}
    }
    ~Guard() { std::atomic_ref(lock_).store(0, std::memory_order_release); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

    static bool try_lock(std::uint8_t& lock, bool shared) {
        const std::atomic_ref byte(lock);
        if (byte.load(std::memory_order_relaxed) != 0) return false;
        if (shared) return byte.exchange(1, std::memory_order_acquire) == 0;
        byte.store(1, std::memory_order_relaxed);
        return true;
    }

    struct Adopt {};
    Guard(std::uint8_t& locked, Adopt) : lock_(locked) {}

private:
    std::uint8_t& lock_;
};

// Nodes where several roles move have too many joint moves for a table each, so their children are kept in one
// cache of fixed size that forgets; the transposition table finds again what it lost. Entries are read and
// written without locks: the key is stored combined with the value, so a torn entry fails the comparison
// (Hyatt and Mann, "A lock-less transposition table implementation for parallel search", 2002). Two keys of 64
// bits may be equal by chance; that costs a misplaced visit, since whatever node comes out is itself consistent.
class JointCache {
public:
    struct Entry {
        std::uint64_t check, value;
    };

    JointCache(Entry* entries, std::size_t count) : entries_(entries), mask_(count - 1) {}  // a power of two

    // 0 where nothing is known.
    std::uint64_t find(std::uint64_t key) const {
        Entry& entry = entries_[key & mask_];
        const std::uint64_t value = std::atomic_ref(entry.value).load(std::memory_order_relaxed);
        const std::uint64_t check = std::atomic_ref(entry.check).load(std::memory_order_relaxed);
        return (check ^ value) == key ? value : 0;
    }

    void put(std::uint64_t key, std::uint64_t value) {
        Entry& entry = entries_[key & mask_];
        std::atomic_ref(entry.value).store(value, std::memory_order_relaxed);
        std::atomic_ref(entry.check).store(key ^ value, std::memory_order_relaxed);
    }

private:
    Entry* entries_;
    std::size_t mask_;
};

}  // namespace ludens
