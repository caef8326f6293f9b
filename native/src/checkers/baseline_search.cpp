#include "checkers/baseline_search.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "checkers/moves.hpp"

namespace ludens::checkers {
namespace {

constexpr int lost = -1000, man = 2, king_more = 1;

template <Colour Turn> int material(Side<Turn> s) {
    return man * (std::popcount(s.own) - std::popcount(s.others)) +
           king_more * (std::popcount(s.kings()) - std::popcount(s.others & s.king));
}

// For the side to move, within alpha and beta; sooner defeats are worse.
template <Colour Turn> int value(Side<Turn> s, int depth, int ply, int alpha, int beta) {
    if (depth <= 0 && !Captures<Turn>(s).any) return material(s);
    int best = lost + ply;
    children(s, [&](Side<opponent(Turn)> child) {
        if (best >= beta) return;
        best = std::max(best, -value(child, depth - 1, ply + 1, -beta, -std::max(alpha, best)));
    });
    return best;
}

int value(const Board& b, int depth, int ply) {
    return b.turn == black ? value(Side<black>::of(b), depth, ply, lost, -lost)
                           : value(Side<red>::of(b), depth, ply, lost, -lost);
}

class Root {
public:
    Root(const CheckersGame& game, std::uint64_t seed) : game_(game), random_(seed) {}

    // The best action of the side to move and what it is worth; the rest of a chain belongs to the same move.
    std::pair<int, int> best(const State& s, int depth, int ply) {
        std::pair<int, int> best{-1, lost + ply - 1};
        std::uint32_t equals = 0;
        game_.actions().each(s, [&](const Action& action) {
            const State next = game_.actions().play(s, action);
            const int worth =
                next.turn == s.turn ? this->best(next, depth, ply).second : -value(board(next), depth - 1, ply + 1);
            if (worth < best.second) return;
            equals = worth > best.second ? 1 : equals + 1;
            if (random_.below(equals) == 0) best = {game_.number(action), worth};
        });
        return best;
    }

private:
    Board board(const State& s) const {
        Word words[2];
        game_.encode(s, words);
        return {static_cast<Squares>(words[0]), static_cast<Squares>(words[0] >> 32), static_cast<Squares>(words[1]),
                s.turn};
    }

    const CheckersGame& game_;
    Random random_;
};

}  // namespace

int baseline_move(const CheckersGame& game, const Word* state, int depth, std::uint64_t seed) {
    if (!game.rules().english()) throw Error("the baseline plays English draughts with one jump a ply only");
    if (depth < 1) throw Error("depth must be at least 1");
    const int move = Root(game, seed).best(game.decode(state), depth, 0).first;
    if (move < 0) throw Error("there is no move");
    return move;
}

}  // namespace ludens::checkers
