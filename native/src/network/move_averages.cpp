// Move-average sampling (H. Finnsson, Y. Bjoernsson, "Simulation-based approach to general game playing", 2008): random
// games prefer the moves that did well in other games of the search, wherever they were made.
//
// All lanes choose at once, so what counts is a move's grade alone: how many of some quantiles of its role's moves its
// mean goal reaches. At each step one grade is drawn for all lanes, and moves of at least that grade are preferred. The
// lowest grade, a quarter of the steps, excludes nothing. Grades are worked out anew after a few hundred games, and
// older games count for less and less.
//
// With nothing learned all moves have the lowest grade: games are uniform.
#include <algorithm>
#include <array>
#include <vector>

#include "base/random.hpp"
#include "network/playout_policy.hpp"

namespace ludens::network {

namespace {

constexpr int grades = 4;               // 0 ... 3
constexpr int between_grades = 256;     // games
constexpr int between_halves = 10'000;  // games, after which those before count half
constexpr double doubt = 10;            // games of the role's mean that are added to those of a move
constexpr double quantiles[grades - 1] = {0.5, 0.75, 0.9};  // that the grades from 1 on begin at

class MoveAverages final : public PlayoutPolicy {
public:
    MoveAverages(std::span<const int> moves, std::uint64_t seed) : first_moves_{0}, random_(mix(seed)) {
        for (const int count : moves) first_moves_.push_back(first_moves_.back() + static_cast<std::size_t>(count));
        totals_.resize(first_moves_.back());
        preferred_[0].assign(first_moves_.back(), 1);
        for (int grade = 1; grade < grades; ++grade) preferred_[grade].assign(first_moves_.back(), 0);
    }

    void add(std::size_t move, int games, std::int64_t goals) override {
        totals_[move].games += games;
        totals_[move].goals += static_cast<double>(goals);
    }

    void played(int games) override {
        new_games_ += games;
        if (new_games_ < between_grades) return;
        counted_games_ += new_games_;
        new_games_ = 0;
        for (std::size_t role = 0; role + 1 < first_moves_.size(); ++role) grade_moves(role);
        if (counted_games_ < between_halves) return;
        counted_games_ = 0;
        for (Total& total : totals_) {
            total.games /= 2;
            total.goals /= 2;
        }
    }

    std::span<const std::uint8_t> preferred() override { return preferred_[random_.below(grades)]; }

private:
    struct Total {
        double games = 0, goals = 0;
    };

    void grade_moves(std::size_t role) {
        Total all;
        known_.clear();
        for (std::size_t move = first_moves_[role]; move < first_moves_[role + 1]; ++move) {
            for (int grade = 1; grade < grades; ++grade) preferred_[grade][move] = 0;
            if (totals_[move].games == 0) continue;
            known_.push_back(move);
            all.games += totals_[move].games;
            all.goals += totals_[move].goals;
        }
        if (known_.empty()) return;
        const double typical = all.goals / all.games;
        std::ranges::sort(known_, {}, [&](std::size_t move) {
            return (totals_[move].goals + doubt * typical) / (totals_[move].games + doubt);
        });
        const double count = static_cast<double>(known_.size());
        for (std::size_t place = 0; place < known_.size(); ++place)
            for (int grade = 1; grade < grades; ++grade)
                preferred_[grade][known_[place]] = static_cast<double>(place) + 0.5 >= quantiles[grade - 1] * count;
    }

    std::vector<std::size_t> first_moves_;  // [roles + 1]
    std::vector<Total> totals_;
    std::array<std::vector<std::uint8_t>, grades> preferred_;  // [grades][moves]: whether of at least this grade
    std::vector<std::size_t> known_;                           // moves of one role, the worst first
    int new_games_ = 0, counted_games_ = 0;
    Random random_;
};

}  // namespace

std::unique_ptr<PlayoutPolicy> make_move_averages(std::span<const int> moves, std::uint64_t seed) {
    return std::make_unique<MoveAverages>(moves, seed);
}

}  // namespace ludens::network
