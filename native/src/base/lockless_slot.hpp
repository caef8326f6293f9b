// A place of a table that threads share without locks: what is stored is written with its key mixed into it, so that data
// of which two threads wrote a half each is not found (Hyatt and Mann, "A lock-less transposition table implementation
// for parallel search", 2002).
#pragma once

#include <atomic>
#include <cstdint>

namespace ludens {

// Empty if it is zeroed. Data must not be 0.
class LocklessSlot {
public:
    // What was stored under a key; 0: nothing.
    std::uint64_t find(std::uint64_t key) {
        const std::uint64_t there = data();
        return (load(mixed_) ^ there) == key ? there : 0;
    }

    // What was stored, whatever its key; 0: nothing.
    std::uint64_t data() { return load(data_); }

    void store(std::uint64_t key, std::uint64_t data) {
        keep(data_, data);
        keep(mixed_, key ^ data);
    }

private:
    static std::uint64_t load(std::uint64_t& word) { return std::atomic_ref(word).load(std::memory_order_relaxed); }
    static void keep(std::uint64_t& word, std::uint64_t value) {
        std::atomic_ref(word).store(value, std::memory_order_relaxed);
    }

    std::uint64_t mixed_, data_;
};

}  // namespace ludens
