#include "evaluation/training_play.hpp"

#include <algorithm>
#include <cmath>

namespace ludens {

PlayedGame begun_game(const Game& game, int random_moves, Random& random) {
    const auto initial = game.initial();
    PlayedGame begun;
    begun.state.assign(initial.begin(), initial.end());
    begun.opening = static_cast<int>(random.below(static_cast<std::uint32_t>(random_moves) + 1));
    return begun;
}

void draw_moves(const RoleMoves& role_moves, const Word* legal, Random& random, std::vector<int>& moves) {
    moves.clear();
    std::vector<int> list;
    for (int role = 0; role < role_moves.roles(); ++role) {
        list.clear();
        role_moves.list(legal, role, list);
        const auto count = static_cast<std::uint32_t>(list.size());
        moves.push_back(count == 0 ? -1 : list[random.below(count)]);
    }
}

std::size_t draw_softmax(std::span<const float> values, float temperature, Random& random) {
    const float best = std::ranges::max(values);
    std::vector<double> sums;
    double total = 0;
    for (const float value : values) sums.push_back(total += std::exp((value - best) / temperature));
    const auto drawn = std::ranges::upper_bound(sums, random.unit() * total);
    return std::min(static_cast<std::size_t>(drawn - sums.begin()), values.size() - 1);
}

void add_returns(PlayedGame& game, std::size_t roles, const float* goals, float lambda, TrainingSamples& samples) {
    if (game.values.empty()) return;
    const std::size_t positions = game.values.size() / roles;
    std::vector<float> next(game.values.end() - static_cast<std::ptrdiff_t>(roles), game.values.end());
    if (goals) next.assign(goals, goals + roles);
    for (std::size_t t = positions; t-- > 0;)
        for (std::size_t r = 0; r < roles; ++r) {
            float& value = game.values[t * roles + r];
            value = (1 - lambda) * value + lambda * next[r];
            next[r] = value;
        }
    samples.count += static_cast<std::int64_t>(positions);
    samples.features.insert(samples.features.end(), game.features.begin(), game.features.end());
    samples.targets.insert(samples.targets.end(), game.values.begin(), game.values.end());
}

}  // namespace ludens
