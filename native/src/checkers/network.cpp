#include "checkers/network.hpp"

#include <algorithm>

#include "base/machine.hpp"

namespace ludens::checkers {

namespace {

using board_network::Activation;

constexpr int planes = 4, taps = 1 + direction_count;
constexpr int position_size = square_limit * planes;
constexpr std::int64_t together = 64;  // positions, for whose planes there is room in an array
constexpr Activation full = 127;

const board_network::Weights& checked(const board_network::Weights& weights) {
    if (weights.sizes != Network::sizes(weights.sizes.width, weights.sizes.blocks))
        throw Error("network: these are not the sizes of a network of checkers");
    return weights;
}

void write_planes(const SeenPosition& position, Activation* at) {
    for (int square = 0; square < square_limit; ++square) {
        for (const Squares set : {position.own, position.others, position.kings})
            *at++ = static_cast<Activation>((set >> square & 1) * full);
        *at++ = full;
    }
}

}  // namespace

board_network::Sizes Network::sizes(int width, int blocks) {
    return {.squares = square_limit,
            .taps = taps,
            .planes = planes,
            .width = width,
            .blocks = blocks,
            .outputs = 1,
            .directions = direction_count};
}

std::vector<std::int32_t> Network::seen_squares() {
    constexpr int ways[taps][2] = {{0, 0}, {1, -1}, {1, 1}, {-1, -1}, {-1, 1}};  // ranks, files
    std::vector<std::int32_t> seen;
    for (const auto& way : ways)
        for (int square = 0; square < square_limit; ++square) {
            const int rank = square / 4 + way[0], file = 2 * (square % 4) + square / 4 % 2 + way[1];
            const bool inside = rank >= 0 && rank < ranks && file >= 0 && file < ranks;
            seen.push_back(inside ? 4 * rank + file / 2 : square_limit);
        }
    return seen;
}

Network::Network(const board_network::Weights& weights, const std::string& instruction_set)
    : network_(checked(weights), instruction_set) {}

void Network::evaluate(std::int64_t count, const SeenPosition* positions, std::int32_t* values,
                       std::int32_t* logits) const {
    Activation seen[together * position_size];
    for (std::int64_t first = 0; first < count; first += together) {
        const std::int64_t now = std::min(count - first, together);
        for (std::int64_t i = 0; i < now; ++i) write_planes(positions[first + i], seen + i * position_size);
        network_.evaluate(now, seen, values + first, logits ? logits + first * moves : nullptr);
    }
}

}  // namespace ludens::checkers
