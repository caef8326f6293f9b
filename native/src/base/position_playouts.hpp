// Random games from many positions on one machine, whose lanes go on from one position to the next.
#pragma once

#include <cstdint>
#include <span>

#include "base/machine.hpp"

namespace ludens {

// What is wanted: `games[i]` games from the i-th of [games.size()][state_words] states, of at most `max_steps` steps.
struct PositionGames {
    const Word* states;
    std::span<const std::int64_t> games;
    int max_steps;
};

// Adds the goals at the ends of the games to goal_sums [positions][roles], undefined ones counted as 50, and returns
// how many steps all games took. Games of several positions are played side by side, so that lanes seldom idle however
// few games a position has.
std::int64_t play_positions(Machine& machine, const PositionGames& wanted, std::span<double> goal_sums);

}  // namespace ludens
