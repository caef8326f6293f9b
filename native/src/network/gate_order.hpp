// Puts gates into an order in which few values are needed at a time.
#pragma once

#include <vector>

#include "network/straight_code.hpp"

namespace ludens::network {

// In which order the gates that are kept follow each other: as they are given; or each time the one that reads the largest
// share of what was used lately, so that more is still in registers.
enum class RootOrder { as_given, by_recent_use };

// Depth first from the gates that are kept; what none of them needs is left out.
std::vector<Gate> depth_first(const std::vector<Gate>& gates, const std::vector<std::uint8_t>& kept, RootOrder roots);

}  // namespace ludens::network
