// Games partly guided by a network: each move is, by a coin, one of those that the network would make, or any.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/machine.hpp"
#include "checkers/network.hpp"

namespace ludens::checkers {

struct GuidedGames {
    double share;  // 0 ... 1, of the moves that the network chooses, as likely as the softmax of its logits has it
    int games;     // 1 ..., from each state
    int max_steps;
    std::uint64_t seed;
};

// Plays games from each of `states` [goals.size() / roles][state_words], and writes the mean goals at their ends
// [positions][roles], undefined ones counted as 50. The game must be English draughts on bitboards; what is played does
// not depend on the instruction set. Throws Error on options out of range.
void play_guided(const Game& game, const Network& network, const GuidedGames& wanted, const Word* states,
                 std::span<double> goals);

}  // namespace ludens::checkers
