// A role's choice of moves as gates, for machine code; and the turns of all roles, with the choice that they share.
#pragma once

#include <vector>

#include "network/choice_plan.hpp"
#include "network/straight_code.hpp"
#include "network/turn_plan.hpp"

namespace ludens::network {

struct StraightCode {
    std::vector<TernaryGate> gates;
    std::vector<std::uint8_t> kept;  // of every row
};

// Counting and choosing, in this order; nothing where there is no choice. Rows from `first_row` on are theirs alone.
std::vector<StraightCode> choice_gates(const ChoicePlan& plan, std::uint32_t first_row);

// Of a plan: settling; then, if the choice is merged, counting of candidates, and choosing with the moves of all roles.
// Rows from `first_row` on are theirs alone.
std::vector<StraightCode> turn_gates(const TurnPlan& plan, std::uint32_t first_row);

// Machine code of these gates, for rows of 16, 32 or 64 bytes.
class TurnCode {
public:
    using Function = void (*)(void* rows);

    TurnCode(const TurnPlan& plan, std::uint32_t row_bytes);

    void settle(void* rows) const { functions_[0](rows); }
    void count(void* rows) const { functions_[1](rows); }
    void choose(void* rows) const { functions_[2](rows); }

    // How many rows the code uses, those of the plan first.
    std::uint32_t rows() const { return rows_; }

private:
    std::unique_ptr<ExecutableMemory> memory_;
    std::vector<Function> functions_;
    std::uint32_t rows_;
};

}  // namespace ludens::network
