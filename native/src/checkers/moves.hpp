// The moves of English draughts: steps and whole chains of captures, from a board to its children.
//
// A mover is a piece that can be reached backwards from an empty square, so all pieces together are tried by a few
// operations. Captures are compulsory and followed to the end of the chain; a man that is crowned stops. Boards
// are values: nothing is changed and nothing allocated. Positions without kings, and captures that end after one
// jump, have a quick way; chains are followed one by one.
//
// Everything is a template over the side to move, so that directions and masks are constants. All of it is in a
// namespace of the instruction set it is compiled for, so that one build can hold several; `plain` is the usual one.
#pragma once

#include "checkers/board.hpp"

#if !defined(LUDENS_ISA)
#define LUDENS_ISA plain
#endif

namespace ludens::checkers {
inline namespace LUDENS_ISA {

inline constexpr Geometry english{8, false, false, rows_upwards(8)};

// A board from the mover's side.
template <Colour Turn> struct Side {
    Squares own, others, king;

    static Side of(const Board& b) {
        return Turn == black ? Side{b.black, b.red, b.king} : Side{b.red, b.black, b.king};
    }
    Board board() const { return Turn == black ? Board{own, others, king, Turn} : Board{others, own, king, Turn}; }
    Squares empty() const { return ~(own | others); }
    Squares kings() const { return own & king; }
};

// Calls look(direction) for the directions of men, which are the first two, or of kings.
template <Colour Turn, bool King, class Look> [[gnu::always_inline]] inline void each_direction(Look&& look) {
    constexpr int first = first_forward(Turn);
    look(first);
    look(first + 1);
    if constexpr (King) {
        look(opposite(first));
        look(opposite(first + 1));
    }
}

// Pieces that can capture, by direction of their first jump, and whether some jump could lead to another.
template <Colour Turn> struct Captures {
    Squares by[direction_count] = {}, any = 0;
    bool chains = false;

    explicit Captures(Side<Turn> s) {
        const Squares empty = s.empty(), kings = s.kings();
        constexpr int first = first_forward(Turn);
        const Squares left = english.jump_back(first, empty, s.others);
        const Squares right = english.jump_back(first + 1, empty, s.others);
        by[first] = left & s.own;
        by[first + 1] = right & s.own;
        any = by[first] | by[first + 1];
        if (kings) {
            for (int d = opposite(first + 1); d <= opposite(first); ++d)
                any |= by[d] = kings & english.jump_back(d, empty, s.others);
        }
        const Squares land =
            english.jump(first, by[first], s.others) | english.jump(first + 1, by[first + 1], s.others);
        chains = (land & (left | right)) | (kings & any);
    }
};

// Where steps come from: look(direction, pieces that can step that way).
template <Colour Turn, class Look> [[gnu::always_inline]] inline void steppers(Side<Turn> s, Look&& look) {
    const auto from = [&](int d, Squares pieces) { look(d, pieces & english.step(opposite(d), s.empty())); };
    constexpr int first = first_forward(Turn);
    from(first, s.own);
    from(first + 1, s.own);
    if (const Squares kings = s.kings()) {
        from(opposite(first), kings);
        from(opposite(first + 1), kings);
    }
}

// The jumps of a piece whose own square counts as empty: look(square it lands on, captured piece).
template <Colour Turn, bool King, class Look>
[[gnu::always_inline]] inline void jumps(Squares piece, Squares others, Squares empty, Look&& look) {
    each_direction<Turn, King>([&](int d) {
        const Squares over = english.step(d, piece) & others;
        if (const Squares land = english.step(english.beyond(d), over) & empty) look(land, over);
    });
}

// Follows the chains of one capturing piece: visit(square it ends on, captured pieces), once for every path.
template <Colour Turn, bool King, class Visit>
bool follow(Squares piece, Squares others, Squares empty, Squares captured, Visit& visit) {
    bool went_on = false;
    jumps<Turn, King>(piece, others, empty, [&](Squares land, Squares over) {
        went_on = true;
        const bool crowned = !King && (land & english.crown(Turn));
        if (crowned || !follow<Turn, King>(land, others & ~over, empty, captured | over, visit))
            visit(land, captured | over);
    });
    return went_on;
}

// All chains: visit(from, to, captured).
template <Colour Turn, class Visit> void follow_all(Side<Turn> s, Squares pieces, Visit& visit) {
    for (; pieces; pieces &= pieces - 1) {
        const Squares from = pieces & -pieces;
        const auto arrive = [&](Squares to, Squares captured) { visit(from, to, captured); };
        if (from & s.king) follow<Turn, true>(from, s.others, s.empty() | from, 0, arrive);
        else follow<Turn, false>(from, s.others, s.empty() | from, 0, arrive);
    }
}

// The position after a move from one square to another, from the other side.
template <Colour Turn>
[[gnu::always_inline]] inline Side<opponent(Turn)> after(Side<Turn> s, Squares from, Squares to, Squares captured) {
    const Squares crowned = s.king & from ? to : to & english.crown(Turn);
    return {s.others & ~captured, (s.own & ~from) | to, (s.king & ~(from | captured)) | crowned};
}

// visit(from, to, captured) for every move.
template <Colour Turn, class Visit> [[gnu::always_inline]] inline void moves(Side<Turn> s, Visit&& visit) {
    const Captures<Turn> captures(s);
    if (captures.chains && captures.any) return follow_all<Turn>(s, captures.any, visit);
    if (captures.any) {
        each_direction<Turn, false>([&](int d) {
            for (Squares rest = captures.by[d]; rest; rest &= rest - 1) {
                const Squares from = rest & -rest, over = english.step(d, from);
                visit(from, english.step(english.beyond(d), over), over);
            }
        });
        return;
    }
    steppers(s, [&](int d, Squares pieces) {
        for (; pieces; pieces &= pieces - 1) visit(pieces & -pieces, english.step(d, pieces & -pieces), Squares{0});
    });
}

// Visits every child; those that differ in the path alone are visited as often as there are paths.
template <Colour Turn, class Visit> [[gnu::always_inline]] inline void children(Side<Turn> s, Visit&& visit) {
    moves(s, [&](Squares from, Squares to, Squares captured) { visit(after(s, from, to, captured)); });
}

// How many children there are.
template <Colour Turn> [[gnu::always_inline]] inline int child_count(Side<Turn> s) {
    const Captures<Turn> captures(s);
    int count = 0;
    if (captures.chains && captures.any) {
        auto arrive = [&](Squares, Squares, Squares) { ++count; };
        follow_all<Turn>(s, captures.any, arrive);
    } else if (captures.any) {
        each_direction<Turn, false>([&](int d) { count += std::popcount(captures.by[d]); });
    } else {
        steppers(s, [&](int, Squares pieces) { count += std::popcount(pieces); });
    }
    return count;
}

}  // namespace LUDENS_ISA
}  // namespace ludens::checkers
