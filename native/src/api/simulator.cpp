// Simulators in the C API.
#include <algorithm>
#include <string>

#include "api/handles.hpp"
#include "base/simulator.hpp"
#include "network/game.hpp"

using namespace ludens;
using namespace ludens::api;

struct ludens_simulator {
    std::shared_ptr<const Game> game;
    Simulator simulator;
};

namespace {

// Throws Error unless all joint moves [count][roles] are in range.
void check_moves(const Game& game, std::int64_t count, const std::int32_t* moves) {
    const auto limits = game.moves();
    for (std::int64_t i = 0; i < count; ++i)
        for (int limit : limits)
            if (const int move = *moves++; move < -1 || move >= limit) throw Error("a move index is out of range");
}

}  // namespace

int ludens_instruction_sets(const char** names) {
    return guarded([&] {
        static const std::string list = [] {
            std::string joined;
            for (const char* name : network::instruction_sets())
                joined += (joined.empty() ? "" : " ") + std::string(name);
            return joined;
        }();
        *names = list.c_str();
    });
}

int ludens_simulator_new(const ludens_game* game, int32_t lanes, const char* instruction_set, uint64_t seed,
                         ludens_simulator** out) {
    return guarded([&] {
        MachineOptions options{lanes, instruction_set ? instruction_set : "", seed};
        *out = new ludens_simulator{game->game, Simulator(game->game->machine(options))};
    });
}

void ludens_simulator_free(ludens_simulator* simulator) { delete simulator; }

int32_t ludens_simulator_lanes(const ludens_simulator* s) { return s->simulator.machine().lanes(); }

const char* ludens_simulator_instruction_set(const ludens_simulator* s) {
    return s->simulator.machine().instruction_set();
}

int ludens_simulator_inspect(ludens_simulator* s, int64_t count, const uint64_t* states, uint64_t* legal,
                             uint8_t* terminal, int32_t* goals) {
    return guarded([&] {
        check_count(count, "count");
        s->simulator.inspect(count, states, legal, terminal, goals);
    });
}

int ludens_simulator_next(ludens_simulator* s, int64_t count, const uint64_t* states, const int32_t* moves,
                          int32_t only_legal, uint64_t* successors) {
    return guarded([&] {
        check_count(count, "count");
        check_moves(s->simulator.machine().game(), count, moves);
        s->simulator.next(count, states, moves, successors, only_legal != 0);
    });
}

int ludens_simulator_playouts(ludens_simulator* s, const uint64_t* state, int64_t count, double seconds,
                              int32_t max_steps, double* goal_sums, double* goal_squares, ludens_playout_stats* stats) {
    return guarded([&] {
        check_count(count, "count");
        check_limits(seconds, max_steps);
        const auto r = s->simulator.playouts(state, count, seconds, max_steps, goal_sums, goal_squares);
        *stats = {r.playouts, r.state_changes, r.stuck, r.seconds, r.evaluation_seconds, r.choice_seconds};
    });
}

int ludens_simulator_playouts_from(ludens_simulator* s, int64_t count, const uint64_t* states, const int64_t* games,
                                   int32_t max_steps, double* goal_sums, int64_t* state_changes) {
    return guarded([&] {
        check_count(count, "count");
        check_limits(0, max_steps);
        const std::span wanted(games, static_cast<std::size_t>(count));
        for (const std::int64_t number : wanted) check_count(number, "games");
        const auto goals = wanted.size() * static_cast<std::size_t>(s->simulator.machine().game().roles());
        *state_changes = s->simulator.playouts_from({states, wanted, max_steps}, {goal_sums, goals});
    });
}

int ludens_simulator_record(ludens_simulator* s, const uint64_t* state, int32_t max_steps, int32_t* moves,
                            int32_t* lengths) {
    return guarded([&] {
        check_limits(0, max_steps);
        s->simulator.record(state, max_steps, moves, lengths);
    });
}

int ludens_simulator_noted(ludens_simulator* s, uint64_t* sets) {
    return guarded([&] { s->simulator.noted(sets); });
}
