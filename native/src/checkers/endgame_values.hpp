// What an endgame table says of a position, in one byte: 255 a draw; else how far the end is, odd where the side
// to move wins, even where it loses.
//
// Two measures of distance share that form:
//  * Without a limit, the plies to the end of the game; a chain of captures is one ply. A loss of 0 is a position
//    without a move, so that wins are odd by themselves.
//  * With a limit of n, for rules by which n plies without a capture or a move of a man are a draw: the plies z
//    to the next such move, or to the end, while the winner hurries and the loser delays. With c plies without
//    progress on the counter the position is won or lost if and only if c + z <= n, else it is drawn. The byte is
//    2z - 1 for a win, 2z for a loss. (Chess calls this distance to zeroing; the condition on the counter is exact
//    because it is part of the analysis: a win that takes longer than n is none.)
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/machine.hpp"

namespace ludens::endgame {

using Value = std::uint8_t;

constexpr Value draw = 255, no_position = 254, farthest = 253;
constexpr bool is_loss(Value v) { return v < no_position && v % 2 == 0; }
constexpr bool is_win(Value v) { return v < no_position && v % 2 == 1; }

class Measure {
public:
    static constexpr int most_limit = farthest / 2;

    // 0: plies to the end, without a limit.
    explicit Measure(int limit) : limit_(limit) {
        if (limit < 0 || limit > most_limit) throw Error("the limit of plies without progress must be 0 to 126");
    }

    int limit() const { return limit_; }
    // The value of a position by a child's. Across moves without progress: a step of a king.
    int before_step(Value child) const { return limit_ && is_win(child) ? child + 3 : child + 1; }
    // Across captures and moves of men.
    int before_progress(Value child) const { return !limit_ ? child + 1 : is_win(child) ? 2 : 1; }
    // The largest value that is not a draw.
    Value last() const { return limit_ ? static_cast<Value>(2 * limit_) : farthest; }
    // With this many plies on the counter of moves without progress.
    Value at(Value v, int counter) const {
        return limit_ && v < no_position && counter + (v + 1) / 2 > limit_ ? draw : v;
    }
    // The plies that a value means; a draw has none.
    int plies(Value v) const { return limit_ ? (v + 1) / 2 : v; }

private:
    int limit_;
};

// The best of the children's values, seen from their parent: a win soon before a draw before a loss late.
class Best {
public:
    void add(int value_here) {
        if (value_here % 2) {
            win_ = std::min(win_, value_here);
        } else {
            loss_ = std::max(loss_, value_here);
        }
    }
    void add_draw() { drawn_ = true; }

    bool won() const { return win_ != none; }
    bool drawn() const { return drawn_; }
    int loss() const { return loss_; }  // 0 where there is no child
    int value() const { return won() ? win_ : drawn_ ? draw : loss_; }

private:
    static constexpr int none = 1 << 20;
    int win_ = none, loss_ = 0;
    bool drawn_ = false;
};

}  // namespace ludens::endgame
