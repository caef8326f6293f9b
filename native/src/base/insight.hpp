// What a game core sees in single positions beyond the rules, for searches that make nodes of them: who wins there by
// force, and which moves promise most.
#pragma once

#include <memory>
#include <span>

#include "base/machine.hpp"

namespace ludens {

// Belongs to one thread. What it says of a state holds; but how much it sees may depend on what it was asked before, of
// which it keeps what it found out.
class Insight {
public:
    static constexpr int nothing = -1;

    virtual ~Insight() = default;

    // Writes the goals [roles] that perfect play leads to from a state whose game is not over, if it sees them, and
    // returns after how many steps at most the game ends; or `nothing`.
    virtual int find(const Word* state, int* goals) = 0;

    // Writes for each move of the role that moves in such a state how likely a strong player makes it, as a logarithm to
    // any constant; of moves that are not legal any number.
    virtual void rank(const Word* state, std::span<float> moves) = 0;
};

// What games are whose core sees something.
class InsightfulGame {
public:
    virtual ~InsightfulGame() = default;
    virtual std::unique_ptr<Insight> insight() const = 0;  // null: nothing is seen after all
};

// Returns what the core of a game sees; null: nothing. The game must outlive it.
inline std::unique_ptr<Insight> insight_of(const Game& game) {
    const auto* insightful = dynamic_cast<const InsightfulGame*>(&game);
    return insightful ? insightful->insight() : nullptr;
}

}  // namespace ludens
