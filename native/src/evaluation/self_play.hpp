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
//
// Where several roles choose at once the outcomes of their joint moves are a game in normal form, of which mixed
// strategies are found (evaluation/joint_choice_solver.hpp): each role draws its move by its own, or now and then at
// random, and what all expect from theirs is the value backed up.
//
// Many games go on at once, and a game that ends makes room for another: nobody waits for the longest. They go on from
// call to call, whatever the evaluation by then; so what is fitted between calls takes part in games that are under way.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/machine.hpp"
#include "base/random.hpp"
#include "evaluation/evaluation.hpp"
#include "evaluation/expansion.hpp"
#include "evaluation/joint_choice_solver.hpp"

namespace ludens {

struct TrainingSamples {
    std::vector<Word> features;  // [n][feature_words]
    std::vector<float> targets;  // [n][roles], 0 ... 100
    std::int64_t count = 0, games = 0;
};

// One position of each of `games` games; of those that last longer than `max_steps`, none.
TrainingSamples random_samples(Machine& machine, std::int64_t games, double seconds, int max_steps, std::uint64_t seed);

struct SelfPlayOptions {
    int random_moves;   // at most, at the beginning of a game
    float temperature;  // of the softmax, in goals
    float lambda;       // 0 ... 1, of the lambda-return
    int max_steps;
    std::uint64_t seed;
};

// Games of players who look one move ahead. Belongs to one thread.
class SelfPlay {
public:
    // The game must outlive it.
    SelfPlay(const Game& game, const SelfPlayOptions& options);

    // Plays on until at least so many states have been made, children included, or until `seconds` are over (0: no
    // limit). Of the games that ended, all positions after their random beginnings.
    TrainingSamples play(const Evaluation& evaluation, std::int64_t states, double seconds);

    // Positions looked at ahead so far, in games that have not ended too.
    std::int64_t positions() const { return looked_at_; }

private:
    struct PlayedGame {
        std::vector<Word> state;  // before the next move
        std::vector<int> moves;   // the next one; empty at the start
        int opening = 0, steps = 0;
        bool over = false;
        std::vector<Word> features;  // of the states after the opening
        std::vector<float> values;   // backed up, of the same
    };

    std::size_t games_wanted() const;
    void begin();
    void round();
    void choose(PlayedGame& game, std::size_t i);
    void choose_jointly(PlayedGame& game, std::size_t i);
    std::size_t draw(std::span<const double> shares);
    void keep_features(PlayedGame& game, std::size_t i);
    void choose_at_random(PlayedGame& game, const Word* legal);
    void finish(PlayedGame& game, const float* goals);

    const Game& game_;
    const SelfPlayOptions options_;
    PositionExpander expander_;
    Random random_;
    const std::size_t words_, feature_words_, roles_, move_words_;
    std::int64_t rounds_ = 0, looked_at_ = 0, children_ = 0;  // positions looked at ahead, and theirs
    std::vector<PlayedGame> playing_;
    std::vector<Transition> transitions_;
    std::vector<std::uint8_t> searched_;
    ExpandedPositions expanded_;
    JointChoiceSolver solver_;
    std::vector<double> weights_;
    std::vector<int> list_;
    TrainingSamples samples_;
};

}  // namespace ludens
