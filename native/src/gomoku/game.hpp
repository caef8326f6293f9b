// A game of the gomoku family, with a machine of its own.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/insight.hpp"
#include "base/machine.hpp"
#include "gomoku/rules.hpp"

namespace ludens::gomoku {

struct Position {
    std::array<Cells, 2> stones;  // of the side that moves first, and of the other
    int turn = 0;                 // the side to move

    bool taken(int cell) const { return stones[0][cell] || stones[1][cell]; }
};

// What a game has besides its rules.
struct Extras {
    bool threat_playouts = false;  // random games complete rows, and answer those about to be completed
    bool insight = false;          // searches are told of threats: gomoku/insight.hpp
};

// A state has a bit for each cell with a stone of the side that moves first, then for each with one of the other, and
// one that says that the other is to move. A move is the number of a cell, row by row; the last one is to wait.
class GomokuGame final : public Game, public InsightfulGame {
public:
    explicit GomokuGame(const Rules& rules, const Extras& extras = {});

    int state_bits() const override { return 2 * rules_.cells() + 1; }
    std::span<const int> moves() const override { return moves_; }
    std::span<const Word> initial() const override { return initial_; }
    bool constant_sum() const override { return rules_.constant_sum(); }
    std::unique_ptr<Machine> machine(const MachineOptions& options) const override;
    std::unique_ptr<Insight> insight() const override;

    const Rules& rules() const { return rules_; }
    const Rows& rows() const { return rows_; }
    bool threat_playouts() const { return extras_.threat_playouts; }

    Position decode(const Word* words) const;
    void encode(const Position& position, Word* words) const;

    int waiting() const { return rules_.cells(); }
    int role(int side) const { return side ^ rules_.first_role; }

private:
    Rules rules_;
    Rows rows_;
    Extras extras_;
    std::array<int, 2> moves_;
    std::vector<Word> initial_;
};

}  // namespace ludens::gomoku
