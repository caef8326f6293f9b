// Plays the games that an evaluation is trained on, in native code from the first move to the last.
//
// Random games: as many lanes as there are, one random position of each game with the goals it ended with.
//
// Self-play: every position is looked at one move ahead with the evaluation; a move is drawn by the softmax of
// what its role expects. Each game begins with a random number of random moves. The target of a position is its
// lambda-return (Sutton, "Learning to predict by the methods of temporal differences", 1988) over values backed up
// by that one move, as in TD-Leaf (Baxter, Tridgell and Weaver, 2000):
//
//     G_t = (1 - lambda) best_t + lambda G_(t+1),    G_end = goals
#pragma once

#include <cstdint>
#include <vector>

#include "base/machine.hpp"
#include "base/random.hpp"
#include "evaluation/evaluation.hpp"
#include "evaluation/expansion.hpp"

namespace ludens {

struct TrainingSamples {
    std::vector<Word> features;  // [n][feature_words]
    std::vector<float> targets;  // [n][roles], 0 ... 100
    std::int64_t count = 0, games = 0;
};

// One position of each of `games` games; of those that last longer than `max_steps`, none.
TrainingSamples random_samples(Machine& machine, std::int64_t games, double seconds, int max_steps, std::uint64_t seed);

struct SelfPlayOptions {
    std::int64_t games;
    double seconds;     // no game is begun after; 0: no limit
    int random_moves;   // at most, at the beginning of a game
    float temperature;  // of the softmax, in goals
    float lambda;       // 0 ... 1, of the lambda-return
    int max_steps;
    std::uint64_t seed;
};

// All positions of the games after their random beginnings, but those where several roles choose: there all
// choose at random.
TrainingSamples self_play_samples(const Game& game, const Evaluation& evaluation, const SelfPlayOptions& options);

}  // namespace ludens
