// What all kinds of self-play that an evaluation is trained on have in common: the samples, how moves are drawn, and
// lambda-returns.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/evaluation.hpp"
#include "base/machine.hpp"
#include "base/random.hpp"
#include "base/role_moves.hpp"

namespace ludens {

struct TrainingSamples {
    std::vector<Word> features;  // [n][feature_words]
    std::vector<float> targets;  // [n][roles], 0 ... 100
    std::int64_t count = 0, games = 0;
};

struct SelfPlayOptions {
    int random_moves;   // at most, at the beginning of a game
    float temperature;  // of the softmax, in goals
    float lambda;       // 0 ... 1, of the lambda-return
    int max_steps;
    std::uint64_t seed;
};

// Games that go on from call to call, whatever the evaluation by then. Belongs to one thread.
class TrainingPlay {
public:
    virtual ~TrainingPlay() = default;

    // Plays on until at least so many states have been made, children included, or until `seconds` are over (0: no
    // limit). A game that is over as it begins counts as a state.
    virtual TrainingSamples play(const std::shared_ptr<const Evaluation>& evaluation, std::int64_t states,
                                 double seconds) = 0;

    // Positions looked at ahead so far, in games that have not ended too.
    virtual std::int64_t positions() const = 0;

    // States made so far, those that `play` counts.
    virtual std::int64_t states() const = 0;
};

struct PlayedGame {
    std::vector<Word> state;  // before the next move
    std::vector<int> moves;   // the next one; empty at the start
    int opening = 0, steps = 0;
    bool over = false;
    std::vector<Word> features;  // of the states after the opening
    std::vector<float> values;   // backed up, of the same
};

// Returns a game that begins with up to so many random moves.
PlayedGame begun_game(const Game& game, int random_moves, Random& random);

// Draws a legal move for each role.
void draw_moves(const RoleMoves& role_moves, const Word* legal, Random& random, std::vector<int>& moves);

// Draws a place by the softmax of some values.
std::size_t draw_softmax(std::span<const float> values, float temperature, Random& random);

// Adds the positions of a game to the samples with their lambda-returns. `goals` [roles]: with which it ended; null:
// it was cut, and what was expected last counts as its end.
void add_returns(PlayedGame& game, std::size_t roles, const float* goals, float lambda, TrainingSamples& samples);

}  // namespace ludens
