// Plays the games that an evaluation is trained on, in native code from the first move to the last.
//
// Random games: as many lanes as there are, one random position of each game with the goals it ended with. They go on
// from call to call.
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
// Where games are over as they begin, nothing is played and each of them counts as a state.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/machine.hpp"
#include "base/random.hpp"
#include "evaluation/expansion.hpp"
#include "evaluation/joint_choice_solver.hpp"
#include "evaluation/training_play.hpp"

namespace ludens {

// Random games. Every lane keeps one position of its game: the t-th replaces the one kept with probability 1/t, so that
// in the end all are equally likely (Vitter, "Random sampling with a reservoir", 1985). Belongs to one thread.
class RandomGames {
public:
    // Of games that last longer than `max_steps` no position is taken.
    RandomGames(std::unique_ptr<Machine> machine, int max_steps, std::uint64_t seed);

    // Plays on until so many games have ended, or the time is over: one position of each game that has ended.
    TrainingSamples play(std::int64_t games, double seconds);

private:
    void begin(const std::vector<int>& lanes);
    void keep();
    void collect();
    void add_samples();

    const std::unique_ptr<Machine> machine_;
    const int max_steps_;
    Random random_;
    const std::size_t lanes_, words_, roles_;
    std::vector<Word> kept_;
    std::vector<int> steps_, all_;
    std::vector<Word> features_;
    std::vector<int> ended_, goals_;
    std::vector<Machine::Start> starts_;
    TrainingSamples samples_;
};

// Games of players who look one move ahead. Belongs to one thread.
class SelfPlay final : public TrainingPlay {
public:
    // The game must outlive it.
    SelfPlay(const Game& game, const SelfPlayOptions& options);

    TrainingSamples play(const std::shared_ptr<const Evaluation>& evaluation, std::int64_t states,
                         double seconds) override;
    std::int64_t positions() const override { return looked_at_; }
    std::int64_t states() const override { return expander_.state_changes() + begun_over_; }

private:
    std::size_t games_wanted() const;
    void round();
    void choose(PlayedGame& game, std::size_t i);
    void choose_jointly(PlayedGame& game, std::size_t i);
    std::size_t draw(std::span<const double> shares);
    void keep_features(PlayedGame& game, std::size_t i);
    void finish(PlayedGame& game, const float* goals);

    const Game& game_;
    const SelfPlayOptions options_;
    PositionExpander expander_;
    Random random_;
    const std::size_t words_, feature_words_, roles_, move_words_;
    std::int64_t rounds_ = 0, looked_at_ = 0, children_ = 0;  // positions looked at ahead, and theirs
    bool over_at_start_;                                      // every game,
    std::int64_t begun_over_ = 0;                             // ... of which so many have begun
    std::vector<PlayedGame> playing_;
    std::vector<Transition> transitions_;
    std::vector<std::uint8_t> searched_;
    ExpandedPositions expanded_;
    JointChoiceSolver solver_;
    std::vector<float> worth_;
    TrainingSamples samples_;
};

}  // namespace ludens
