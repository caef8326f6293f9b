#include "network/move_averages.hpp"

#include <algorithm>

namespace ludens {

namespace {

constexpr int between_grades = 256;     // games
constexpr int between_halves = 10'000;  // games, after which those before count half
constexpr double doubt = 10;            // games of the role's mean that are added to those of a move
constexpr double quantiles[MoveAverages::grades - 1] = {0.5, 0.75, 0.9};  // that the grades from 1 on begin at

}  // namespace

MoveAverages::MoveAverages(std::span<const int> moves, std::uint64_t seed) : firsts_{0}, random_(seed) {
    for (const int count : moves) firsts_.push_back(firsts_.back() + static_cast<std::size_t>(count));
    totals_.resize(firsts_.back());
    grade_of_.resize(firsts_.back());
}

void MoveAverages::played(int games) {
    new_games_ += games;
    if (new_games_ < between_grades) return;
    counted_games_ += new_games_;
    new_games_ = 0;
    for (std::size_t role = 0; role + 1 < firsts_.size(); ++role) grade_moves(role);
    if (counted_games_ < between_halves) return;
    counted_games_ = 0;
    for (Total& total : totals_) total.games /= 2, total.goals /= 2;
}

void MoveAverages::grade_moves(std::size_t role) {
    Total all;
    known_.clear();
    for (std::size_t move = first(role); move < end(role); ++move) {
        grade_of_[move] = 0;
        if (totals_[move].games == 0) continue;
        known_.push_back(move);
        all.games += totals_[move].games, all.goals += totals_[move].goals;
    }
    if (known_.empty()) return;
    const double typical = all.goals / all.games;
    std::ranges::sort(known_, {}, [&](std::size_t move) {
        return (totals_[move].goals + doubt * typical) / (totals_[move].games + doubt);
    });
    const double count = static_cast<double>(known_.size());
    for (std::size_t place = 0; place < known_.size(); ++place)
        for (const double quantile : quantiles)
            if (static_cast<double>(place) + 0.5 >= quantile * count) ++grade_of_[known_[place]];
}

}  // namespace ludens
