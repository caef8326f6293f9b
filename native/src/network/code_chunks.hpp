// Cuts straight-line code where it is long: what the first cache of code holds can be run for several registers of lanes
// one after the other before the rest is fetched.
#pragma once

#include <cstddef>
#include <vector>

#include "network/straight_code.hpp"

namespace ludens::network {

// Chunks of about equal length, to be run in order, of no more than so many gates each. What a later one reads is kept.
std::vector<StraightCode> chunks(const StraightCode& code, std::size_t most_gates);

}  // namespace ludens::network
