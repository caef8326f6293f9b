// Tak in the C API: its games, perft, training, and the search of forced wins by roads.
#include "tak/evaluation_weights.hpp"
#include "tak/game.hpp"

#include <algorithm>

#include "api/handles.hpp"
#include "tak/td_training.hpp"
#include "tak/tinue.hpp"

using namespace ludens;
using namespace ludens::api;

namespace {

const tak::TakGame& tak_of(const ludens_game* game) {
    const auto* tak = dynamic_cast<const tak::TakGame*>(game->game.get());
    if (!tak) throw Error("this is no game of Tak on its own core");
    return *tak;
}

}  // namespace

int ludens_game_from_tak(int32_t size, int32_t half_komi, int32_t ply_limit, ludens_game** out) {
    return guarded(
        [&] { *out = new ludens_game{std::make_shared<tak::TakGame>(tak::Rules{size, half_komi, ply_limit})}; });
}

int ludens_tak_perft(const ludens_game* game, const uint64_t* state, int32_t depth, int32_t count_ended,
                     const char* instruction_set, int64_t* count) {
    return guarded([&] {
        *count = tak::perft(tak_of(game), state, depth, count_ended != 0, instruction_set ? instruction_set : "");
    });
}

int ludens_tak_moves_by_rank(const ludens_game* game, const uint64_t* state, const char* instruction_set, int32_t room,
                             int32_t* numbers, int32_t* count) {
    return guarded([&] {
        const auto found = tak::moves_by_rank(tak_of(game), state, instruction_set ? instruction_set : "");
        *count = static_cast<int32_t>(found.size());
        std::copy_n(found.begin(), std::min(*count, room), numbers);
    });
}

struct ludens_td {
    std::unique_ptr<tak::TdTraining> training;
};

int ludens_td_sizes(int32_t size, int32_t* weights, int32_t* inputs) {
    return guarded([&] {
        tak::check({size, 0});
        *weights = tak::td_weight_count(size);
        *inputs = tak::td_input_count(size);
    });
}

int ludens_td_new(const ludens_td_options* o, int32_t weight_count, const float* weights, const char* instruction_set,
                  ludens_td** out) {
    return guarded([&] {
        const tak::TdOptions options{{o->size, o->half_komi}, o->games, o->side_by_side, o->random_plies,
                                     o->most_plies,           o->rate,  o->end_rate,     o->trace,
                                     o->symmetries,           o->seed};
        const std::span<const float> begun(weights, static_cast<std::size_t>(weight_count));
        *out = new ludens_td{tak::make_td_training(options, begun, instruction_set ? instruction_set : "")};
    });
}

void ludens_td_free(ludens_td* training) { delete training; }

int ludens_td_run(ludens_td* training, double seconds, int64_t games, int32_t threads) {
    return guarded([&] {
        if (threads < 1) throw Error("there must be a thread at least");
        training->training->run(seconds, games, threads);
    });
}

void ludens_td_get_stats(const ludens_td* training, ludens_td_stats* out) {
    const tak::TdStats& stats = training->training->stats();
    *out = {stats.games, stats.plies, stats.roads, stats.flats, stats.ties, stats.squared_error};
}

int ludens_td_weights(const ludens_td* training, int32_t weight_count, float* weights) {
    return guarded([&] {
        const auto known = training->training->weights();
        if (known.size() != static_cast<std::size_t>(weight_count)) throw Error("the network has other weights");
        std::ranges::copy(known, weights);
    });
}

int ludens_td_saved_words(const ludens_td* training, int64_t* words) {
    return guarded([&] { *words = static_cast<int64_t>(training->training->save().size()); });
}

int ludens_td_save(const ludens_td* training, int64_t words, uint64_t* out) {
    return guarded([&] {
        const auto saved = training->training->save();
        if (saved.size() != static_cast<std::size_t>(words)) throw Error("saving takes another number of words");
        std::ranges::copy(saved, out);
    });
}

int ludens_td_restore(ludens_td* training, int64_t words, const uint64_t* saved) {
    return guarded([&] { training->training->restore({saved, static_cast<std::size_t>(words)}); });
}

int ludens_tak_estimate(const ludens_game* game, int32_t count, const uint64_t* states, int32_t* terms, float* values) {
    return guarded([&] {
        const auto& tak = tak_of(game);
        for (int32_t i = 0; i < count; ++i)
            values[i] = tak::estimate(tak, states + i * static_cast<std::ptrdiff_t>(tak.initial().size()),
                                      {terms + i * std::ptrdiff_t{tak::evaluation_terms}, tak::evaluation_terms});
    });
}

struct ludens_tinue_search {
    std::shared_ptr<const Game> game;
    std::unique_ptr<tak::TinueSearch> search;
    Limit limit;
    std::vector<int> proof;
};

int ludens_tinue_search_new(const ludens_game* game, int64_t memory_bytes, ludens_tinue_search** out) {
    return guarded([&] {
        check_count(memory_bytes, "memory_bytes");
        auto search = tak::make_tinue_search(tak_of(game), memory_bytes);
        *out = new ludens_tinue_search{.game = game->game, .search = std::move(search), .limit = {}, .proof = {}};
    });
}

void ludens_tinue_search_free(ludens_tinue_search* search) { delete search; }

int ludens_tinue_search_run(ludens_tinue_search* search, const uint64_t* state, double seconds, int64_t most_positions,
                            int32_t most_moves, ludens_tinue* found) {
    return guarded([&] {
        check_count(most_positions, "most_positions");
        if (!(seconds >= 0)) throw Error("seconds must not be negative");
        search->limit.begin(seconds, 0);
        const auto verdict = search->search->search(state, {}, {most_positions, most_moves}, &search->limit);
        *found = {static_cast<int32_t>(verdict), search->search->move(), search->search->moves(),
                  search->search->positions()};
    });
}

void ludens_tinue_search_stop(ludens_tinue_search* search) { search->limit.stopped = true; }

int ludens_tinue_search_proof(ludens_tinue_search* search, int64_t most, const int32_t** proof, int64_t* length) {
    return guarded([&] {
        check_count(most, "most");
        search->limit.begin(0, 0);
        search->proof = search->search->proof(static_cast<std::size_t>(most), &search->limit);
        *proof = search->proof.data();
        *length = static_cast<int64_t>(search->proof.size());
    });
}
