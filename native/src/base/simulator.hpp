// A simulator: one machine for a user's questions about states, their successors, and random playouts.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/machine.hpp"
#include "base/position_playouts.hpp"

namespace ludens {

struct PlayoutStats {
    std::int64_t playouts = 0, state_changes = 0, stuck = 0;
    double seconds = 0, evaluation_seconds = 0, choice_seconds = 0;
};

class Simulator {
public:
    explicit Simulator(std::unique_ptr<Machine> machine) : machine_(std::move(machine)) {}

    const Machine& machine() const { return *machine_; }

    // Outputs may be null. See native/ludens.h for the shapes.
    void inspect(std::int64_t count, const Word* states, Word* legal, std::uint8_t* terminal, int* goals);
    // With `only_legal` throws Error, before anything is written past it, at a joint move that is not legal where the
    // game is not over: a move that is not, or none.
    void next(std::int64_t count, const Word* states, const int* moves, Word* successors, bool only_legal = false);
    PlayoutStats playouts(const Word* state, std::int64_t count, double seconds, int max_steps, double* goal_sums,
                          double* goal_squares);
    // See play_positions(); the sums begin at 0.
    std::int64_t playouts_from(const PositionGames& wanted, std::span<double> goal_sums);
    void record(const Word* state, int max_steps, int* moves, int* lengths);
    // The moves made in what was recorded last: [lanes][move_words].
    void noted(Word* sets) const;

private:
    // Assigns up to one lane to each position, in starts_, and returns which lanes these are: 0 ... n-1.
    std::span<const int> assign(std::int64_t count, const Word* states, const int* moves);

    // Throws Error unless the moves that lanes_ have been loaded with are legal; `first` is the number of the first one.
    void check_legal(std::int64_t first, const int* moves);

    std::unique_ptr<Machine> machine_;
    std::vector<Word> legal_;
    std::vector<int> lanes_;
    std::vector<Machine::Start> starts_;
    std::vector<Word> noted_;  // in what was recorded last
    bool recorded_ = false;
};

}  // namespace ludens
