// The moves that each lane has made since it was loaded, for machines that make them one lane at a time.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "base/machine.hpp"
#include "base/role_moves.hpp"

namespace ludens {

class NotedMoves {
public:
    // See Machine::note_moves().
    void note(const Game& game, int lanes, bool wanted) {
        wanted_ = wanted;
        if (!wanted) return;
        words_ = static_cast<std::size_t>(game.move_words());
        role_moves_.emplace(game.moves());
        sets_.assign(static_cast<std::size_t>(lanes) * words_, 0);
    }
    bool wanted() const { return wanted_; }

    void forget(int lane) {
        if (wanted_) std::fill_n(of(lane), words_, 0);
    }
    // The same for a bit set of lanes.
    void forget(std::span<const Word> lanes) {
        if (wanted_) each_bit(lanes, [this](int lane) { forget(lane); });
    }
    // A joint move, -1 for none.
    void add(int lane, std::span<const int> moves) {
        for (int role = 0; role < role_moves_->roles(); ++role)
            if (const int move = moves[static_cast<std::size_t>(role)]; move >= 0)
                set_bit(of(lane), role_moves_->first(role) + move);
    }
    void read(std::span<const int> lanes, Word* out) {
        for (const int lane : lanes) out = std::copy_n(of(lane), words_, out);
    }

private:
    Word* of(int lane) { return sets_.data() + static_cast<std::size_t>(lane) * words_; }

    std::size_t words_ = 0;
    std::optional<RoleMoves> role_moves_;
    std::vector<Word> sets_;  // [lanes][words]
    bool wanted_ = false;
};

}  // namespace ludens
