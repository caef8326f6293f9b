// Helpers for searches with several threads: when they stop, and how an error in one reaches the caller.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/machine.hpp"

namespace ludens {

using SearchClock = std::chrono::steady_clock;

// When something has to end. Where it may last for ever the clock is not looked at.
class Deadline {
public:
    Deadline() = default;  // never
    // `seconds` from now; 0: never.
    explicit Deadline(double seconds) {
        constexpr double longest = 1e8;  // three years: beyond, the clock's type could overflow
        if (seconds == 0 || seconds > longest) return;
        end_ = SearchClock::now() +
               std::chrono::duration_cast<SearchClock::duration>(std::chrono::duration<double>(seconds));
    }

    bool passed() const { return end_ != SearchClock::time_point::max() && SearchClock::now() >= end_; }
    // How long it lasts until then, as the constructor takes it; where it has passed, an instant.
    double seconds_left() const {
        if (end_ == SearchClock::time_point::max()) return 0;
        constexpr double instant = 1e-9;
        return std::max(std::chrono::duration<double>(end_ - SearchClock::now()).count(), instant);
    }

private:
    SearchClock::time_point end_ = SearchClock::time_point::max();
};

// How long a run goes on; shared by its threads.
struct Limit {
    std::atomic<bool> stopped = false;
    std::atomic<std::int64_t> finished = 0;  // playouts, and what counts in their stead
    std::int64_t playouts = 0;               // 0: any number
    Deadline deadline;

    // Not yet stopped, from now on.
    void begin(double seconds, std::int64_t most) {
        stopped = false;
        begin_unless_stopped(seconds, most);
    }
    // The same, but where it was stopped before it is reached.
    void begin_unless_stopped(double seconds, std::int64_t most) {
        finished = 0;
        playouts = most;
        deadline = Deadline(seconds);
    }
    bool reached() const {
        return stopped.load(std::memory_order_relaxed) ||
               (playouts > 0 && finished.load(std::memory_order_relaxed) >= playouts) || deadline.passed();
    }
    // Counts up to `most` playouts as finished that a thread is about to make, and returns how many: all threads together
    // get no more than there may be, and 0 where there is nothing left to do.
    std::int64_t take(std::int64_t most) {
        if (reached()) return 0;
        const std::int64_t before = finished.fetch_add(most, std::memory_order_relaxed);
        const std::int64_t taken = playouts > 0 ? std::clamp<std::int64_t>(playouts - before, 0, most) : most;
        give_back(most - taken);
        return taken;
    }
    // Counts so many as not finished that a thread took and did not make.
    void give_back(std::int64_t count) { finished.fetch_sub(count, std::memory_order_relaxed); }
};

// Ends long work from any thread, and all that is begun later.
class StopSign {
public:
    void raise() { raised_ = true; }
    // Called by the work every now and then: throws Error once it has been raised.
    void heed() const {
        if (raised_.load(std::memory_order_relaxed)) throw Error("this work has been stopped");
    }

private:
    std::atomic<bool> raised_ = false;
};

// Thrown in the middle of a search that is to end: its limit is reached, or another thread has the answer.
struct Interrupted {};

// Runs `work(worker)` for each of the workers, the first in the calling thread. If one throws, or cannot be started,
// `give_up()` tells the others, and it is rethrown when all have ended.
template <class Workers, class GiveUp, class Work> void run_in_threads(Workers& workers, GiveUp give_up, Work work) {
    std::exception_ptr failure;
    std::mutex failing;
    const auto guarded = [&](auto* worker) {
        try {
            work(**worker);
        } catch (...) {
            give_up();
            const std::lock_guard lock(failing);
            if (!failure) failure = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> threads;
        try {
            for (std::size_t i = 1; i < workers.size(); ++i) threads.emplace_back(guarded, &workers[i]);
        } catch (const std::system_error& error) {
            give_up();
            throw Error(std::string("a thread of the search could not be started: ") + error.what());
        } catch (...) {  // there is no memory for one
            give_up();
            throw;
        }
        guarded(&workers[0]);
    }
    if (failure) std::rethrow_exception(failure);
}

template <class Workers, class Work> void run_in_threads(Workers& workers, std::atomic<bool>& stopped, Work work) {
    run_in_threads(workers, [&] { stopped = true; }, work);
}

// Shares work: `make()` gives every thread its worker, and worker(i) is called once for each i below `count`, in any
// order.
template <class Make> void share_in_threads(int threads, std::int64_t count, Make make) {
    std::atomic<std::int64_t> next = 0;
    const std::vector<Make*> makers(std::max<std::int64_t>(1, std::min<std::int64_t>(threads, count)), &make);
    const auto work = [&](Make& make_worker) {
        auto worker = make_worker();
        for (std::int64_t i; (i = next++) < count;) worker(i);
    };
    run_in_threads(makers, [&] { next = count; }, work);
}

}  // namespace ludens
