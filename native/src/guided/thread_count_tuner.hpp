// How many threads the guided search works in: found out by how many leaves they settle in a second.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ludens::guided {

// All threads, one, two, four … take turns until each number has worked a few shifts; from then on whichever gets on best
// works, and now and then the one that has rested longest, for the tree grows, and other programs come and go. What was
// seen long ago counts little (a bandit whose arms drift; R. Sutton, A. Barto, "Reinforcement Learning", 2018, 2.5).
class Crew {
public:
    static constexpr double shift_seconds = 0.02;

    explicit Crew(std::size_t all) {
        choices_.push_back({all});
        for (std::size_t size = 1; size < all; size *= 2) choices_.push_back({size});
    }

    // Whether there is but one thread.
    bool alone() const { return choices_.front().threads == 1; }
    // How many threads work now.
    std::size_t size() const { return choices_[working_].threads; }
    // How long they go on: the rest of their shift.
    double seconds_left() const { return shift_seconds - seconds_; }

    // So many leaves have been settled in that time since the last call. At the end of a shift others may take over.
    void note(std::int64_t leaves, double seconds) {
        leaves_ += leaves, seconds_ += seconds;
        if (seconds_left() > 0) return;
        Choice& now = choices_[working_];
        const double rate = worth(now.threads) * static_cast<double>(leaves_) / seconds_;
        now.rate += (rate - now.rate) / std::min(++now.shifts, memory);
        now.last = ++shift_;
        leaves_ = 0, seconds_ = 0;
        working_ = next();
    }

private:
    static constexpr int trials = 3, memory = 4, seldom = 16;  // shifts

    struct Choice {
        std::size_t threads;
        double rate = 0;  // of leaves a second, each for what it is worth
        int shifts = 0;
        std::int64_t last = 0;  // shift that it worked
    };

    // With more threads more leaves are chosen in the dark: with twice as many under way the tree needs some 13 % more of
    // them to know as much (docs/performance.md).
    static double worth(std::size_t threads) {
        return threads == 1 ? 1 : std::pow(static_cast<double>(threads + 1) / 2, -0.18);
    }

    std::size_t next() {
        const auto rested = std::ranges::min_element(choices_, {}, &Choice::last);
        const auto fastest = std::ranges::max_element(choices_, {}, &Choice::rate);
        const bool tries = rested->shifts < trials || ++since_try_ >= seldom;
        if (tries) since_try_ = 0;
        return static_cast<std::size_t>((tries ? rested : fastest) - choices_.begin());
    }

    std::vector<Choice> choices_;
    std::size_t working_ = 0;
    std::int64_t leaves_ = 0, shift_ = 0;
    double seconds_ = 0;
    int since_try_ = 0;
};

}  // namespace ludens::guided
