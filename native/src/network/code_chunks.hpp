// Cuts straight-line code where it is long: what the first cache of code holds can be run for several registers of lanes
// one after the other before the rest is fetched.
#pragma once

#include <cstddef>
#include <vector>

#include "network/straight_code.hpp"

namespace ludens::network {

// Cuts code into chunks of about equal length, to be run in order, of no more than so many gates each, and returns behind
// which gate each of them ends. What a later chunk reads of an earlier one is kept from then on.
std::vector<std::size_t> cut_into_chunks(StraightCode& code, std::size_t most_gates);

}  // namespace ludens::network
