// Forced wins by roads at the root of alpha-beta for Tak: of who is to move there, and of the other side after a move.
//
// Alpha-beta sees few plies, and a forced win may be long and yet easily proven, since each answer but a few loses at
// once. So a share of the positions goes to a search of such wins (tak/tinue.hpp): for the root, and for each move that
// alpha-beta takes for the best so far. After moves only short wins are looked for: the other side may never find a
// long one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
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
        asked_.clear();
    }

    // Looks for a win of who is to move, or of the other side after a move of the root, with what is left of the share;
    // `others` positions have been looked at elsewhere at this root. Returns the number of the winner's moves; 0: none is
    // known. Where little more can be spent than it was before, nothing is done.
    int wins(std::int64_t others, Limit& limit) { return look({}, -1, most_tinue_moves, others, limit); }
    int wins_after(int move, std::int64_t others, Limit& limit) {
        return look({&move, 1}, move, short_win, others, limit);
    }

    // The first move of the win that was found last.
    int move() const { return search_->move(); }
    // How many positions were looked at.
    std::int64_t positions() const { return positions_; }
    std::int64_t memory_bytes() const { return search_ ? search_->memory_bytes() : 0; }

private:
    static constexpr int short_win = 3;          // moves
    static constexpr std::int64_t least = 4000;  // positions
    static constexpr std::int64_t settled = std::numeric_limits<std::int64_t>::max();

    int look(std::span<const int> made, int name, int moves, std::int64_t others, Limit& limit) {
        if (!search_) return 0;
        const auto left = static_cast<std::int64_t>(ratio_ * static_cast<double>(others)) - spent_;
        const std::int64_t most = std::max(least, left / 2);
        std::int64_t& asked = asked_[name];
        if (asked > most / 2) return 0;
        const auto verdict = search_->search(state_.data(), made, {most, moves}, &limit);
        asked = verdict == TinueSearch::Verdict::none ? settled : most;
        spent_ += search_->positions();
        positions_ += search_->positions();
        return search_->moves();
    }

    const double ratio_;                   // of positions to those looked at elsewhere
    std::unique_ptr<TinueSearch> search_;  // null: there is no share
    std::vector<Word> state_;
    std::map<int, std::int64_t> asked_;       // positions, by move; -1: of the root itself
    std::int64_t spent_ = 0, positions_ = 0;  // at this root, and in all
};

}  // namespace ludens::tak
