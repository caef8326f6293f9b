// The control of a game: propositions whose next value depends on each other alone, not on moves or the board.
//
// Whose turn it is usually is one of them. From the initial state they pass through a fixed cycle of values, the
// phases, so a state's phase says what the phase of its successors is. Games that are in the same phase can be
// evaluated by a network in which control is constant: legality of the roles that wait, and what their moves would
// bring about, folds away. Single networks gain from it too: R. Emslie's galvanise (2018) splits networks so.
#pragma once

#include <span>
#include <vector>

#include "base/machine.hpp"
#include "network/program.hpp"

namespace ludens::network {

class Control {
public:
    // The control that repeats itself within a few steps of `initial`.
    Control(const NetworkArrays& network, std::span<const Word> initial);

    int phases() const { return static_cast<int>(values_.size()); }  // 1 where there is no control

    // Propositions that change with time alone but do not come round, such as the steps that a game counts.
    std::span<const int> clocks() const { return clocks_; }

    // The phase of a state, or phases() where its control never has these values.
    int phase(const Word* state) const;

    // The network for states of one phase; numbers of propositions and moves stay the same.
    NetworkArrays network_in(const NetworkArrays& network, int phase) const;

private:
    std::vector<Word> mask_;                 // bit set of the propositions
    std::vector<std::vector<Word>> values_;  // [phases] their values
    std::vector<int> clocks_;
};

}  // namespace ludens::network
