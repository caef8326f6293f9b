// How good the moves of each role have been in random games, wherever they were made, so that others prefer the better
// ones: move-average sampling (H. Finnsson, Y. Bjoernsson, "Simulation-based approach to general game playing", 2008).
//
// Lanes are to choose by it all at once, so what counts is a move's grade alone: how many of some quantiles of its role's
// moves its mean reaches. At each step of the machine one grade is drawn for all lanes, and where a role has legal moves
// of at least that grade it chooses among these, elsewhere among all. The lowest grade, a quarter of the steps, excludes
// nothing. Grades are worked out anew after a few hundred games, and what is old counts for less and less.
//
// With nothing learned all moves have the lowest grade: games are uniform.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"

namespace ludens {

class MoveAverages {
public:
    static constexpr int grades = 4;  // 0 … 3

    MoveAverages(std::span<const int> moves, std::uint64_t seed);

    // A move, counted over all roles, was made in so many more games, whose goals sum up to `goals`.
    void add(std::size_t move, int games, std::int64_t goals) {
        totals_[move].games += games;
        totals_[move].goals += static_cast<double>(goals);
    }
    // So many more games have been added.
    void played(int games);

    int draw() { return static_cast<int>(random_.below(grades)); }
    int grade(std::size_t move) const { return grade_of_[move]; }

    // Those moves of all roles that are a role's.
    std::size_t first(std::size_t role) const { return firsts_[role]; }
    std::size_t end(std::size_t role) const { return firsts_[role + 1]; }

private:
    struct Total {
        double games = 0, goals = 0;
    };

    void grade_moves(std::size_t role);

    std::vector<std::size_t> firsts_;  // [roles + 1]
    std::vector<Total> totals_;
    std::vector<std::uint8_t> grade_of_;
    std::vector<std::size_t> known_;  // moves of one role, the worst first
    int new_games_ = 0, counted_games_ = 0;
    Random random_;
};

}  // namespace ludens
