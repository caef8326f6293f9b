// The moves that each lane has made since it was loaded, for machines that make them one lane at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "base/machine.hpp"

namespace ludens {

class NotedMoves {
public:
    // See Machine::note_moves().
    void note(const Game& game, int lanes, bool wanted) {
        wanted_ = wanted;
        if (!wanted) return;
        words_ = static_cast<std::size_t>(game.move_words());
        firsts_.clear();
        int first = 0;
        for (const int moves : game.moves()) firsts_.push_back(first), first += moves;
        sets_.assign(static_cast<std::size_t>(lanes) * words_, 0);
    }
    bool wanted() const { return wanted_; }

    void forget(int lane) {
        if (wanted_) std::fill_n(of(lane), words_, 0);
    }
    // The same for a bit set of lanes.
    void forget(std::span<const Word> lanes) {
        for (std::size_t w = 0; wanted_ && w < lanes.size(); ++w)
            for (Word rest = lanes[w]; rest; rest &= rest - 1)
                forget(static_cast<int>(w) * 64 + std::countr_zero(rest));
    }
    // A joint move, -1 for none.
    void add(int lane, std::span<const int> moves) {
        for (std::size_t r = 0; r < moves.size(); ++r) {
            const int move = firsts_[r] + moves[r];
            if (moves[r] >= 0) of(lane)[move / 64] |= Word{1} << (move % 64);
        }
    }
    void read(std::span<const int> lanes, Word* out) {
        for (const int lane : lanes) out = std::copy_n(of(lane), words_, out);
    }

private:
    Word* of(int lane) { return sets_.data() + static_cast<std::size_t>(lane) * words_; }

    std::size_t words_ = 0;
    std::vector<int> firsts_;  // of each role's moves
    std::vector<Word> sets_;   // [lanes][words]
    bool wanted_ = false;
};

}  // namespace ludens
