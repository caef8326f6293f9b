// How many threads the guided search works in: found out by how many leaves they settle in a second.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ludens::guided {

// All threads, one, two, four … take turns until each number has worked a few shifts; from then on the fastest works,
// and now and then another one, for the tree grows, and other programs come and go. What was seen long ago counts little
// (a bandit whose arms drift; R. Sutton, A. Barto, "Reinforcement Learning", 2018, 2.5).
class Crew {
public:
    explicit Crew(std::size_t all) {
        choices_.push_back({all});
        for (std::size_t size = 1; size < all; size *= 2) choices_.push_back({size});
    }

    // How many threads work in the next shift.
    std::size_t size() const { return choices_[working_].threads; }

    void note(std::int64_t leaves, double seconds) {
        Choice& now = choices_[working_];
        const double rate = static_cast<double>(leaves) / seconds, share = 1.0 / std::min(++now.shifts, memory);
        now.rate += share * (rate - now.rate);
        working_ = next();
    }

private:
    static constexpr int trials = 3, memory = 4, seldom = 16;  // shifts

    struct Choice {
        std::size_t threads;
        double rate = 0;  // leaves a second
        int shifts = 0;
    };

    std::size_t next() {
        const auto fewest = std::ranges::min_element(choices_, {}, &Choice::shifts);
        const bool tries = fewest->shifts < trials || ++since_try_ == seldom;
        if (!tries) return static_cast<std::size_t>(std::ranges::max_element(choices_, {}, &Choice::rate) - choices_.begin());
        since_try_ = 0;
        return static_cast<std::size_t>(fewest - choices_.begin());
    }

    std::vector<Choice> choices_;
    std::size_t working_ = 0;
    int since_try_ = 0;
};

}  // namespace ludens::guided
