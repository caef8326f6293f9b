#include "board_network/evaluation.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "board_network/goals.hpp"

namespace ludens::board_network {

namespace {

constexpr int together = 2 * wide;  // states, for whose outputs there is room in an array

}  // namespace

BoardEvaluation::BoardEvaluation(std::shared_ptr<const Network> network, const PlaneColumns& planes, const Game& game)
    : network_(std::move(network)), planes_(network_->sizes(), network_->padded_planes(), planes, game.feature_bits()),
      feature_words_(game.feature_words()) {
    check_fits(game);
}

void BoardEvaluation::check_fits(const Game& game) const {
    if (game.roles() != roles()) throw Error("the network has not an output for each role");
    if (game.feature_words() != feature_words_ || planes_.bits() > game.feature_bits())
        throw Error("the evaluation is of another game");
}

void BoardEvaluation::values(std::int64_t count, const Word* states, const std::size_t* /*likes*/,
                             const Word* /*others*/, float* goals) const {
    thread_local std::vector<Activation> positions;  // kept, as calls are many and short
    const auto size = static_cast<std::size_t>(network_->position_size());
    positions.resize(std::max(positions.size(), size * together));
    std::int32_t outputs[together * Sizes::most_outputs]{};
    for (; count > 0; count -= together) {
        const std::int64_t now = std::min<std::int64_t>(count, together);
        for (std::int64_t i = 0; i < now; ++i, states += feature_words_)
            planes_.write(states, positions.data() + static_cast<std::size_t>(i) * size);
        network_->evaluate(now, positions.data(), outputs, nullptr);
        for (std::int64_t rest = now * roles(), i = 0; rest > 0; rest -= wide, i += wide) {
            const Floats worth = goals_of(outputs + i);
            for (std::int64_t j = 0; j < std::min<std::int64_t>(wide, rest); ++j) *goals++ = worth[j];
        }
    }
}

}  // namespace ludens::board_network
