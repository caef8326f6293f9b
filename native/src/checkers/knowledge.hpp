// What endgame tables prove of a checkers game with limits.
//
// A table is that of English draughts, with draws by repetition or by a limit of plies without progress. For a sheet
// with these rules, in which who cannot move loses and all other ends are equal draws:
//
// 1. With a counter c and a limit n the table of the same n is exact: a position is won or lost if c + distance <= n,
//    else it is drawn. (A winner who has a move that makes progress within the counter goes on from 0, in a position
//    that is won at 0 by the same table; a man moves at most 6 times and a piece is captured once, so this ends.)
// 2. A table without a limit knows less: a win or loss is proven if c + distance <= n, since the winner is through
//    before the counter is; a draw is always one, since a limit only makes more draws. All else may be a draw, or what
//    the table says.
// 3. Where the whole game ends as a draw after some plies, of which r are left, and every jump of a chain is a ply, a
//    win or loss by a table without a limit is proven if distance + pieces - 2 <= r as well: chains make at most so
//    many plies of their own, since each captures one piece, and the first capture of a chain is counted already. A
//    table with a limit knows nothing of the plies to the end, so only its draws are proven.
// 4. In the midst of a chain a position is worth what the best way to go on is. So a loss that may be a draw leaves
//    nothing open beside a draw, and a chain out of a position that the table calls a draw is known to be one.
#pragma once

#include <array>
#include <memory>

#include "base/knowledge.hpp"
#include "checkers/endgame_table.hpp"
#include "checkers/game.hpp"

namespace ludens::checkers {

class EndgameKnowledge final : public Knowledge {
public:
    // The table must outlive it. Error where the table says nothing about the game.
    EndgameKnowledge(std::shared_ptr<const CheckersGame> game, const endgame::Table& table);

    int find(const Word* state, int* goals) const override;
    bool is_near(const Word* state) const override;

private:
    // What perfect play leads to for the side to move is from `least` to `most`: -1 lost, 0 drawn, 1 won. Where these
    // are the same, the end is so far away; a draw is no distance away.
    struct Bounds {
        int least, most, distance;
    };

    Bounds probe(const Word* state) const;
    Bounds probe_chain(const State& state) const;
    // Whether a win or loss so many plies away comes before the limits do.
    bool is_in_time(const State& state, int plies) const;

    const std::shared_ptr<const CheckersGame> game_;
    const Rules& rules_;
    const endgame::Table& table_;
    std::array<int, 3> goals_;  // of the side to move where it loses, draws and wins
};

}  // namespace ludens::checkers
