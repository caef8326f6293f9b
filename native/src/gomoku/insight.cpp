#include "gomoku/insight.hpp"

#include <algorithm>

namespace ludens::gomoku {

namespace {

constexpr int table_bits = 14;                 // of positions without a win: few, to stay in the cache
constexpr std::int64_t most_positions = 1000;  // for one win
constexpr int most_depth = 12;                 // threats in a row
constexpr float promise_scale = 1 / 256.0f;    // from the weights of patterns to logarithms
constexpr float least_rank = -20;              // of moves that are far from all stones

// The number of moves in the longest line of a proof, whose first node is taken off.
int length_of(std::span<const int>& proof) {
    const auto line = static_cast<std::size_t>(proof[1]), answers = static_cast<std::size_t>(proof[2 + line]);
    proof = proof.subspan(3 + line);
    int longest = 1 + static_cast<int>(line);
    for (std::size_t i = 0; i < answers; ++i) {
        proof = proof.subspan(1);
        longest = std::max(longest, 2 + length_of(proof));
    }
    return longest;
}

}  // namespace

GomokuInsight::GomokuInsight(const GomokuGame& game) : game_(game), threats_(game, table_bits), patterns_(game) {}

int GomokuInsight::find(const Word* state, int* goals) {
    const Position position = game_.decode(state);
    int steps = steps_of_win(position), winner = position.turn;
    if (steps == nothing) {
        steps = steps_of_loss(position);
        winner ^= 1;
    }
    if (steps != nothing) std::ranges::copy(game_.rules().goals[static_cast<std::size_t>(winner)], goals);
    return steps;
}

// After how many moves the side to move wins by threats; `nothing` where that is not seen.
int GomokuInsight::steps_of_win(const Position& position) {
    if (threats_.search(position, ThreatSearch::Kind::threes, most_positions, most_depth) != ThreatSearch::Verdict::won)
        return nothing;
    std::span<const int> proof = threats_.proof();
    return length_of(proof);
}

// After how many moves the side to move loses to threats, whatever it does; `nothing` where that is not seen.
int GomokuInsight::steps_of_loss(const Position& position) {
    Position next = position;
    next.turn ^= 1;
    int longest = steps_of_win(next);
    if (longest == nothing) return nothing;
    const Cells answers = threats_.relevant();
    for (int cell = 0; cell < game_.rules().cells(); ++cell) {
        if (!answers[cell] || position.taken(cell)) continue;
        Cells& own = next.stones[static_cast<std::size_t>(position.turn)];
        own.add(cell);
        const int steps = steps_of_win(next);
        own.remove(cell);
        if (steps == nothing) return nothing;
        longest = std::max(longest, steps);
    }
    return longest + 1;
}

void GomokuInsight::rank(const Word* state, std::span<float> moves) {
    patterns_.set(game_.decode(state));
    std::ranges::fill(moves, least_rank);
    patterns_.each_near([&](int cell) {
        moves[static_cast<std::size_t>(cell)] = promise_scale * static_cast<float>(patterns_.promise(cell));
    });
}

}  // namespace ludens::gomoku
