// What a network says of the states of a game of English draughts: an evaluation for searches.
#pragma once

#include <memory>

#include "base/evaluation.hpp"
#include "checkers/game.hpp"
#include "checkers/network.hpp"

namespace ludens::checkers {

// A state as the side to move sees it: for the side that moves down the board is turned.
SeenPosition seen_position(const Word* state);
// Whether the side that moves down is to move.
inline bool is_turned(const Word* state) { return state[1] >> 32 & 1; }

// Returns the rules; throws Error where the game is not English draughts on bitboards, a jump a ply.
const Rules& check_english(const Game& game);

class NetworkEvaluation final : public Evaluation {
public:
    // Throws Error as check_english() does.
    NetworkEvaluation(std::shared_ptr<const Network> network, const Game& game);

    int roles() const override { return 2; }
    void check_fits(const Game& game) const override;
    // Like states are of no use to it.
    using Evaluation::values;
    void values(std::int64_t count, const Word* states, const std::size_t* likes, const Word* others,
                float* goals) const override;

private:
    const std::shared_ptr<const Network> network_;
    int first_role_;
};

}  // namespace ludens::checkers
