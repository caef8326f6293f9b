// Makes gates of three inputs from gates of two, for processors that have such gates.
#pragma once

#include <vector>

#include "network/gate_set.hpp"
#include "network/straight_code.hpp"

namespace ludens::network {

// Fuses gates that are read once, and not kept, with their reader: one of two inputs where the processor has gates of
// any three inputs; else one or two, if that makes a gate that it has. Without gates of three inputs all stay as they
// are.
std::vector<Gate> fused(const std::vector<Gate>& gates, const std::vector<std::uint8_t>& kept, const GateSet& set);

}  // namespace ludens::network
