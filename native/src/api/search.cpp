// Searches in the C API.
#include <algorithm>

#include "api/handles.hpp"
#include "search/search.hpp"
#include "search/sharing_costs.hpp"

using namespace ludens;
using namespace ludens::api;

struct ludens_search {
    std::shared_ptr<const Game> game;
    std::unique_ptr<Search> search;
};

int ludens_search_new(const ludens_game* game, const ludens_search_options* o, ludens_search** out) {
    return guarded([&] {
        if (!o->strategy) throw Error("a search needs a strategy");
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
                                    o->solver_steps,
                                    symmetries_of(*game->game, o->symmetry_count, o->symmetries),
                                    {o->td_weights, o->td_weights + o->td_weight_count},
                                    o->depth,
                                    o->peers,
                                    o->prior_noise};
        *out = new ludens_search{game->game, make_search(*game->game, options)};
    });
}

void ludens_search_free(ludens_search* search) { delete search; }

int ludens_search_set_root(ludens_search* search, const uint64_t* state) {
    return guarded([&] { search->search->set_root(state); });
}

int ludens_search_run(ludens_search* search, double seconds, int64_t playouts) {
    return guarded([&] {
        if (!(seconds >= 0) || playouts < 0) throw Error("a search cannot run for less than nothing");
        search->search->run(seconds, playouts);
    });
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

int ludens_search_shared_stats(ludens_search* search, int32_t most, int64_t* count, uint64_t** words) {
    return guarded([&] {
        if (most < 1) throw Error("a search shares the statistics of one node at least");
        const std::vector<Word> found = search->search->shared_stats(most);
        *words = new uint64_t[found.size()];
        std::ranges::copy(found, *words);
        *count = static_cast<int64_t>(found.size());
    });
}

void ludens_words_free(uint64_t* words) { delete[] words; }

int ludens_search_take_stats(ludens_search* search, int32_t peer, int64_t count, const uint64_t* words) {
    return guarded([&] { search->search->take_stats(peer, {words, static_cast<std::size_t>(count)}); });
}

int ludens_search_sharing_costs(ludens_search* search, ludens_sharing_costs* costs) {
    return guarded([&] {
        const SharingCosts found = search->search->sharing_costs();
        *costs = {found.updates, found.locks.count, found.locks.waited, found.locks.held};
    });
}

int ludens_search_get_stats(ludens_search* search, ludens_search_stats* stats) {
    return guarded([&] {
        const auto s = search->search->stats();
        *stats = {s.playouts, s.iterations,   s.state_changes, s.root_visits,    s.nodes,
                  s.recycled, s.memory_bytes, s.depth,         s.bytes_per_node, s.solved};
    });
}

int ludens_search_root_moves(ludens_search* search, int32_t role, int32_t room, int32_t* count, int32_t* moves,
                             int64_t* visits, double* values, int32_t* proven, int32_t* best, int32_t* optimal) {
    return guarded([&] {
        if (role < 0 || role >= search->game->roles()) throw Error("there is no such role");
        const auto found = search->search->root_moves(role);
        *count = static_cast<int32_t>(found.moves.size());
        *best = found.best;
        *optimal = found.optimal;
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
