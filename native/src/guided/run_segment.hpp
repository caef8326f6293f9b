// The part of a run of the guided search during which the number of threads stays the same.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/threads.hpp"
#include "guided/thread_count_tuner.hpp"

namespace ludens::guided {

// It ends with the run; where there is no room left, the root is proven, or a proof does not hold; and where the tuner
// wants another number of threads. For one thread only.
class RunSegment {
public:
    // `evaluated`: how many leaves the search has evaluated so far.
    RunSegment(Limit& limit, ThreadCountTuner& tuner, const std::int64_t& evaluated)
        : run(limit), tuner_(tuner), threads_(tuner.threads()), evaluated_(evaluated) {
        begin_interval();
    }

    Limit& run;
    bool full = false, solved = false, refuted = false;

    std::size_t threads() const { return threads_; }
    bool over() { return full || solved || refuted || run.reached() || count_changes(); }
    // Reports to the tuner what has been done since the last report.
    void report() {
        if (tuner_.single() || count_changed_) return;
        const std::chrono::duration<double> lasted = SearchClock::now() - began_;
        tuner_.report(evaluated_ - before_, lasted.count());
        count_changed_ = tuner_.threads() != threads_;
        begin_interval();
    }

private:
    bool count_changes() {
        if (interval_.passed()) report();
        return count_changed_;
    }
    void begin_interval() {
        if (tuner_.single()) return;
        began_ = SearchClock::now();
        before_ = evaluated_;
        interval_ = Deadline(tuner_.seconds_left());
    }

    ThreadCountTuner& tuner_;
    const std::size_t threads_;
    const std::int64_t& evaluated_;
    bool count_changed_ = false;
    std::int64_t before_ = 0;
    SearchClock::time_point began_;
    Deadline interval_;
};

}  // namespace ludens::guided
