// Networks over the board of any game in the C API: what they say of positions, and evaluations by them.
#include "board_network/network.hpp"

#include <algorithm>

#include "api/board_weights.hpp"
#include "api/handles.hpp"
#include "board_network/evaluation.hpp"

using namespace ludens;
using namespace ludens::api;
using board_network::Activation;
using board_network::PlaneColumns;

struct ludens_board_network {
    std::shared_ptr<const board_network::Network> network;
};

namespace {

constexpr Activation full = 127;
constexpr std::int64_t at_once = 256;  // positions that are laid out for the network

board_network::Weights with_seen(const ludens_board_weights& w) {
    auto weights = weights_of(w, {});
    weights.seen = copy(w.seen, std::int64_t{w.taps} * w.squares);
    return weights;
}

// Turns planes [planes][squares] to a position [squares][padded_planes], whose unused planes stay as they are.
void write_position(const board_network::Network& network, const Activation* planes, Activation* position) {
    for (int plane = 0; plane < network.sizes().planes; ++plane)
        for (int square = 0; square < network.sizes().squares; ++square, ++planes) {
            if (*planes > full) throw Error("network: an activation is more than 127");
            position[square * network.padded_planes() + plane] = *planes;
        }
}

}  // namespace

int ludens_board_network_new(const ludens_board_weights* weights, const char* instruction_set,
                             ludens_board_network** out) {
    return guarded([&] {
        *out = new ludens_board_network{std::make_shared<const board_network::Network>(
            with_seen(*weights), instruction_set ? instruction_set : "")};
    });
}

void ludens_board_network_free(ludens_board_network* network) { delete network; }

int ludens_board_network_evaluate(const ludens_board_network* n, int64_t count, const uint8_t* planes,
                                  int32_t* outputs) {
    return guarded([&] {
        check_count(count, "count");
        const auto& network = *n->network;
        const std::int64_t given = std::int64_t{network.sizes().planes} * network.sizes().squares;
        const std::int64_t size = network.position_size();
        std::vector<Activation> positions(static_cast<std::size_t>(std::min(count, at_once) * size));
        for (std::int64_t first = 0; first < count; first += at_once) {
            const std::int64_t now = std::min(count - first, at_once);
            for (std::int64_t i = 0; i < now; ++i)
                write_position(network, planes + (first + i) * given, &positions[i * size]);
            network.evaluate(now, positions.data(), outputs + first * network.sizes().outputs, nullptr);
        }
    });
}

int ludens_evaluation_from_board_network(const ludens_board_network* n, const ludens_game* game, const int32_t* columns,
                                         int32_t fill_count, const int32_t* fills, ludens_evaluation** out) {
    return guarded([&] {
        check_count(fill_count, "fill_count");
        const auto& sizes = n->network->sizes();
        PlaneColumns planes{copy(columns, std::int64_t{sizes.planes} * sizes.squares), {}};
        for (int i = 0; i < fill_count; ++i, fills += 3) planes.fills.push_back({fills[0], fills[1], fills[2]});
        *out = new ludens_evaluation{
            std::make_shared<const board_network::BoardEvaluation>(n->network, planes, *game->game)};
    });
}
