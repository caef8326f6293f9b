// What is done to states besides gates of the network: where games are over, and the new values of propositions.
#pragma once

#include <vector>

#include "network/gate_set.hpp"
#include "network/program.hpp"
#include "network/straight_code.hpp"

namespace ludens::network {

// Where the game is over, by rule or because a role has no legal move, into the row that the program has for it. Rows
// from `first_row` on are for values in between; they are written with these gates.
StraightCode over_gates(const Program& program, std::uint32_t first_row, const GateSet& gates);

// Of each update: the new values in the rows of the state, but for lanes whose game is finished.
std::vector<StraightCode> update_gates(const Program& program, std::uint32_t first_row, const GateSet& gates);

}  // namespace ludens::network
