// The C API of ludens.h over the classes: checks what comes in, turns exceptions into a status and a message.

#include "api/api.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <string>

#include "base/simulator.hpp"
#include "checkers/baseline_search.hpp"
#include "checkers/endgame_retrograde.hpp"
#include "checkers/endgame_table.hpp"
#include "checkers/game.hpp"
#include "checkers/knowledge.hpp"
#include "checkers/perft.hpp"
#include "evaluation/fit.hpp"
#include "evaluation/self_play.hpp"
#include "network/game.hpp"
#include "rules/game.hpp"
#include "search/search.hpp"

using namespace ludens;

// Games are shared, so that handles may be freed in any order.
struct ludens_game {
    std::shared_ptr<const Game> game;
};
struct ludens_simulator {
    std::shared_ptr<const Game> game;
    Simulator simulator;
};
struct ludens_evaluation {
    std::shared_ptr<const Evaluation> evaluation;
};
struct ludens_knowledge {
    std::shared_ptr<const Knowledge> knowledge;
    std::shared_ptr<const Game> game;
};
struct ludens_fit {
    EvaluationFit fit;
};
struct ludens_lessons {
    Lessons lessons;
};
struct ludens_search {
    std::shared_ptr<const Game> game;
    std::unique_ptr<Search> search;
};
struct ludens_endgame {
    endgame::Index index;
    endgame::Builder builder;
    endgame::Table table;

    ludens_endgame(int pieces, endgame::Measure measure, std::span<endgame::Value> values)
        : index(pieces), builder(index, measure, values), table(index, measure, values) {}
};

namespace {

thread_local std::string last_error;

// Every entry point runs its work in here.
template <class Work>
int guarded(Work work) noexcept {
    try {
        work();
        return 0;
    } catch (const std::bad_alloc&) {
        last_error = "out of memory";
    } catch (const std::exception& error) {
        last_error = error.what();
    } catch (...) {
        last_error = "unknown native error";
    }
    return 1;
}

template <class T>
std::vector<T> copy(const T* from, std::int64_t count) {
    if (count < 0) throw Error("a negative number of elements");
    return {from, from + count};
}

template <std::size_t N>
std::vector<std::array<int, N>> copy_rows(const std::int32_t* from, std::int32_t count) {
    if (count < 0) throw Error("a negative number of rows");
    std::vector<std::array<int, N>> rows(static_cast<std::size_t>(count));
    for (auto& row : rows) {
        std::copy_n(from, N, row.begin());
        from += N;
    }
    return rows;
}

NetworkArrays arrays(const ludens_network& n) {
    if (n.roles < 1) throw Error("network: at least one role is needed");
    NetworkArrays a;
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

rules::ProgramArrays arrays(const ludens_rules& r) {
    rules::ProgramArrays a;
    const auto symbol_arities = copy(r.symbol_arities, r.symbol_count);
    for (int i = 0; i < r.symbol_count; ++i) a.symbols.push_back({r.symbol_names[i], symbol_arities[i]});
    a.arities = copy(r.relation_arities, r.relation_count);
    a.roles = copy(r.role_symbols, r.roles);
    a.code = copy(r.code, r.code_length);
    a.state_bits = r.facts;
    a.moves = copy(r.moves, r.roles);
    return a;
}

checkers::Rules arrays(const ludens_checkers& c) {
    if (c.forcing < 0 || c.forcing > 2 || c.jumps < 0 || c.jumps > 2) throw Error("checkers: no such way to capture");
    checkers::Rules r;
    r.width = c.width;
    r.wrap_files = c.wrap_files, r.wrap_ranks = c.wrap_ranks;
    r.forcing = static_cast<checkers::Forcing>(c.forcing);
    r.jumps = static_cast<checkers::Jumps>(c.jumps);
    r.kings = c.kings, r.stuck_either = c.stuck_either;
    const std::int32_t* goal = c.goals;
    for (auto& row : r.goals)
        for (auto& both : row)
            for (auto& value : both) value = static_cast<std::int8_t>(std::clamp(*goal++, -1, 101));
    r.stuck_goals = {c.stuck_goals[0], c.stuck_goals[1]};
    r.step_limit = c.step_limit, r.idle_limit = c.idle_limit;
    r.first_role = c.first_role;
    std::copy_n(c.start, 3, r.start.begin());
    return r;
}

EvaluationWeights copy(const ludens_evaluation_weights& w) {
    if (w.features < 1 || w.roles < 1 || w.hidden < 0 || w.control_count < 0)
        throw Error("evaluation: a size is out of range");
    const std::int64_t sets = std::int64_t{w.control_count} + 1, inputs = std::int64_t{w.features} + 1;
    return {w.features,
            w.roles,
            w.hidden,
            copy(w.control, w.control_count),
            copy(w.linear, sets * inputs * w.roles),
            copy(w.inner, sets * inputs * w.hidden),
            copy(w.output, sets * w.hidden * w.roles)};
}

// The facts (role -1) or the moves of a role of a game that is given as rules.
rules::Registry& registry(const ludens_game& game, std::int32_t role) {
    const auto* rules = dynamic_cast<const rules::RulesGame*>(game.game.get());
    if (!rules) throw Error("only a game given as rules numbers its facts and moves itself");
    if (role < -1 || role >= rules->roles()) throw Error("there is no such role");
    return role < 0 ? rules->facts() : rules->moves_of(role);
}

void check_moves(const Game& game, std::int64_t count, const std::int32_t* moves) {
    const auto limits = game.moves();
    for (std::int64_t i = 0; i < count; ++i)
        for (int limit : limits)
            if (const int move = *moves++; move < -1 || move >= limit) throw Error("a move index is out of range");
}

void check_count(std::int64_t count, const char* what) {
    if (count < 0) throw Error(std::string(what) + " must not be negative");
}

}  // namespace

const char* ludens_error() { return last_error.c_str(); }

int ludens_instruction_sets(const char** names) {
    return guarded([&] {
        static const std::string list = [] {
            std::string joined;
            for (const char* name : instruction_sets()) joined += (joined.empty() ? "" : " ") + std::string(name);
            return joined;
        }();
        *names = list.c_str();
    });
}

int ludens_game_from_network(const ludens_network* network, ludens_game** out) {
    return guarded([&] {
        auto a = arrays(*network);
        auto initial = copy(network->initial, words_for(network->propositions));
        *out = new ludens_game{std::make_shared<NetworkGame>(std::move(a), std::move(initial))};
    });
}

int ludens_game_from_rules(const ludens_rules* rules, ludens_game** out) {
    return guarded([&] { *out = new ludens_game{std::make_shared<rules::RulesGame>(arrays(*rules))}; });
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

int ludens_game_seen(const ludens_game* game, int32_t role, int32_t* count) {
    return guarded([&] { *count = registry(*game, role).count(); });
}

int ludens_game_text(const ludens_game* game, int32_t role, int32_t number, int32_t room, char* text, int32_t* length) {
    return guarded([&] {
        const std::string whole = registry(*game, role).text(number);
        *length = static_cast<int32_t>(whole.size());
        if (room < 1) return;
        const auto written = std::min<std::size_t>(whole.size(), static_cast<std::size_t>(room) - 1);
        text[whole.copy(text, written)] = 0;
    });
}

int ludens_game_number(const ludens_game* game, int32_t role, const char* text, int32_t* number) {
    return guarded([&] { *number = registry(*game, role).number(std::string(text)); });
}

void ludens_game_free(ludens_game* game) { delete game; }

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
                          uint64_t* successors) {
    return guarded([&] {
        check_count(count, "count");
        check_moves(s->simulator.machine().game(), count, moves);
        s->simulator.next(count, states, moves, successors);
    });
}

int ludens_simulator_playouts(ludens_simulator* s, const uint64_t* state, int64_t count, double seconds,
                              int32_t max_steps, double* goal_sums, double* goal_squares, ludens_playout_stats* stats) {
    return guarded([&] {
        check_count(count, "count");
        if (!(seconds >= 0)) throw Error("seconds must not be negative");
        if (max_steps < 1) throw Error("max_steps must be at least 1");
        const auto r = s->simulator.playouts(state, count, seconds, max_steps, goal_sums, goal_squares);
        *stats = {r.playouts, r.state_changes, r.stuck, r.seconds, r.evaluation_seconds, r.choice_seconds};
    });
}

int ludens_simulator_record(ludens_simulator* s, const uint64_t* state, int32_t max_steps, int32_t* moves,
                            int32_t* lengths) {
    return guarded([&] {
        if (max_steps < 1) throw Error("max_steps must be at least 1");
        s->simulator.record(state, max_steps, moves, lengths);
    });
}

int ludens_simulator_noted(ludens_simulator* s, uint64_t* sets) {
    return guarded([&] { s->simulator.noted(sets); });
}

int ludens_evaluation_new(const ludens_evaluation_weights* weights, ludens_evaluation** out) {
    return guarded([&] { *out = new ludens_evaluation{std::make_shared<const Evaluation>(copy(*weights))}; });
}

void ludens_evaluation_free(ludens_evaluation* evaluation) { delete evaluation; }

int ludens_evaluation_values(const ludens_evaluation* e, int64_t count, const uint64_t* features, float* goals) {
    return guarded([&] {
        check_count(count, "count");
        e->evaluation->values(count, features, goals);
    });
}

int ludens_fit_new(const ludens_evaluation_weights* weights, ludens_fit** out) {
    return guarded([&] { *out = new ludens_fit{EvaluationFit(copy(*weights))}; });
}

void ludens_fit_free(ludens_fit* fit) { delete fit; }

int ludens_fit_pass(ludens_fit* fit, int64_t count, const uint64_t* features, const float* targets, float rate,
                    uint64_t seed, double* error) {
    return guarded([&] {
        check_count(count, "count");
        if (!(rate >= 0)) throw Error("rate must not be negative");
        *error = fit->fit.pass(count, features, targets, rate, seed);
    });
}

int ludens_fit_read(const ludens_fit* fit, float* linear, float* inner, float* output) {
    return guarded([&] {
        const EvaluationWeights weights = fit->fit.weights();
        std::ranges::copy(weights.linear, linear);
        std::ranges::copy(weights.inner, inner);
        std::ranges::copy(weights.output, output);
    });
}

int ludens_lessons_random(const ludens_game* game, int64_t games, double seconds, int32_t max_steps, uint64_t seed,
                          ludens_lessons** out) {
    return guarded([&] {
        check_count(games, "games");
        if (!(seconds >= 0)) throw Error("seconds must not be negative");
        if (max_steps < 1) throw Error("max_steps must be at least 1");
        const auto machine = game->game->machine({.lanes = 0, .instruction_set = "", .seed = seed});
        *out = new ludens_lessons{random_lessons(*machine, games, seconds, max_steps, seed)};
    });
}

int ludens_lessons_self_play(const ludens_game* game, const ludens_evaluation* evaluation,
                             const ludens_self_play_options* o, ludens_lessons** out) {
    return guarded([&] {
        check_count(o->games, "games");
        if (!(o->seconds >= 0)) throw Error("seconds must not be negative");
        if (o->max_steps < 1) throw Error("max_steps must be at least 1");
        if (o->random_moves < 0) throw Error("random_moves must not be negative");
        if (!(o->temperature > 0)) throw Error("temperature must be above 0");
        if (!(o->trace >= 0 && o->trace <= 1)) throw Error("trace must be between 0 and 1");
        const SelfPlayOptions options{o->games, o->seconds,   o->random_moves, o->temperature,
                                      o->trace, o->max_steps, o->seed};
        *out = new ludens_lessons{self_play_lessons(*game->game, *evaluation->evaluation, options)};
    });
}

void ludens_lessons_free(ludens_lessons* lessons) { delete lessons; }

int64_t ludens_lessons_games(const ludens_lessons* l) { return l->lessons.games; }

int64_t ludens_lessons_count(const ludens_lessons* l) { return l->lessons.count; }

int ludens_lessons_read(const ludens_lessons* l, uint64_t* features, float* targets) {
    return guarded([&] {
        std::ranges::copy(l->lessons.features, features);
        std::ranges::copy(l->lessons.targets, targets);
    });
}

int ludens_search_new(const ludens_game* game, const ludens_search_options* o, ludens_search** out) {
    return guarded([&] {
        if (!o->strategy) throw Error("a search needs a strategy");
        std::vector<std::vector<int>> symmetries;
        const int bits = game->game->state_bits();
        for (std::int64_t k = 0; k < o->symmetry_count; ++k)
            symmetries.emplace_back(o->symmetries + k * bits, o->symmetries + (k + 1) * bits);
        const SearchOptions options{o->strategy,
                                    o->threads,
                                    o->lanes,
                                    o->memory_bytes,
                                    o->exploration,
                                    o->playouts_per_leaf,
                                    o->expand_after,
                                    o->max_steps,
                                    o->seed,
                                    o->evaluation ? o->evaluation->evaluation : nullptr,
                                    o->knowledge ? o->knowledge->knowledge : nullptr,
                                    o->solver_share,
                                    std::move(symmetries)};
        *out = new ludens_search{game->game, make_search(*game->game, options)};
    });
}

void ludens_search_free(ludens_search* search) { delete search; }

int ludens_search_set_root(ludens_search* search, const uint64_t* state) {
    return guarded([&] { search->search->set_root(state); });
}

int ludens_search_run(ludens_search* search, double seconds, int64_t playouts) {
    return guarded([&] { search->search->run(seconds, playouts); });
}

int ludens_search_stop(ludens_search* search) {
    return guarded([&] { search->search->stop(); });
}

int ludens_search_collect(ludens_search* search, int32_t room, int32_t* count, uint64_t* states, int64_t* tickets) {
    return guarded([&] {
        std::vector<Word> found;
        std::vector<std::int64_t> numbers;
        search->search->collect(room, found, numbers);
        std::ranges::copy(found, states);
        std::ranges::copy(numbers, tickets);
        *count = static_cast<int32_t>(numbers.size());
    });
}

int ludens_search_report(ludens_search* search, int32_t count, const int64_t* tickets, const double* goals,
                         int32_t games) {
    return guarded([&] { search->search->report({tickets, static_cast<std::size_t>(count)}, goals, games); });
}

int ludens_search_suggest(ludens_search* search, int32_t steps, const int32_t* moves) {
    return guarded([&] { search->search->suggest({moves, moves + std::ptrdiff_t{steps} * search->game->roles()}); });
}

int ludens_search_get_stats(ludens_search* search, ludens_search_stats* stats) {
    return guarded([&] {
        const auto s = search->search->stats();
        *stats = {s.playouts, s.iterations,   s.state_changes, s.root_visits,    s.nodes,
                  s.recycled, s.memory_bytes, s.depth,         s.bytes_per_node, s.solved};
    });
}

int ludens_search_root_moves(ludens_search* search, int32_t role, int32_t room, int32_t* count, int32_t* moves,
                             int64_t* visits, double* values, int32_t* proven, int32_t* best) {
    return guarded([&] {
        const auto found = search->search->root_moves(role);
        *count = static_cast<int32_t>(found.moves.size());
        *best = found.best;
        for (std::size_t i = 0; i < std::min(found.moves.size(), static_cast<std::size_t>(std::max(room, 0))); ++i) {
            moves[i] = found.moves[i].move;
            visits[i] = found.moves[i].visits;
            values[i] = found.moves[i].value;
            proven[i] = found.moves[i].proven;
        }
    });
}

int ludens_search_expected_line(ludens_search* search, int32_t room, int32_t* length, int32_t* moves) {
    return guarded([&] {
        const auto line = search->search->expected_line(room);
        std::ranges::copy(line, moves);
        *length = static_cast<int32_t>(line.size()) / search->game->roles();
    });
}

int ludens_game_from_checkers(const ludens_checkers* rules, ludens_game** out) {
    return guarded([&] { *out = new ludens_game{std::make_shared<checkers::CheckersGame>(arrays(*rules))}; });
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
    return guarded([&] { table->builder.run(step, threads); });
}

int ludens_endgame_check(const ludens_endgame* table, int32_t step, int32_t threads, int64_t* contradictions) {
    return guarded([&] {
        *contradictions = 0;
        for (const auto* slice : table->builder.slices(step))
            *contradictions += table->table.contradictions(*slice, threads);
    });
}

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

int ludens_checkers_yardstick(const ludens_game* game, const uint64_t* state, int32_t depth, uint64_t seed,
                              int32_t* move) {
    return guarded([&] {
        const auto* boards = dynamic_cast<const checkers::CheckersGame*>(game->game.get());
        if (!boards) throw Error("the yardstick plays checkers on bitboards only");
        *move = checkers::yardstick_move(*boards, state, depth, seed);
    });
}
