// A game of the checkers family, played on bitboards.
#pragma once

#include <memory>
#include <vector>

#include "base/machine.hpp"
#include "checkers/actions.hpp"
#include "checkers/rules.hpp"

namespace ludens::checkers {

// A state is two words: black and red in the halves of the first; in the second the kings, then from bit 32 on the
// turn (1), the square in the chain plus one (6), plies (12) and idle plies (12). Moves as in MoveTable of
// games/checkers/rules/parameters.py.
class CheckersGame final : public Game {
public:
    explicit CheckersGame(const Rules& rules);

    int state_bits() const override { return 128; }
    std::span<const int> moves() const override { return moves_; }
    std::span<const Word> initial() const override { return initial_; }
    bool constant_sum() const override { return rules_.constant_sum(); }
    std::unique_ptr<Machine> machine(const MachineOptions& options) const override;

    const Rules& rules() const { return rules_; }
    const Actions& actions() const { return actions_; }

    State decode(const Word* words) const;
    void encode(const State& state, Word* words) const;

    int number(const Action& action) const;
    Action action(int number) const;  // whose `from` is empty if it is none
    int waiting() const { return moves_[0] - 1; }

private:
    static int first_of(int jumps, int squares);

    Rules rules_;
    Relabelling inwards_, outwards_;
    Actions actions_;
    std::array<int, square_limit> row_number_{};  // of a diagonal one
    std::array<int, 2> moves_;
    std::array<Word, 2> initial_{};
};

}  // namespace ludens::checkers
