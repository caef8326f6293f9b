// A role's choice of moves as gates, for machine code.
#pragma once

#include <vector>

#include "network/choice_plan.hpp"
#include "network/straight_code.hpp"

namespace ludens::network {

struct StraightCode {
    std::vector<TernaryGate> gates;
    std::vector<std::uint8_t> kept;  // of every row
};

// Counting and choosing, in this order; nothing where there is no choice. Rows from `first_row` on are theirs alone.
std::vector<StraightCode> choice_gates(const ChoicePlan& plan, std::uint32_t first_row);

}  // namespace ludens::network
