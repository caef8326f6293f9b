// What depth-first searches prove of states: goals of the first role, and bounds of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

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

// The goal of a role, 0 ... 100, at a value, where the goals of two make up 100.
inline double goal_at(Value value, int role) { return role == 0 ? value / 100.0 : 100 - value / 100.0; }

// The role's proven goal; -1: unknown.
inline int proven_goal(const Bounds& b, int role) {
    return b.exact() ? static_cast<int>(std::lround(goal_at(b.low, role))) : -1;
}

}  // namespace ludens::depth_first
