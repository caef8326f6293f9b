// A pass over a loop as straight-line code that feeds back by itself.
//
// A loop means its least fixpoint. Inputs that feed back only ever rise, so each may take its new value as soon as that
// is known, in the middle of a pass, and what is evaluated later in the pass sees it: no value can rise too far, and it
// takes fewer passes than if all waited for the end (chaotic iteration: Cousot, "Asynchronous iterative methods for
// solving a fixed point system of monotone equations in a lattice", 1977).
#pragma once

#include <vector>

#include "network/gate_set.hpp"
#include "network/program.hpp"
#include "network/straight_code.hpp"

namespace ludens::network {

// Returns whether each row is read outside the loop's gates, what drives its feedback included.
std::vector<std::uint8_t> kept_in_loop(const Piece& loop, std::vector<std::uint8_t> kept);

// Adds to the gates of a loop, which are in order, what writes feedback into its rows, and into `program.changed` the
// lanes in which some of it has changed. `kept`: without what drives feedback alone.
StraightCode loop_gates(const Program& program, const Piece& loop, const std::vector<Gate>& gates,
                        std::vector<std::uint8_t> kept, const GateSet& set);

}  // namespace ludens::network
