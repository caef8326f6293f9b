// Endgame tables by retrograde analysis (Thompson, "Retrograde analysis of certain endgames", 1986; for draughts
// Lake, Schaeffer and Lu, "Solving large retrograde-analysis problems using a network of workstations", 1994).
//
// All moves but steps of kings lead out of a block of positions and its mirror (checkers/endgame_index.hpp) into blocks
// that come before them, so a pair of blocks is a problem of its own, small enough for a processor's cache. In it
//  1. every position gets what its moves out of the block make it worth, and the number of its moves within;
//  2. values go round in rising order: a lost position makes those before it won, a won one takes a move from
//     those before it, and where none is left, and none leads out to better, that position is lost;
//  3. what is left is drawn.
// Blocks whose men stand equally far up do not lead into one another, so threads share them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/threads.hpp"
#include "checkers/endgame_index.hpp"
#include "checkers/endgame_values.hpp"

namespace ludens::endgame {

class Builder {
public:
    // Writes into `values`, [index.size()], which must outlive it, as the index must.
    Builder(const Index& index, Measure measure, std::span<Value> values);

    // The work comes in steps, to be done one after the other: a slice and its mirror each.
    int steps() const { return static_cast<int>(pairs_.size()); }
    // The slices of a step: two, or one that is its own mirror.
    std::vector<const Slice*> slices(int step) const;
    // How many numbers belong to a step.
    std::int64_t work(int step) const;
    // Error if a distance does not fit into a Value, and when it is stopped.
    void run(int step, int threads, const StopSign& stop);

private:
    using Blocks = std::vector<std::int64_t>;

    std::vector<Blocks> layers(const Slice& slice) const;

    const Index& index_;
    const Measure measure_;
    const std::span<Value> values_;
    std::vector<const Slice*> pairs_;  // the first slice of each pair
};

}  // namespace ludens::endgame
