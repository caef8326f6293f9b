// Where a batch keeps whose turn it is, and the one choice that it makes for all roles of a game by turns, in rows behind
// those of a program; see network/turn_steps.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bits.hpp"
#include "network/program.hpp"

namespace ludens::network {

struct TurnPlan {
    // Rows of a role's moves that may be legal, in parallel; and of those that are legal where it acts with them, and where
    // it lets another role play.
    struct Role {
        std::vector<std::uint32_t> legal, playable, move;
        std::vector<std::uint32_t> acting, waiting;
    };

    // Uses rows from `row` on. `waiting`: bit set over the moves of all roles. Moves are chosen for all roles at once
    // `by_turns`.
    TurnPlan(const Program& program, std::span<const Word> waiting, bool by_turns, std::uint32_t row);

    // One choice does for all roles, where at most one of them has any.
    bool merged() const { return choice.has_value(); }

    std::vector<Role> roles;
    std::vector<std::uint32_t> legal;  // rows, of all moves
    std::uint32_t terminal;
    // Rows: of the lanes that are in use; then, without gaps, of the moves that are legal where the game goes on, of each
    // role's turn, of where each has a single legal move, of the lanes whose game is over, and of those where a role has
    // a choice although it is not its turn.
    std::uint32_t used, open, own, forced, over, several;
    std::vector<std::uint32_t> candidate, chosen;  // rows: moves of the role to move, and the one that is chosen
    std::optional<ChoicePlan> choice;              // among them
    std::uint32_t end;                             // behind the last row
};

}  // namespace ludens::network
