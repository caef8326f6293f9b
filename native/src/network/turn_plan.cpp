#include "network/turn_plan.hpp"

#include <algorithm>
#include <numeric>

namespace ludens::network {

TurnPlan::TurnPlan(const Program& program, std::span<const Word> waiting, bool by_turns, std::uint32_t row)
    : legal(program.legal), terminal(program.terminal) {
    std::size_t most = 0;
    for (const ChoicePlan& choice : program.choices) {
        Role& role = roles.emplace_back();
        role.move = choice.move;
        for (std::size_t i = 0; i < choice.move.size(); ++i) {
            const std::uint32_t move = choice.move[i] - program.move_row;
            role.legal.push_back(program.legal[move]);
            role.playable.push_back(program.playable[move]);
            (is_set(waiting, static_cast<int>(move)) ? role.waiting : role.acting).push_back(program.legal[move]);
        }
        most = std::max(most, role.move.size());
    }
    const auto take = [&](std::size_t rows) {
        row += static_cast<std::uint32_t>(rows);
        return row - static_cast<std::uint32_t>(rows);
    };
    used = take(1);
    open = take(legal.size());
    own = take(roles.size());
    forced = take(roles.size());
    over = take(1);
    several = take(1);
    if (by_turns && roles.size() > 1 && most > 1) {
        candidate.resize(most);
        chosen.resize(most);
        std::iota(candidate.begin(), candidate.end(), take(most));
        std::iota(chosen.begin(), chosen.end(), take(most));
        choice.emplace(candidate, chosen, most, row);
        row = choice->end;
    }
    end = row;
}

}  // namespace ludens::network
