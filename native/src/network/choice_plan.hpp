// Where a uniform choice among a role's moves keeps its numbers, in rows of a program; see network/choice_steps.hpp.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/machine.hpp"

namespace ludens::network {

struct ChoicePlan {
    static constexpr int block_size = 8, block_digits = 4, max_digits = 24;
    static constexpr int spare_digits = 10;  // of the random number, beyond those of the largest count

    // A level of the tree of counts. Of two nodes side by side only the left one's count is kept.
    struct Level {
        int nodes, digits;
        std::uint32_t counts;  // row of the first digit of the first count
    };

    // Rows of what is playable and of the moves, in parallel, for those of the role's `moves` moves that may be
    // legal. Uses rows from `row` on.
    ChoicePlan(std::vector<std::uint32_t> playable, std::vector<std::uint32_t> move, std::size_t moves,
               std::uint32_t row)
        : playable(std::move(playable)), move(std::move(move)) {
        random_digits = moves > 1 ? std::bit_width(moves) + spare_digits : 0;
        this->playable.resize((this->move.size() + block_size - 1) / block_size * block_size, 0);
        int nodes = static_cast<int>(this->playable.size() / block_size), digits = block_digits;
        for (; nodes > 1; nodes = (nodes + 1) / 2, ++digits) {
            levels.push_back({nodes, digits, row});
            row += static_cast<std::uint32_t>(nodes / 2 * digits);
        }
        levels.push_back({nodes, digits, row});
        if (digits > max_digits) throw Error("a role has too many moves to choose among");
        rank = row + static_cast<std::uint32_t>(digits);
        lanes = rank + static_cast<std::uint32_t>(digits);
        end = lanes + 1;
    }

    bool needed() const { return move.size() > 1; }
    std::uint32_t total() const { return levels.back().counts; }
    int digits() const { return levels.back().digits; }

    std::vector<std::uint32_t>
        preferable;                       // rows that those playable are to be part of; empty: these are what they are
    std::vector<std::uint32_t> playable;  // rows, padded to whole blocks by the row of zeros
    std::vector<std::uint32_t> move;      // rows
    int random_digits;
    std::vector<Level> levels;  // blocks first, the root last
    std::uint32_t rank, lanes;  // rows: of the first digit of what is drawn; of the lanes in which there is a choice
    std::uint32_t end;          // behind the last row
};

}  // namespace ludens::network
