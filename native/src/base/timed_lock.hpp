// Locks that tell what they cost.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>

namespace ludens {

struct LockCosts {
    std::int64_t count = 0;
    double waited = 0, held = 0;  // seconds

    void add(const LockCosts& other) {
        count += other.count;
        waited += other.waited;
        held += other.held;
    }
};

// Holds a mutex, and adds what that cost to the counters of the thread. Asking for the time takes as
// long as an uncontended lock does, so this is for locks that are taken for a batch of work, not for a node or a game.
class TimedLock {
public:
    TimedLock(std::mutex& mutex, LockCosts& costs)
        : asked_(Clock::now()), lock_(mutex), got_(Clock::now()), costs_(costs) {}
    ~TimedLock() {
        ++costs_.count;
        costs_.waited += seconds(got_ - asked_);
        costs_.held += seconds(Clock::now() - got_);
    }
    TimedLock(const TimedLock&) = delete;
    TimedLock& operator=(const TimedLock&) = delete;

private:
    using Clock = std::chrono::steady_clock;

    static double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

    const Clock::time_point asked_;
    const std::lock_guard<std::mutex> lock_;
    const Clock::time_point got_;
    LockCosts& costs_;
};

}  // namespace ludens
