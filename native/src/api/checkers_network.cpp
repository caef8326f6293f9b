// Networks of checkers in the C API: what they say of positions, evaluations by them, and games that they guide.
#include <cstddef>
#include <span>

#include "api/board_weights.hpp"
#include "api/handles.hpp"
#include "checkers/guided_games.hpp"
#include "checkers/network.hpp"
#include "checkers/network_evaluation.hpp"

using namespace ludens;
using namespace ludens::api;

struct ludens_checkers_network {
    std::shared_ptr<const checkers::Network> network;
};

int ludens_checkers_network_new(const ludens_board_weights* weights, const char* instruction_set,
                                ludens_checkers_network** out) {
    return guarded([&] {
        *out = new ludens_checkers_network{std::make_shared<const checkers::Network>(
            weights_of(*weights, checkers::Network::seen_squares()), instruction_set ? instruction_set : "")};
    });
}

void ludens_checkers_network_free(ludens_checkers_network* network) { delete network; }

int ludens_checkers_network_evaluate(const ludens_checkers_network* n, int64_t count, const uint32_t* positions,
                                     int32_t* values, int32_t* logits) {
    return guarded([&] {
        check_count(count, "count");
        std::vector<checkers::SeenPosition> seen;
        for (std::int64_t i = 0; i < count; ++i, positions += 3)
            seen.push_back({positions[0], positions[1], positions[2]});
        n->network->evaluate(count, seen.data(), values, logits);
    });
}

int ludens_evaluation_from_network(const ludens_checkers_network* n, const ludens_game* game, ludens_evaluation** out) {
    return guarded([&] {
        *out = new ludens_evaluation{std::make_shared<const checkers::NetworkEvaluation>(n->network, *game->game)};
    });
}

int ludens_checkers_network_play(const ludens_checkers_network* n, const ludens_game* game, int64_t count,
                                 const uint64_t* states, int32_t games, double share, int32_t max_steps, uint64_t seed,
                                 double* goals) {
    return guarded([&] {
        check_count(count, "count");
        const std::span sums(goals, static_cast<std::size_t>(count) * 2);
        checkers::play_guided(*game->game, *n->network, {share, games, max_steps, seed}, states, sums);
    });
}
