// Games in the C API: from networks and from rules.
#include <algorithm>
#include <array>
#include <string>

#include "api/handles.hpp"
#include "network/game.hpp"
#include "rules/game.hpp"

using namespace ludens;
using namespace ludens::api;

namespace {

template <std::size_t N> std::vector<std::array<int, N>> copy_rows(const std::int32_t* from, std::int32_t count) {
    if (count < 0) throw Error("a negative number of rows");
    std::vector<std::array<int, N>> rows(static_cast<std::size_t>(count));
    for (auto& row : rows) {
        std::copy_n(from, N, row.begin());
        from += N;
    }
    return rows;
}

network::NetworkArrays arrays_of(const ludens_network& n) {
    if (n.roles < 1) throw Error("network: at least one role is needed");
    network::NetworkArrays a;
    a.moves = copy(n.moves, n.roles);
    a.state_bits = n.propositions;
    a.gates = copy_rows<2>(n.gates, n.gate_count);
    a.next = copy(n.next, n.propositions);
    std::int64_t moves = 0;
    for (int count : a.moves) {
        if (count < 0) throw Error("network: a negative number of moves");
        moves += count;
    }
    a.legal = copy(n.legal, moves);
    a.features = copy(n.features, n.feature_count);
    if (n.machine_policy) a.machine_policy = n.machine_policy;
    if (n.playable) a.playable = copy(n.playable, moves);
    a.terminal = n.terminal;
    a.goal_role = copy(n.goal_role, n.goal_count);
    a.goal_value = copy(n.goal_value, n.goal_count);
    a.goal_literal = copy(n.goal_literal, n.goal_count);
    a.feedback = copy(n.feedback, n.feedback_count);
    a.loops = copy_rows<4>(n.loops, n.loop_count);
    return a;
}

rules::ProgramArrays arrays_of(const ludens_rules& r) {
    rules::ProgramArrays a;
    const auto symbol_arities = copy(r.symbol_arities, r.symbol_count);
    for (int i = 0; i < r.symbol_count; ++i) a.symbols.push_back({r.symbol_names[i], symbol_arities[i]});
    a.arities = copy(r.relation_arities, r.relation_count);
    a.roles = copy(r.role_symbols, r.roles);
    a.code = copy(r.code, r.code_length);
    a.state_bits = r.facts;
    a.moves = copy(r.moves, r.roles);
    a.sample = r.sample;
    return a;
}

const rules::RulesGame& rules_game(const ludens_game& game) {
    const auto* rules = dynamic_cast<const rules::RulesGame*>(game.game.get());
    if (!rules) throw Error("only a game given as rules numbers its facts and moves itself");
    return *rules;
}

// The facts (role -1) or the moves of a role of a game that is given as rules.
rules::InternTable& intern_table(const ludens_game& game, std::int32_t role) {
    const rules::RulesGame& rules = rules_game(game);
    if (role < -1 || role >= rules.roles()) throw Error("there is no such role");
    return role < 0 ? rules.facts() : rules.moves_of(role);
}

}  // namespace

const char* ludens_error() { return last_error.c_str(); }

int ludens_game_from_network(const ludens_network* network, ludens_game** out) {
    return guarded([&] {
        auto a = arrays_of(*network);
        auto initial = copy(network->initial, words_for(network->propositions));
        *out = new ludens_game{std::make_shared<network::NetworkGame>(std::move(a), std::move(initial))};
    });
}

int ludens_game_from_rules(const ludens_rules* rules, ludens_game** out) {
    return guarded([&] { *out = new ludens_game{std::make_shared<rules::RulesGame>(arrays_of(*rules))}; });
}

int ludens_game_sample(const ludens_game* game, std::int32_t* sample) {
    return guarded([&] { *sample = rules_game(*game).sample(); });
}

int32_t ludens_game_cycle(const ludens_game* game) { return game->game->cycle(); }

int32_t ludens_game_constant_sum(const ludens_game* game) { return game->game->constant_sum(); }

int32_t ludens_game_feature_bits(const ludens_game* game) { return game->game->feature_bits(); }

int ludens_game_initial(const ludens_game* game, uint64_t* state) {
    return guarded([&] { std::ranges::copy(game->game->initial(), state); });
}

int ludens_game_moves(const ludens_game* game, int32_t* moves) {
    return guarded([&] { std::ranges::copy(game->game->moves(), moves); });
}

int ludens_game_numbered(const ludens_game* game, int32_t role, int32_t* count) {
    return guarded([&] { *count = intern_table(*game, role).count(); });
}

int ludens_game_text(const ludens_game* game, int32_t role, int32_t number, int32_t room, char* text, int32_t* length) {
    return guarded([&] {
        const std::string whole = intern_table(*game, role).text(number);
        *length = static_cast<int32_t>(whole.size());
        if (room < 1) return;
        const auto written = std::min<std::size_t>(whole.size(), static_cast<std::size_t>(room) - 1);
        text[whole.copy(text, written)] = 0;
    });
}

int ludens_game_number(const ludens_game* game, int32_t role, const char* text, int32_t* number) {
    return guarded([&] { *number = intern_table(*game, role).number(std::string(text)); });
}

void ludens_game_free(ludens_game* game) { delete game; }
