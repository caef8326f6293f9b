// What looks at one position of Tak after the other, for one instruction set: perft, searches and training.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/square_board.hpp"
#include "base/target.hpp"
#include "base/threads.hpp"
#include "base/vector_math.hpp"
#include "tak/evaluation_weights.hpp"
#include "tak/game.hpp"
#include "tak/spreads.hpp"
#include "tak/td_searcher.hpp"
#include "tak/td_training.hpp"
#include "tak/tinue.hpp"
#include "tak/tinue_table.hpp"

LUDENS_TARGET_ON

namespace ludens::tak {
inline namespace LUDENS_ISA {

#include "tak/position.hpp"

#include "tak/coding.hpp"

#include "tak/position_key.hpp"

#include "tak/roads.hpp"

#include "tak/td_network.hpp"

#include "tak/evaluation.hpp"

#include "tak/td_searcher.inl"

#include "tak/td_training.inl"

#include "tak/tinue.inl"

#include "tak/board_sizes.hpp"

// The moves of the last ply are counted, not made.
template <int N> std::int64_t count_lines(const Position<N>& p, int depth, bool count_ended, const Rules& rules) {
    if (depth == 0) return 1;
    if (p.outcome(rules) != Outcome::open) return count_ended;
    if (depth == 1) return p.count_moves();
    std::int64_t lines = 0;
    p.each_move([&](int number) {
        Position<N> next = p;
        next.play(number);
        lines += count_lines(next, depth - 1, count_ended, rules);
    });
    return lines;
}

std::int64_t perft(const TakGame& game, const Word* state, int depth, bool count_ended) {
    return for_size(game.rules().size,
                    [&]<int N>() { return count_lines(decode<N>(state), depth, count_ended, game.rules()); });
}

std::unique_ptr<TdTraining> make_training(const TdOptions& options, std::span<const float> weights) {
    return for_size(options.rules.size, [&]<int N>() -> std::unique_ptr<TdTraining> {
        return std::make_unique<TdTrainingOf<N>>(options, weights);
    });
}

float estimate(const TakGame& game, const Word* state, std::span<std::int32_t> terms) {
    return for_size(game.rules().size, [&]<int N>() {
        const Position<N> position = decode<N>(state);
        const int half_komi = game.rules().half_komi;
        std::ranges::fill(terms, 0);
        Evaluation<N>::each_term(position, half_komi, [&](int term, int count) { terms[term] += count; });
        return Evaluation<N>::value(position, half_komi);
    });
}

std::unique_ptr<TdSearcher> make_searcher(TdShared& shared) {
    return for_size(shared.game.rules().size,
                    [&]<int N>() -> std::unique_ptr<TdSearcher> { return std::make_unique<TdSearcherOf<N>>(shared); });
}

std::unique_ptr<TinueSearch> make_tinue(const TakGame& game, std::int64_t bytes) {
    return for_size(game.rules().size, [&]<int N>() -> std::unique_ptr<TinueSearch> {
        return std::make_unique<TinueSearchOf<N>>(game, bytes);
    });
}

}  // namespace LUDENS_ISA
}  // namespace ludens::tak

LUDENS_TARGET_OFF
