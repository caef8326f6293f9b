// How long the same threads of the guided search work without a break.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/threads.hpp"
#include "guided/thread_count_tuner.hpp"

namespace ludens::guided {

// It ends with the run, where there is no room left, the root is proven, or what was proven does not hold, and where
// others take over. For one thread only.
class Stint {
public:
    // `settled`: how many leaves are.
    Stint(Limit& all, Crew& crew, const std::int64_t& settled)
        : run(all), crew_(crew), threads_(crew.size()), settled_(settled) {
        begin_shift();
    }

    Limit& run;
    bool full = false, solved = false, refuted = false;

    std::size_t threads() const { return threads_; }
    bool over() { return full || solved || refuted || run.reached() || relieved(); }
    // Tells the crew what has been done since it was told last.
    void report() {
        if (crew_.alone() || relieved_) return;
        const std::chrono::duration<double> lasted = SearchClock::now() - began_;
        crew_.note(settled_ - before_, lasted.count());
        relieved_ = crew_.size() != threads_;
        begin_shift();
    }

private:
    bool relieved() {
        if (shift_.passed()) report();
        return relieved_;
    }
    void begin_shift() {
        if (crew_.alone()) return;
        began_ = SearchClock::now();
        before_ = settled_;
        shift_ = Deadline(crew_.seconds_left());
    }

    Crew& crew_;
    const std::size_t threads_;
    const std::int64_t& settled_;
    bool relieved_ = false;
    std::int64_t before_ = 0;
    SearchClock::time_point began_;
    Deadline shift_;
};

}  // namespace ludens::guided
