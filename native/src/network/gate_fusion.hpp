// Makes gates of three inputs from pairs of gates, for processors that have such gates.
#pragma once

#include <vector>

#include "network/straight_code.hpp"

namespace ludens::network {

// Fuses each gate of two inputs that is read once, and not kept, with its reader.
std::vector<Gate> fused(const std::vector<Gate>& gates, const std::vector<std::uint8_t>& kept);

}  // namespace ludens::network
