// The base of depth-first searches: the moves of the root, whether it is solved, and the line that is expected.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/goal_sums.hpp"
#include "base/role_moves.hpp"
#include "depth_first/child_expander.hpp"
#include "search/search.hpp"

namespace ludens::depth_first {

// `Report` is what is known of a move at the root: its `move`, its `visits`, the value that it seems to have,
// estimate(), and the bounds() of it that are proven.
template <class Report> class RootSearch : public Search {
public:
    explicit RootSearch(const Game& game) : game_(game), sum_is_proven_(GoalSums(game).proven()) {}

    // Where several roles choose at once, which depth-first searches do not understand, any legal move is as good.
    RootMoves root_moves(int role) const override {
        const std::lock_guard quiet(reporting_);
        RootMoves found{{}, root().over ? -1 : 0};
        if (root().over) return found;
        const ChildBatch& children = *root().children;
        if (!children.searchable) {
            std::vector<int> moves;
            RoleMoves(game_.moves()).list(root().legal, role, moves);
            for (const int move : moves) found.moves.push_back({move, 0, std::numeric_limits<double>::quiet_NaN(), -1});
        } else if (role != children.mover) {
            const int move = children.others[static_cast<std::size_t>(role)];
            found.moves.push_back({move, 0, goal_at(best().estimate(), role), -1});
        } else {
            for (const Report& r : report_)
                found.moves.push_back({r.move, r.visits, goal_at(r.estimate(), role), goal_proven_by(r)});
            found.best = static_cast<int>(&best() - report_.data());
        }
        return found;
    }

    std::vector<int> expected_line(int room) const override {
        const std::lock_guard quiet(reporting_);
        const auto length = static_cast<std::size_t>(std::max(room, 0)) * static_cast<std::size_t>(game_.roles());
        return {line_.begin(), line_.begin() + static_cast<std::ptrdiff_t>(std::min(line_.size(), length))};
    }

protected:
    virtual const Node& root() const = 0;
    // What is known of the move to play; not where the game is over or several roles choose.
    virtual const Report& best() const = 0;

    // Whether the game goes on, and one role at most chooses at the root.
    bool searchable() const { return !root().over && root().children->searchable; }

    std::int64_t root_visits() const {
        std::int64_t visits = 0;
        for (const Report& r : report_) visits += r.visits;
        return visits;
    }

    // Whether what to play is proven: all moves lead to the same, or one is proven to be as good as any can be.
    void update_solved() {
        solved_ = root().over;
        if (!searchable() || (!sum_is_proven_ && goal_proven_by(best()) < 0)) return;
        solved_ = settles(best().bounds(), report_, &Report::bounds, root().children->mover == 0);
    }

    // Makes the line anew: of the root's children, and of theirs, next(children) returns the node to go on to, if there
    // is one, and whether the line may go on below it.
    template <class Next> void update_line(ChildExpander& expander, Next next) {
        std::vector<int> line;
        std::vector<std::unique_ptr<ChildBatch>> batches;
        const ChildBatch* children = root().over ? nullptr : root().children.get();
        while (children && children->searchable &&
               line.size() < longest_line * static_cast<std::size_t>(game_.roles())) {
            const auto [node, goes_on] = next(*children);
            if (!node) break;
            for (int r = 0; r < game_.roles(); ++r)
                line.push_back(r == children->mover ? node->move : children->others[static_cast<std::size_t>(r)]);
            children = goes_on ? batches.emplace_back(expander.children_of(*node)).get() : nullptr;
        }
        const std::lock_guard quiet(reporting_);
        line_ = std::move(line);
    }

    const Game& game_;
    std::vector<Report> report_;  // none where the game is over or several roles choose
    std::vector<int> line_;
    bool solved_ = false;
    std::mutex running_;            // held by run() and set_root(), before:
    mutable std::mutex reporting_;  // held while reporting and while what is reported changes

private:
    static constexpr std::size_t longest_line = 40;  // steps

    // Returns the goal that a move is proven to lead to for who makes it; -1: unknown.
    int goal_proven_by(const Report& r) const {
        return proven_goal(r.bounds(), root().children->mover, sum_is_proven_);
    }

    const bool sum_is_proven_;  // of the goals at all ends, by the rules
};

}  // namespace ludens::depth_first
