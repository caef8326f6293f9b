// Games that are stepped side by side, as many as one likes, each for ever: what holds in them is written into arrays of
// the caller after every step.
#pragma once

#include <memory>
#include <vector>

#include "base/machine.hpp"
#include "base/stepper.hpp"

namespace ludens {

// When a game that is over begins anew: in the step that ends it, in the next one, or when it is reset.
enum class Autoreset { same_step, next_step, never };

// Arrays of the caller, which a batch writes in every step; see native/ludens.h for the shapes. Any may be null.
struct BatchArrays {
    std::uint8_t* observations = nullptr;
    std::uint8_t* final_observations = nullptr;
    Word* states = nullptr;
    std::int8_t* legal = nullptr;
    std::int32_t* to_move = nullptr;
    float* rewards = nullptr;
    std::uint8_t* done = nullptr;
    std::int32_t* played = nullptr;
};

class Batch {
public:
    // Throws Error for games whose machines have no stepper.
    Batch(const Game& game, std::int64_t count, const MachineOptions& options, StepLayout layout, Autoreset autoreset);

    const Game& game() const { return game_; }
    std::int64_t count() const { return count_; }
    void write_to(const BatchArrays& arrays) { arrays_ = arrays; }

    // Begins the games of these rows anew (null: all), and writes all rows.
    void reset(const std::uint8_t* rows);
    // Goes on from these states, [count][state_words].
    void load(const Word* states);
    // Steps all games, with `actions` (null: at random). Rows whose actions are not legal are given back, and if there
    // are any nothing has happened.
    std::vector<std::int64_t> step(const std::int32_t* actions);

private:
    struct Block {
        std::unique_ptr<Machine> machine;
        Stepper* stepper;
        std::int64_t first;                     // row of its first lane
        std::vector<int> lanes;                 // in use
        std::vector<Word> used, over, waiting;  // sets of lanes: in use; whose game is over; that wait in this step
    };

    void play(Block& block);
    void write(Block& block);
    void write_ends(Block& block, std::span<const Word> ended);
    void note_over(Block& block);

    const Game& game_;
    const std::int64_t count_;
    const std::unique_ptr<const StepLayout> layout_;  // stays where it is: steppers look at it
    const Autoreset autoreset_;
    BatchArrays arrays_;
    std::vector<Block> blocks_;
    std::vector<int> ended_, goals_;
    std::vector<std::uint8_t> observations_;
};

}  // namespace ludens
