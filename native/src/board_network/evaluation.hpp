// What a network says of the states of a game: an evaluation for searches.
#pragma once

#include <memory>

#include "base/evaluation.hpp"
#include "board_network/network.hpp"
#include "board_network/plane_writer.hpp"

namespace ludens::board_network {

// Output r of the network, as goals_of() has it, is what a state is worth to role r.
class BoardEvaluation final : public Evaluation {
public:
    // Throws Error on planes that do not fit the network, and where check_fits() does.
    BoardEvaluation(std::shared_ptr<const Network> network, const PlaneColumns& planes, const Game& game);

    int roles() const override { return network_->sizes().outputs; }
    void check_fits(const Game& game) const override;
    // Like states are of no use to it.
    using Evaluation::values;
    void values(std::int64_t count, const Word* states, const std::size_t* likes, const Word* others,
                float* goals) const override;

private:
    const std::shared_ptr<const Network> network_;
    const PlaneWriter planes_;
    const int feature_words_;
};

}  // namespace ludens::board_network
