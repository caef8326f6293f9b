// Finds the number of threads with which the guided search evaluates most leaves in a second.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ludens::guided {

// All threads, one, two, four … are tried in turn for a few intervals each. From then on the fastest number is used,
// and now and then the one that was not tried for longest: the tree grows, and other programs come and go. What was
// measured long ago counts little (a bandit whose arms drift; R. Sutton, A. Barto, "Reinforcement Learning", 2018,
// 2.5).
class ThreadCountTuner {
public:
    static constexpr double interval_seconds = 0.02;

    explicit ThreadCountTuner(std::size_t most) {
        choices_.push_back({most});
        for (std::size_t threads = 1; threads < most; threads *= 2) choices_.push_back({threads});
    }

    // Whether there is but one thread, and nothing to tune.
    bool single() const { return choices_.front().threads == 1; }
    // How many threads are to work now.
    std::size_t threads() const { return choices_[current_].threads; }
    // How long they go on: the rest of their interval.
    double seconds_left() const { return interval_seconds - seconds_; }

    // Counts the leaves that were evaluated in the time since the last call. At the end of an interval threads() may
    // change.
    void report(std::int64_t leaves, double seconds) {
        leaves_ += leaves;
        seconds_ += seconds;
        if (seconds_left() > 0) return;
        Choice& now = choices_[current_];
        const double rate = leaf_worth(now.threads) * static_cast<double>(leaves_) / seconds_;
        ++now.intervals;
        now.rate += (rate - now.rate) / std::min(now.intervals, memory);
        now.last = ++interval_;
        leaves_ = 0;
        seconds_ = 0;
        current_ = next();
    }

private:
    static constexpr int trials = 3, memory = 4, between_retries = 16;  // intervals

    struct Choice {
        std::size_t threads;
        double rate = 0;  // leaves a second, times what each is worth
        int intervals = 0;
        std::int64_t last = 0;  // interval in which it was used
    };

    // With more threads more leaves are selected before earlier results are known: with twice as many under way the
    // tree needs some 13 % more of them to know as much (docs/experiments/guided-threads.md).
    static double leaf_worth(std::size_t threads) {
        return threads == 1 ? 1 : std::pow(static_cast<double>(threads + 1) / 2, -0.18);
    }

    std::size_t next() {
        const auto oldest = std::ranges::min_element(choices_, {}, &Choice::last);
        const auto fastest = std::ranges::max_element(choices_, {}, &Choice::rate);
        ++since_retry_;
        const bool retries = oldest->intervals < trials || since_retry_ >= between_retries;
        if (retries) since_retry_ = 0;
        return static_cast<std::size_t>((retries ? oldest : fastest) - choices_.begin());
    }

    std::vector<Choice> choices_;
    std::size_t current_ = 0;
    std::int64_t leaves_ = 0, interval_ = 0;
    double seconds_ = 0;
    int since_retry_ = 0;
};

}  // namespace ludens::guided
