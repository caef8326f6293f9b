// What networks are compiled to for each instruction set.
#pragma once

#include <cstdint>
#include <string>

#include "board_network/network.hpp"

namespace ludens::board_network {

// board_network/tower.cpp defines this for each instruction set; as Network::evaluate(), in `boards`.
using Evaluate = void(const Network& network, std::int64_t count, const Activation* positions, const Boards& boards,
                      std::int32_t* outputs, std::int32_t* logits);

// That of an instruction set, or of the best for the empty name. Throws Error where this process may not use it.
Evaluate* evaluate_for(const std::string& name);

}  // namespace ludens::board_network
