// Training of an evaluation of Tak by temporal differences, in games that it plays against itself.
//
// What the network sees, its form and one step of its training are those of games/tak/temporal_differences. Each turn the
// output for the present state is drawn towards that for the state after the chosen move; at the end the outputs for the
// last state, as each player sees it, towards the result: {1, 0} for the winner, {0, 1} for the loser, {0, 0} for both of a
// tie (Tesauro, "Temporal difference learning and TD-Gammon", 1995). In the first half of the games wins by flats count as
// ties, so that roads are learned first.
//
// Several games are played side by side. In each round all of them choose a move with the same weights, on any number of
// threads; then the weights are drawn towards the targets of one game after the other. So the weights follow from the seed
// and the number of rounds alone.
//
// Beyond that description there are two options. With a trace, TD(λ), the targets of a game are worked out once it is
// over, from its end back: that of a state is a mean of the output for the next state and of the target of that one,
// weighted with 1 - λ and λ (the λ-return; Sutton and Barto, "Reinforcement Learning", 2018, section 12.1). With
// symmetries each step of learning is taken for all eight images of a state under turns and reflections of the board.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tak/rules.hpp"

namespace ludens::tak {

constexpr int td_hidden = 40, td_outputs = 2;

constexpr int td_input_count(int size) { return 3 * size * size + 9 + 2 * size; }
// Hidden layer [inputs + 1][td_hidden], the last row biases; then output layer [td_outputs][td_hidden + 1], biases last.
constexpr int td_weight_count(int size) {
    return (td_input_count(size) + 1) * td_hidden + (td_hidden + 1) * td_outputs;
}

struct TdOptions {
    Rules rules;
    std::int64_t games = 0;  // in all
    int side_by_side = 16;   // games
    int random_plies = 8;    // at most, with which a game begins: at least the first two
    int most_plies = 200;    // of a game; longer ones are ties
    float rate = 0.005f;     // of learning in a game,
    float end_rate = 0.01f;  // ... and at its end
    float trace = 0;         // λ, from 0 to 1
    int symmetries = 1;      // images of a state that are learned from: 1, or all 8
    std::uint64_t seed = 0;
};

struct TdStats {
    std::int64_t games = 0, plies = 0;
    std::int64_t roads = 0, flats = 0, ties = 0;  // how games ended, since the training was made or restored
    double squared_error = 0;                     // sum over plies of the mean over both outputs
};

class TdTraining {
public:
    virtual ~TdTraining() = default;

    // Trains for so many seconds of wall clock (0: without limit), on so many threads, or until so many games are over in
    // all (0: those of the options). Whole rounds are played, so that a few more games may be over.
    virtual void run(double seconds, std::int64_t games, int threads) = 0;

    virtual const TdStats& stats() const = 0;
    virtual std::span<const float> weights() const = 0;
    // All that training goes on from, to the last bit.
    virtual std::vector<std::uint64_t> save() const = 0;
    // Throws Error unless it was saved by a training with the same options.
    virtual void restore(std::span<const std::uint64_t> saved) = 0;
};

// Begins with these weights, or with those of save(). Throws Error for options that make no sense.
std::unique_ptr<TdTraining> make_td_training(const TdOptions& options, std::span<const float> weights,
                                             const std::string& instruction_set);

}  // namespace ludens::tak
