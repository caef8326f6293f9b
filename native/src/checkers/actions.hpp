// Legal actions and what they do, one state at a time, for all the family.
#pragma once

#include <algorithm>
#include <utility>

#include "checkers/rules.hpp"

namespace ludens::checkers {

class Actions {
public:
    explicit Actions(const Rules& rules)
        : rules_(rules), geometry_(rules.width, rules.wrap_files, rules.wrap_ranks, diagonals()) {}

    const Geometry& geometry() const { return geometry_; }

    // The jumps of a piece of `s`, were it on `at`: look(direction, captured piece, square it lands on).
    template <class Look> void jumps(const State& s, Squares at, bool king, Squares taken, Look&& look) const {
        const Squares empty = geometry_.playable() & ~(s.own | s.others);
        for (int d = 0; d < direction_count; ++d) {
            if (!king && d / 2 != s.turn) continue;
            const Squares over = geometry_.step(d, at) & s.others & ~taken;
            if (const Squares land = geometry_.step(d, over) & empty) look(d, over, land);
        }
    }

    // Chains of `least` to three jumps on the board as it stands: visit(action). A captured piece is in the way
    // until the chain is over, and is captured once.
    template <class Visit> void chains(const State& s, int least, Visit&& visit) const {
        const Squares empty = geometry_.playable() & ~(s.own | s.others);
        Squares able = 0;
        for (int d = 0; d < direction_count; ++d)
            able |= (d / 2 == s.turn ? s.own : s.own & s.king) & geometry_.jump_back(d, empty, s.others);
        for (; able; able &= able - 1) {
            Action action{able & -able, {}, 0};
            extend(s, action, action.from, 0, least, visit);
        }
    }

    // Every legal action of the side to move.
    template <class Visit> void each(const State& s, Visit&& visit) const {
        int most = 0;  // jumps
        chains_of_game(s, 1, [&](const Action& a) { most = std::max(most, a.jumps); });
        if (most == 0 || rules_.forcing == Forcing::none) steps(s, visit);
        if (most > 0) chains_of_game(s, rules_.forcing == Forcing::longest ? most : 1, visit);
    }

    // The state after an action of the side to move. An action that leaves the board changes nothing.
    State play(const State& s, const Action& action) const;

private:
    template <class Visit>
    void extend(const State& s, Action& action, Squares at, Squares taken, int least, Visit&& visit) const {
        jumps(s, at, action.from & s.king, taken, [&](int d, Squares over, Squares land) {
            action.ways[action.jumps++] = static_cast<std::uint8_t>(d);
            if (action.jumps >= least) visit(std::as_const(action));
            if (action.jumps < longest_chain) extend(s, action, land, taken | over, least, visit);
            --action.jumps;
        });
    }

    // Single jumps, of the piece in a chain if there is one, or chains where an action may hold several.
    template <class Visit> void chains_of_game(const State& s, int least, Visit&& visit) const {
        if (rules_.jumps == Jumps::up_to_three) return chains(s, least, visit);
        for (Squares rest = s.chain ? s.chain & s.own : s.own; rest; rest &= rest - 1) {
            const Squares from = rest & -rest;
            jumps(s, from, from & s.king, 0,
                  [&](int d, Squares, Squares) { visit(Action{from, {static_cast<std::uint8_t>(d)}, 1}); });
        }
    }

    template <class Visit> void steps(const State& s, Visit&& visit) const {
        if (s.chain) return;
        const Squares empty = geometry_.playable() & ~(s.own | s.others);
        for (Squares rest = s.own; rest; rest &= rest - 1) {
            const Squares from = rest & -rest;
            for (int d = 0; d < direction_count; ++d)
                if (((from & s.king) || d / 2 == s.turn) && (geometry_.step(d, from) & empty))
                    visit(Action{from, {static_cast<std::uint8_t>(d)}, 0});
        }
    }

    const Rules& rules_;
    Geometry geometry_;
};

}  // namespace ludens::checkers
