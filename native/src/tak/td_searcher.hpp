// Alpha-beta for Tak by one thread: what lies below the moves of a root.
//
// Values are those for who is to move: from -1 to 1 where they are estimates. A win is worth 3 less a little for each
// ply of the game up to its end, so that sooner is better, whatever the root; a loss is worth as much less than 0.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/threads.hpp"
#include "tak/game.hpp"
#include "tak/td_table.hpp"

namespace ludens::tak {

// Whether a value is that of a win or a loss.
constexpr float least_win = 1.5f;
// The value of a win at a ply of the game.
constexpr float win_at(int ply) { return 3 - static_cast<float>(ply) / 65536; }

// Returns how many plies less deep the move of a rank in the order, from 0 on, is looked at first: only if it seems to be
// better than those before is it looked at again ("late move reductions").
inline int late_move_reduction(int depth, std::size_t rank) {
    constexpr int least_depth = 3;
    constexpr std::size_t least_rank = 3, depths = 16, ranks = 64;
    if (depth < least_depth || rank < least_rank) return 0;
    static const auto table = [] {
        std::array<std::array<int, ranks>, depths> found{};
        for (std::size_t d = 1; d < depths; ++d)
            for (std::size_t r = 1; r < ranks; ++r) {
                const double both = std::log(static_cast<double>(d)) * std::log(static_cast<double>(r + 1));
                found[d][r] = std::min(static_cast<int>(d) - 2, static_cast<int>(0.4 + both / 2));
            }
        return found;
    }();
    return table[std::min(static_cast<std::size_t>(depth), depths - 1)][std::min(rank, ranks - 1)];
}

class TdSearcher {
public:
    virtual ~TdSearcher() = default;

    // Throws Error for words that are no state.
    virtual void set_root(const Word* state) = 0;
    // The limit that is shared has begun anew.
    virtual void begin_run() = 0;
    virtual int ply() const = 0;
    // The numbers of the moves at the root, in the order in which plain minimax tries them; none where the game is over.
    virtual std::vector<int> moves() const = 0;
    // Returns the least of those moves that are the same as one of them but for a turn or reflection of the board.
    virtual int first_like(int move) const = 0;

    // Returns the value after a move of the root, for who makes it, of a search of `depth` plies, that move among them:
    // right if it lies between alpha and beta, else a bound. Throws Interrupted.
    virtual float value_after(int move, int depth, float alpha, float beta) = 0;
    // Returns the moves that are expected after a move of the root, that move first, as far as the table knows them.
    virtual std::vector<int> line_from(int move, int room) const = 0;
    // How many positions were looked at: those that a move led to, as often as it did.
    virtual std::int64_t positions() const = 0;
};

// What searchers of one search share; it must outlive them.
struct TdShared {
    TdShared(const TakGame& game, std::span<const float> weights, std::int64_t bytes, bool to_fixed_depth)
        : game(game), weights(weights.begin(), weights.end()), table(bytes), to_fixed_depth(to_fixed_depth) {}

    const TakGame& game;
    const std::vector<float> weights;  // as in TdTraining; none: tak/evaluation.hpp
    TdTable table;
    const bool
        to_fixed_depth;  // values are those of plain minimax: what the table knows of deeper searches is not used
    Limit limit;
};

// Throws Error if there are weights that are those of a board of another size.
std::unique_ptr<TdSearcher> make_td_searcher(TdShared& shared);

}  // namespace ludens::tak
