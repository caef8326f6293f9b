// What threats and patterns tell a tree search of a position of gomoku.
//
// A side wins that has a win by threats. It loses if the other side would have one even if it moved again, and still has
// one after each answer that might undo that win (ThreatSearch::relevant). Both are looked for among few positions, so
// that much is found and nothing wrong, at the cost of some random games.
#pragma once

#include <cstdint>
#include <span>

#include "base/insight.hpp"
#include "gomoku/game.hpp"
#include "gomoku/patterns.hpp"
#include "gomoku/threats.hpp"

namespace ludens::gomoku {

class GomokuInsight final : public Insight {
public:
    // The game must outlive it.
    explicit GomokuInsight(const GomokuGame& game);

    int find(const Word* state, int* goals) override;
    void rank(const Word* state, std::span<float> moves) override;

private:
    int steps_of_win(const Position& position);
    int steps_of_loss(const Position& position);

    const GomokuGame& game_;
    ThreatSearch threats_;
    Patterns patterns_;
};

}  // namespace ludens::gomoku
