// Finds out whether the goals of two roles have the same sum at every end, so that a proven goal of one role gives the
// other's.
//
// A search calls proven what follows from the rules: with one role, or where the rules prove the sum
// (Game::constant_sum). Elsewhere ends that differ refute a constant sum, and many that agree make one likely. Whoever
// relies on a likely one gives up all that rests on it once it is refuted.
#pragma once

#include "base/machine.hpp"

namespace ludens {

class GoalSums {
public:
    explicit GoalSums(const Game& game)
        : proven_(game.roles() == 1 || game.constant_sum()), observed_(game.roles() == 2 && !proven_) {}

    // Whether one goal says all, by the rules.
    bool proven() const { return proven_; }
    // Whether enough ends of a game of two had the same sum, and none had another.
    bool likely() const { return !refuted_ && ends_ == enough_ends; }
    // Whether two ends had different sums.
    bool refuted() const { return refuted_; }

    // The sum of two roles' goals, where it is proven or likely.
    int sum() const { return proven_ ? best_goal : sum_; }

    // Takes note of the goals' sum at an end.
    void observe(int sum) {
        if (!observed_ || refuted_) return;
        if (ends_ == 0) sum_ = sum;
        refuted_ = sum != sum_;
        if (ends_ < enough_ends) ++ends_;
    }
    // Takes note that somebody else has met ends with different sums.
    void refute() { refuted_ = observed_; }

private:
    static constexpr int enough_ends = 256;

    bool proven_, observed_;
    bool refuted_ = false;
    int sum_ = 0, ends_ = 0;  // of the ends so far, as many as are enough at most
};

}  // namespace ludens
