// A role's choice of moves as gates, for machine code; and the turns of all roles, with the choice that they share.
#pragma once

#include <vector>

#include "network/choice_plan.hpp"
#include "network/gate_set.hpp"
#include "network/row_functions.hpp"
#include "network/turn_plan.hpp"

namespace ludens::network {

// Counting and choosing, in this order; nothing where there is no choice. Rows from `first_row` on are theirs alone. They
// are written with these gates.
std::vector<StraightCode> choice_gates(const ChoicePlan& plan, std::uint32_t first_row, const GateSet& gates);

// Of a plan: settling; then, if the choice is merged, counting of candidates, and choosing with the moves of all roles.
// Rows from `first_row` on are theirs alone.
std::vector<StraightCode> turn_gates(const TurnPlan& plan, std::uint32_t first_row, const GateSet& gates);

// Machine code of these gates.
class TurnCode {
public:
    TurnCode(const TurnPlan& plan, InstructionSet set, RowBytes bytes);

    RowFunction settle() const { return code_.functions()[0]; }
    RowFunction count() const { return code_.functions()[1]; }
    RowFunction choose() const { return code_.functions()[2]; }

    // How many rows the code uses, those of the plan first.
    std::uint32_t rows() const { return code_.rows(); }

private:
    RowFunctions code_;
};

}  // namespace ludens::network
