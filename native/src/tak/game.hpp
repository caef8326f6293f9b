// A game of Tak on a board of 3 × 3 to 8 × 8 squares.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/machine.hpp"
#include "tak/rules.hpp"

namespace ludens::tak {

// Throws Error if there is no such game.
void check(const Rules& rules);

// A state is the sets of squares whose top piece is player 0's, player 1's, a wall, a capstone; a word with the plies so
// far (16 bits), and what is left of each player's flats and capstones (8 bits each, player 0 first); then for each
// square its stack, in one word up to size 6 and in two beyond it: bit i is set if the i-th piece from the top is player
// 1's, and behind the last piece there is one more bit, 1. Moves as in games/tak/rules/parameters.py; the last one is to
// wait.
class TakGame final : public Game {
public:
    // Throws Error if there is no such game.
    explicit TakGame(const Rules& rules);

    int state_bits() const override { return static_cast<int>(initial_.size()) * 64; }
    std::span<const int> moves() const override { return moves_; }
    std::span<const Word> initial() const override { return initial_; }
    bool constant_sum() const override { return true; }
    std::unique_ptr<Machine> machine(const MachineOptions& options) const override;

    const Rules& rules() const { return rules_; }
    int waiting() const { return moves_[0] - 1; }

private:
    Rules rules_;
    std::array<int, 2> moves_;
    std::vector<Word> initial_;
};

// The moves from a state in the order in which a machine ranks them, when it draws a rank. The instruction set is empty for
// the best. Throws Error for words that are no state and on instruction sets that are not there.
std::vector<int> moves_by_rank(const TakGame& game, const Word* state, const std::string& isa);

// Counts the sequences of `depth` moves from a state; those that end the game earlier count if `count_ended` says so.
// The instruction set is empty for the best. Throws Error on negative depths and on instruction sets that are not there.
std::int64_t perft(const TakGame& game, const Word* state, int depth, bool count_ended, const std::string& isa);

// Writes the terms of the evaluation of a state and returns its value for who is to move, from -1 to 1. Throws Error for
// words that are no state.
float estimate(const TakGame& game, const Word* state, std::span<std::int32_t> terms);

}  // namespace ludens::tak
