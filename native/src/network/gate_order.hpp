// Puts gates into an order in which few values are needed at a time.
#pragma once

#include <vector>

#include "network/straight_code.hpp"

namespace ludens::network {

// Depth first from the gates that are kept; what none of them needs is left out.
std::vector<Gate> depth_first(const std::vector<Gate>& gates, const std::vector<std::uint8_t>& kept);

}  // namespace ludens::network
