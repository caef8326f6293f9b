// Forced wins by a road in Tak, which its players call tinuë: every move of the attacker completes a road or is a threat
// to complete one with the next move ("tak"), and no answer helps. An answer is any legal move of the defender.
//
// Depth-first proof-number search (Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002) with
// thresholds a quarter above the second best child (Pawlewicz and Lew, "Improving depth-first PN-search: 1 + epsilon
// trick", 2006). One more move of the attacker is allowed in each iteration, and what is known of a position is kept with
// the number of moves that are left: so there are no cycles, whatever pieces move to and fro, and the win that is found
// is one of the shortest of its kind. Only wins by roads count: where an answer ends the game by counting flats the
// attacker has failed, whoever has more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/threads.hpp"
#include "tak/game.hpp"

namespace ludens::tak {

constexpr int most_tinue_moves = 100;

// For one thread at a time.
class TinueSearch {
public:
    enum class Verdict { won, none, unknown };

    struct Extent {
        std::int64_t positions;  // to look at, of all answers and threats
        int moves;               // of the attacker, 1 to most_tinue_moves
    };

    virtual ~TinueSearch() = default;

    // Looks for a win of who is to move after some moves from a state. `none`: there is none with so many moves, as in a
    // game that is over or at its first two plies; `unknown`: it would take more positions, or the limit was reached
    // before, of which they are a part; null: there is no other limit. Throws Error for words that are no state, and moves that are not legal.
    virtual Verdict search(const Word* state, std::span<const int> made, const Extent& most, Limit* limit) = 0;

    // The first move of the win that was found last, and the number of the attacker's moves that it takes at most.
    virtual int move() const = 0;
    virtual int moves() const = 0;
    // How many positions were looked at.
    virtual std::int64_t positions() const = 0;
    // Of the table.
    virtual std::int64_t memory_bytes() const = 0;

    // Writes the win that was found last. A node is: the attacker's move; the move that completes a road after every
    // answer that is not listed, -1 where the first move has completed one; the number of answers listed, and each of
    // them with the node that follows it. Answers that complete the attacker's road themselves are not listed. Throws
    // Error if there is no win, if it takes more than `most` numbers, and where the limit is reached before, for what the
    // table has lost is searched again; null: there is none.
    virtual std::vector<int> proof(std::size_t most, Limit* limit) = 0;
};

// The table of positions takes no more memory than `bytes`. The game must outlive the search.
std::unique_ptr<TinueSearch> make_tinue_search(const TakGame& game, std::int64_t bytes);

}  // namespace ludens::tak
