#include "checkers/network_evaluation.hpp"

#include <algorithm>
#include <utility>

#include "board_network/goals.hpp"

namespace ludens::checkers {

namespace {

constexpr std::int64_t together = 16 * wide;  // states, for which there is room in arrays

}  // namespace

const Rules& check_english(const Game& game) {
    const auto* boards = dynamic_cast<const CheckersGame*>(&game);
    if (!boards || !boards->rules().english())
        throw Error("a network of checkers judges English draughts on bitboards only");
    const auto [stuck, other] = boards->rules().stuck_goals;
    if (stuck < 0 || stuck >= other) throw Error("a network of checkers judges games in which who cannot move loses");
    return boards->rules();
}

SeenPosition seen_position(const Word* state) {
    const auto up = static_cast<Squares>(state[0]), down = static_cast<Squares>(state[0] >> 32);
    const auto kings = static_cast<Squares>(state[1]);
    if (is_turned(state)) return {turned(down), turned(up), turned(kings)};
    return {up, down, kings};
}

NetworkEvaluation::NetworkEvaluation(std::shared_ptr<const Network> network, const Game& game)
    : network_(std::move(network)), first_role_(check_english(game).first_role) {}

void NetworkEvaluation::check_fits(const Game& game) const {
    if (check_english(game).first_role != first_role_) throw Error("the evaluation is of another game");
}

void NetworkEvaluation::values(std::int64_t count, const Word* states, const std::size_t* /*likes*/,
                               const Word* /*others*/, float* goals) const {
    SeenPosition seen[together];
    std::int32_t values[together];
    for (; count > 0; count -= together) {
        const std::int64_t now = std::min(count, together);
        for (std::int64_t i = 0; i < now; ++i) seen[i] = seen_position(states + 2 * i);
        network_->evaluate(now, seen, values, nullptr);
        std::fill(values + now, values + together, 0);
        for (std::int64_t i = 0; i < now; i += wide) {
            const Floats own = board_network::goals_of(values + i);
            for (std::int64_t j = 0; j < std::min<std::int64_t>(wide, now - i); ++j, states += 2, goals += 2) {
                const int mover = first_role_ ^ static_cast<int>(is_turned(states));
                goals[mover] = own[j];
                goals[1 - mover] = 100 - own[j];
            }
        }
    }
}

}  // namespace ludens::checkers
