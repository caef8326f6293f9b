// Forced wins by roads at the root of alpha-beta for Tak, of who is to move there.
//
// Alpha-beta sees few plies, and a forced win may be long and yet easily proven, since each answer but a few loses at
// once. So a share of the positions goes to a search of such wins (tak/tinue.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "tak/tinue.hpp"

namespace ludens::tak {

// For one thread at a time.
class RoadWins {
public:
    // The share is of all positions that are looked at, from 0 (nothing is looked for) to less than 1; the memory is
    // that of the table.
    RoadWins(const TakGame& game, double share, std::int64_t bytes) : ratio_(share / (1 - share)) {
        if (share > 0) search_ = make_tinue_search(game, bytes);
    }

    void set_root(std::span<const Word> state) {
        state_.assign(state.begin(), state.end());
        spent_ = 0;
        asked_ = 0;
    }

    // Looks for a win with what is left of the share; `others` positions have been looked at elsewhere at this root.
    // Returns the number of the winner's moves; 0: none is known. Where little more can be spent than it was before,
    // nothing is done.
    int wins(std::int64_t others, Limit& limit) {
        if (!search_) return 0;
        const auto left = static_cast<std::int64_t>(ratio_ * static_cast<double>(others)) - spent_;
        const std::int64_t most = std::max(least, left / 2);
        if (asked_ > most / 2) return 0;
        const auto verdict = search_->search(state_.data(), {}, {most, most_tinue_moves}, &limit);
        asked_ = verdict == TinueSearch::Verdict::none ? settled : most;
        spent_ += search_->positions();
        positions_ += search_->positions();
        return search_->moves();
    }

    // The first move of the win that was found last.
    int move() const { return search_->move(); }
    // How many positions were looked at.
    std::int64_t positions() const { return positions_; }
    std::int64_t memory_bytes() const { return search_ ? search_->memory_bytes() : 0; }

private:
    static constexpr std::int64_t least = 4000;  // positions
    static constexpr std::int64_t settled = std::numeric_limits<std::int64_t>::max();

    const double ratio_;                   // of positions to those looked at elsewhere
    std::unique_ptr<TinueSearch> search_;  // null: there is no share
    std::vector<Word> state_;
    std::int64_t asked_ = 0;                  // positions, the last time
    std::int64_t spent_ = 0, positions_ = 0;  // at this root, and in all
};

}  // namespace ludens::tak
