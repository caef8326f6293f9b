// Results of the games below a node in which a move was made, early or late: "all moves as first" (Bruegmann,
// "Monte Carlo Go", 1993), the statistics of RAVE (Gelly and Silver, "Monte-Carlo tree search and rapid action value
// estimation in computer Go", 2011).
//
// A node that is new knows little of its own, so it takes the statistics of the nearest node above it that has enough
// of them (GRAVE: Cazenave, "Generalized rapid action value estimation", 2015). Nodes met a few times never need a
// table, therefore, and tables are few: they live beside the tree in a cache of fixed size that forgets. A place is
// given to whichever claimant was visited more often; one that nobody has written to since the last root goes first.
//
// Memory: eight bytes for each move of each role, and 16, for each table.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/machine.hpp"
#include "base/random.hpp"
#include "mcts/tree_memory.hpp"

namespace ludens::mcts {

// Games in the low half, the sum of their goals in the high one, so that one addition counts a game.
struct AmafCell {
    std::uint64_t both = 0;

    std::uint32_t games() const { return static_cast<std::uint32_t>(both); }
    std::uint32_t goals() const { return static_cast<std::uint32_t>(both >> 32); }
    // The mean goal; with fewer games it is nearer to the middle.
    float smoothed_mean() const { return (static_cast<float>(goals()) + 50) / (static_cast<float>(games()) + 1); }
};

using AmafRow = std::span<const AmafCell>;  // of one role's moves; empty: nothing is known

// One node's statistics, read only.
struct AmafView {
    const AmafCell* cells = nullptr;
    const int* bounds = nullptr;  // [roles + 1], where each role's moves begin

    AmafRow row(int role) const {
        return cells == nullptr ? AmafRow{} : AmafRow(cells + bounds[role], cells + bounds[role + 1]);
    }
};

class AmafTables {
public:
    // `bytes`: for all tables; 0: none are kept.
    AmafTables(const Game& game, std::int64_t bytes);

    // Returns the statistics of the node `key`, without cells if they are of less than `games` games.
    AmafView find(std::uint64_t key, std::uint32_t games) const;
    // Counts one game below the node `key`, which has so many `visits`. `moves`: those made in it, as Machine reads
    // them.
    void add(std::uint64_t key, std::uint32_t visits, const Word* moves, const int* goals);

    void forget();
    std::int64_t bytes() const { return static_cast<std::int64_t>(pages_.bytes()); }

    // Lets tables that are not written to again from now on give way to any other.
    void age() { ++epoch_; }

private:
    static constexpr std::uint32_t most_games = 1u << 24;  // sums of goals have 32 bits

    struct Head {
        std::uint64_t key;  // 0: none
        std::uint32_t games, epoch;
    };
    // The moves of a role in one word of a set of moves.
    struct Part {
        int word, role;
        Word mask;
    };

    std::size_t place(std::uint64_t key) const { return mix(key) & mask_; }
    AmafCell* cells(std::size_t place) const {
        return reinterpret_cast<AmafCell*>(pages_.start() + cells_at_) + place * stride_;
    }
    Head& head(std::size_t place) const { return reinterpret_cast<Head*>(pages_.start())[place]; }
    bool claim(Head& head, std::uint64_t key, std::uint32_t visits, AmafCell* cells);
    void halve(Head& head, AmafCell* cells);

    std::vector<int> bounds_;
    std::vector<Part> parts_;
    std::size_t stride_, mask_, cells_at_;  // cells from table to table, whole vectors of them
    Pages pages_;
    std::uint32_t epoch_ = 1;
};

}  // namespace ludens::mcts
