// Checkers in the C API: its games, perft, endgame tables and what these prove, the baseline to measure players by.
#include <algorithm>

#include "api/handles.hpp"
#include "checkers/baseline_search.hpp"
#include "checkers/endgame_retrograde.hpp"
#include "checkers/endgame_table.hpp"
#include "checkers/game.hpp"
#include "checkers/knowledge.hpp"
#include "checkers/perft.hpp"

using namespace ludens;
using namespace ludens::api;

struct ludens_endgame {
    endgame::Index index;
    endgame::Builder builder;
    endgame::Table table;
    StopSign stop;

    ludens_endgame(int pieces, endgame::Measure measure, std::span<endgame::Value> values)
        : index(pieces), builder(index, measure, values), table(index, measure, values) {}
};

namespace {

checkers::Rules rules_of(const ludens_checkers& c) {
    if (c.forcing < 0 || c.forcing > 2 || c.jumps < 0 || c.jumps > 2) throw Error("checkers: no such way to capture");
    checkers::Rules r;
    r.width = c.width;
    r.wrap_files = c.wrap_files;
    r.wrap_ranks = c.wrap_ranks;
    r.forcing = static_cast<checkers::Forcing>(c.forcing);
    r.jumps = static_cast<checkers::Jumps>(c.jumps);
    r.kings = c.kings;
    r.stuck_either = c.stuck_either;
    const std::int32_t* goal = c.goals;
    for (auto& row : r.goals)
        for (auto& both : row)
            for (auto& value : both) value = static_cast<std::int8_t>(std::clamp(*goal++, -1, 101));
    r.stuck_goals = {c.stuck_goals[0], c.stuck_goals[1]};
    r.step_limit = c.step_limit;
    r.idle_limit = c.idle_limit;
    r.first_role = c.first_role;
    std::copy_n(c.start, 3, r.start.begin());
    return r;
}

}  // namespace

int ludens_game_from_checkers(const ludens_checkers* rules, ludens_game** out) {
    return guarded([&] { *out = new ludens_game{std::make_shared<checkers::CheckersGame>(rules_of(*rules))}; });
}

int ludens_checkers_perft(const uint32_t* board, int32_t depth, const char* instruction_set, int64_t* count) {
    return guarded([&] {
        const auto turn = board[3] ? checkers::red : checkers::black;
        *count = checkers::perft({board[0], board[1], board[2], turn}, depth, instruction_set ? instruction_set : "");
    });
}

int ludens_endgame_size(int32_t pieces, int64_t* size) {
    return guarded([&] { *size = endgame::Index(pieces).size(); });
}

int ludens_endgame_new(int32_t pieces, int32_t limit, uint8_t* values, int64_t size, ludens_endgame** out) {
    return guarded([&] {
        check_count(size, "size");
        *out = new ludens_endgame(pieces, endgame::Measure(limit), {values, static_cast<std::size_t>(size)});
    });
}

void ludens_endgame_free(ludens_endgame* table) { delete table; }

int ludens_endgame_steps(const ludens_endgame* table, int32_t* steps, int64_t* work) {
    return guarded([&] {
        *steps = table->builder.steps();
        for (int i = 0; work && i < *steps; ++i) work[i] = table->builder.work(i);
    });
}

int ludens_endgame_build(ludens_endgame* table, int32_t step, int32_t threads) {
    return guarded([&] { table->builder.run(step, threads, table->stop); });
}

int ludens_endgame_check(const ludens_endgame* table, int32_t step, int32_t threads, int64_t* contradictions) {
    return guarded([&] {
        *contradictions = 0;
        for (const auto* slice : table->builder.slices(step))
            *contradictions += table->table.contradictions(*slice, threads, table->stop);
    });
}

void ludens_endgame_stop(ludens_endgame* table) { table->stop.raise(); }

int ludens_endgame_probe(const ludens_endgame* table, int64_t count, const uint32_t* boards, uint8_t* values) {
    return guarded([&] {
        check_count(count, "count");
        for (std::int64_t i = 0; i < count; ++i, boards += 4) {
            const auto turn = boards[3] == 0 ? checkers::black : checkers::red;
            values[i] = table->table.probe(checkers::Board{boards[0], boards[1], boards[2], turn});
        }
    });
}

int ludens_knowledge_from_endgame(const ludens_game* game, const ludens_endgame* table, ludens_knowledge** out) {
    return guarded([&] {
        auto checkers = std::dynamic_pointer_cast<const checkers::CheckersGame>(game->game);
        if (!checkers) throw Error("endgame tables are of checkers on bitboards");
        *out = new ludens_knowledge{std::make_shared<checkers::EndgameKnowledge>(checkers, table->table), game->game};
    });
}

void ludens_knowledge_free(ludens_knowledge* knowledge) { delete knowledge; }

int ludens_knowledge_find(const ludens_knowledge* k, int64_t count, const uint64_t* states, int32_t* goals,
                          int32_t* distances) {
    return guarded([&] {
        check_count(count, "count");
        for (std::int64_t i = 0; i < count; ++i)
            distances[i] = k->knowledge->find(states + i * k->game->state_words(), goals + i * k->game->roles());
    });
}

int ludens_checkers_baseline_move(const ludens_game* game, const uint64_t* state, int32_t depth, uint64_t seed,
                                  int32_t* move) {
    return guarded([&] {
        const auto* boards = dynamic_cast<const checkers::CheckersGame*>(game->game.get());
        if (!boards) throw Error("the baseline plays checkers on bitboards only");
        *move = checkers::baseline_move(*boards, state, depth, seed);
    });
}
