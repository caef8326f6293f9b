// What depth-first searches prove of states: goals of the first role, and bounds of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <ranges>

namespace ludens::depth_first {

// Goals of the first role in hundredths.
using Value = std::int16_t;
constexpr Value lowest = 0, highest = 100 * 100, middle = highest / 2;

// What the value of a state is proven to lie between.
struct Bounds {
    Value low = lowest, high = highest;

    bool exact() const { return low == high; }
    Value clamp(Value v) const { return std::clamp(v, low, high); }
    void meet(const Bounds& b) { low = std::max(low, b.low), high = std::min(high, b.high); }
    friend bool operator==(const Bounds&, const Bounds&) = default;
};

// What the bounds of all that can follow prove of a state: the role that moves can have the best of the lower ones,
// and no more than the best of the upper ones. `rises`: it is the first role. `bounds_of` tells the bounds of each.
template <std::ranges::input_range R, class BoundsOf>
Bounds best_of(const R& following, BoundsOf bounds_of, bool rises) {
    Bounds best = rises ? Bounds{lowest, lowest} : Bounds{highest, highest};
    for (const auto& next : following) {
        const Bounds& b = std::invoke(bounds_of, next);
        best.low = rises ? std::max(best.low, b.low) : std::min(best.low, b.low);
        best.high = rises ? std::max(best.high, b.high) : std::min(best.high, b.high);
    }
    return best;
}

// Whether none of the others can turn out to be better for who moves than `chosen`, one of them, is proven to be.
template <std::ranges::input_range R, class BoundsOf>
bool settles(const Bounds& chosen, const R& following, BoundsOf bounds_of, bool rises) {
    const auto is_no_better = [&](const Bounds& other) {
        return &other == &chosen || (rises ? other.high <= chosen.low : other.low >= chosen.high);
    };
    return std::ranges::all_of(following, is_no_better, bounds_of);
}

// The goal of a role, 0 ... 100, at a value, where the goals of two make up 100.
inline double goal_at(Value value, int role) { return role == 0 ? value / 100.0 : 100 - value / 100.0; }

// Returns the role's proven goal; -1: unknown. Where the rules do not prove that the goals of two make up 100, a value
// is no goal but a difference of goals, and proves a goal only where a role can force the largest one: 100 against 0.
inline int proven_goal(const Bounds& b, int role, bool sum_is_proven) {
    if (!b.exact()) return -1;
    const int goal = static_cast<int>(std::lround(goal_at(b.low, role)));
    return sum_is_proven || goal == 100 ? goal : -1;
}

}  // namespace ludens::depth_first
