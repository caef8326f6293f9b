// All straight-line code of a program, fitted to the gates that a processor has.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "network/gate_set.hpp"
#include "network/program.hpp"
#include "network/straight_code.hpp"

namespace ludens::network {

// What a function is for: gates of the network, the choice of moves, the end of games and the new state, or gates of
// goals and features, which are evaluated on demand alone.
enum class CodeKind { network, choice, state, on_demand };

// Takes the gates of a function, and of every row whether it is read elsewhere.
using TakeCode =
    std::function<void(CodeKind kind, const std::vector<Gate>& gates, const std::vector<std::uint8_t>& kept)>;

// Passes on function after function: the pieces of each segment, the steps of each role's choice, where games are over,
// and the updates. Returns how many steps each role's choice has.
std::vector<std::size_t> each_function(const Program& program, const GateSet& set, const TakeCode& take);

}  // namespace ludens::network
