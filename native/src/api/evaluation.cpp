// Evaluations in the C API: their values, their fitting, and the samples to fit them to.
#include <algorithm>

#include "api/handles.hpp"
#include "evaluation/fit.hpp"
#include "evaluation/position_images.hpp"
#include "evaluation/self_play.hpp"
#include "guided/searched_play.hpp"

using namespace ludens;
using namespace ludens::api;

struct ludens_fit {
    EvaluationFit fit;
};
struct ludens_samples {
    TrainingSamples samples;
};
struct ludens_random_games {
    std::shared_ptr<const Game> game;
    RandomGames games;
};
struct ludens_self_play {
    std::shared_ptr<const Game> game;
    std::unique_ptr<TrainingPlay> games;
};
struct ludens_position_images {
    std::shared_ptr<const Game> game;
    PositionImages images;
};

namespace {

EvaluationWeights weights_of(const ludens_evaluation_weights& w) {
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

std::unique_ptr<TrainingPlay> training_play(const Game& game, const SelfPlayOptions& options,
                                            guided::SearchEffort effort) {
    if (effort.leaves == 0) return std::make_unique<SelfPlay>(game, options);
    return std::make_unique<guided::SearchedPlay>(game, options, effort);
}

}  // namespace

int ludens_evaluation_new(const ludens_evaluation_weights* weights, ludens_evaluation** out) {
    return guarded([&] { *out = new ludens_evaluation{std::make_shared<const Perceptron>(weights_of(*weights))}; });
}

void ludens_evaluation_free(ludens_evaluation* evaluation) { delete evaluation; }

int ludens_evaluation_values(const ludens_evaluation* e, int64_t count, const uint64_t* features, float* goals) {
    return guarded([&] {
        check_count(count, "count");
        e->evaluation->values(count, features, goals);
    });
}

int ludens_fit_new(const ludens_evaluation_weights* weights, ludens_fit** out) {
    return guarded([&] { *out = new ludens_fit{EvaluationFit(weights_of(*weights))}; });
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

int64_t ludens_fit_memory_size(const ludens_fit* fit) { return static_cast<int64_t>(fit->fit.memory_size()); }

int ludens_fit_memory(const ludens_fit* fit, float* moments, int64_t* steps) {
    return guarded([&] {
        const EvaluationFit::Memory memory = fit->fit.memory();
        std::ranges::copy(memory.moments, moments);
        std::ranges::copy(memory.steps, steps);
    });
}

int ludens_fit_remember(ludens_fit* fit, int64_t size, const float* moments, int64_t sets, const int64_t* steps) {
    return guarded([&] {
        check_count(size, "size");
        check_count(sets, "sets");
        fit->fit.remember({{moments, moments + size}, {steps, steps + sets}});
    });
}

int ludens_random_games_new(const ludens_game* game, int32_t max_steps, uint64_t seed, ludens_random_games** out) {
    return guarded([&] {
        check_limits(0, max_steps);
        auto machine = game->game->machine({.lanes = 0, .instruction_set = "", .seed = seed});
        *out = new ludens_random_games{game->game, RandomGames(std::move(machine), max_steps, seed)};
    });
}

void ludens_random_games_free(ludens_random_games* games) { delete games; }

int ludens_random_games_run(ludens_random_games* random_games, int64_t games, double seconds, ludens_samples** out) {
    return guarded([&] {
        check_count(games, "games");
        check_limits(seconds, 1);
        *out = new ludens_samples{random_games->games.play(games, seconds)};
    });
}

int ludens_self_play_new(const ludens_game* game, const ludens_self_play_options* o, ludens_self_play** out) {
    return guarded([&] {
        check_limits(0, o->max_steps);
        if (o->random_moves < 0) throw Error("random_moves must not be negative");
        if (!(o->temperature > 0)) throw Error("temperature must be above 0");
        if (!(o->lambda >= 0 && o->lambda <= 1)) throw Error("lambda must be between 0 and 1");
        const SelfPlayOptions options{o->random_moves, o->temperature, o->lambda, o->max_steps, o->seed};
        if (o->leaves < 0) throw Error("leaves must not be negative");
        if (o->learned_visits < 0) throw Error("learned_visits must not be negative");
        *out = new ludens_self_play{game->game, training_play(*game->game, options, {o->leaves, o->learned_visits})};
    });
}

void ludens_self_play_free(ludens_self_play* self_play) { delete self_play; }

int ludens_self_play_run(ludens_self_play* self_play, const ludens_evaluation* evaluation, int64_t states,
                         double seconds, ludens_samples** out) {
    return guarded([&] {
        check_count(states, "states");
        check_limits(seconds, 1);
        *out = new ludens_samples{self_play->games->play(evaluation->evaluation, states, seconds)};
    });
}

int64_t ludens_self_play_positions(const ludens_self_play* self_play) { return self_play->games->positions(); }

int64_t ludens_self_play_states(const ludens_self_play* self_play) { return self_play->games->states(); }

void ludens_samples_free(ludens_samples* samples) { delete samples; }

int64_t ludens_samples_games(const ludens_samples* l) { return l->samples.games; }

int64_t ludens_samples_count(const ludens_samples* l) { return l->samples.count; }

int ludens_samples_read(const ludens_samples* l, uint64_t* features, float* targets) {
    return guarded([&] {
        std::ranges::copy(l->samples.features, features);
        std::ranges::copy(l->samples.targets, targets);
    });
}

int ludens_position_images_new(const ludens_game* game, int32_t count, const int32_t* symmetries, uint64_t seed,
                               ludens_position_images** out) {
    return guarded([&] {
        check_count(count, "count");
        *out =
            new ludens_position_images{game->game, {*game->game, symmetries_of(*game->game, count, symmetries), seed}};
    });
}

void ludens_position_images_free(ludens_position_images* images) { delete images; }

int ludens_position_images_draw(ludens_position_images* images, int64_t count, uint64_t* features) {
    return guarded([&] {
        check_count(count, "count");
        images->images.draw(count, features);
    });
}
