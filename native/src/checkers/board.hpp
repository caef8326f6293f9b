// Checkers on bitboards: a position is three words and the turn, and a set of pieces moves by rotations.
//
// Bit 0 is the lower left playable square seen from black's side, half as many squares a row as there are files
// (four), rows upwards; on eight files black starts on 0x00000FFF and its men move up, red on 0xFFF00000 and its
// men move down. Black is the side UP of games/checkers/rules/parameters.py, whose directions these are: 0 up left, 1 up
// right, 2 down left, 3 down right.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <stdexcept>

namespace ludens::checkers {

using Squares = std::uint32_t;  // a set of squares

// The board turned round: square s becomes 31 - s.
inline Squares turned(Squares set) {
    set = (set & 0x55555555) << 1 | (set >> 1 & 0x55555555);
    set = (set & 0x33333333) << 2 | (set >> 2 & 0x33333333);
    set = (set & 0x0F0F0F0F) << 4 | (set >> 4 & 0x0F0F0F0F);
    return __builtin_bswap32(set);
}

constexpr int square_limit = 32, ranks = 8, direction_count = 4;

enum Colour : std::uint8_t { black, red };

struct Board {
    Squares black = 0x00000FFF, red = 0xFFF00000, king = 0;
    Colour turn = checkers::black;

    friend bool operator==(const Board&, const Board&) = default;
};

constexpr Squares bit(int square) { return Squares{1} << square; }
constexpr Colour opponent(Colour colour) { return colour == black ? red : black; }
constexpr int opposite(int direction) { return direction ^ 3; }
// The men of a colour move in this direction and in the one after it.
constexpr int first_forward(Colour colour) { return colour == black ? 0 : 2; }

// The number of every square, by file and rank, and what a direction is. Straight directions keep to a diagonal.
// Zigzag ones turn at every rank: 1 goes right from even ranks and left from odd ones, so that with four squares a
// row it is always << 4, and a jump is a step in one of them followed by a step in its neighbour, d ^ 1.
struct Layout {
    std::array<std::array<std::int8_t, ranks>, ranks> number{};  // [file][rank], -1 where nothing is played
    bool zigzag = false;
};

constexpr Layout rows_upwards(int files) {
    Layout layout{{}, true};
    for (int file = 0; file < ranks; ++file)
        for (int rank = 0; rank < ranks; ++rank)
            layout.number[file][rank] =
                static_cast<std::int8_t>((file + rank) % 2 ? -1 : rank * (files / 2) + file / 2);
    return layout;
}

// The topology of a board. The neighbours of a set in one direction are a few rotations of parts of it; which, is
// found by sorting the squares by how far their neighbour's number is from their own.
class Geometry {
public:
    static constexpr int most_shifts = 8;

    constexpr Geometry(int files, bool wrap_files, bool wrap_ranks, const Layout& layout) : zigzag_(layout.zigzag) {
        for (int file = 0; file < files; ++file)
            for (int rank = 0; rank < ranks; ++rank) {
                const int square = layout.number[file][rank];
                if (square < 0) continue;
                playable_ |= bit(square);
                if (rank == ranks - 1) crown_[black] |= bit(square);
                if (rank == 0) crown_[red] |= bit(square);
                for (int d = 0; d < direction_count; ++d) {
                    const int straight = zigzag_ && (rank + d / 2) % 2 == 0 ? d ^ 1 : d;
                    int x = file + (straight % 2 ? 1 : -1), y = rank + (straight < 2 ? 1 : -1);
                    if (wrap_files) x = (x + files) % files;
                    if (wrap_ranks) y = (y + ranks) % ranks;
                    if (x < 0 || x >= files || y < 0 || y >= ranks) continue;
                    add(d, square, layout.number[x][y]);
                }
            }
    }

    constexpr Squares playable() const { return playable_; }
    // Where a man of this colour is crowned.
    constexpr Squares crown(Colour colour) const { return crown_[colour]; }
    // The direction in which a jump goes on that began in this one.
    constexpr int beyond(int direction) const { return zigzag_ ? direction ^ 1 : direction; }

    // A part of a set, and the rotation to the left that takes it to its neighbours; the used ones come first.
    struct Shift {
        Squares from = 0;
        int by = 0;
    };
    constexpr const auto& shifts(int direction) const { return shifts_[direction]; }

    // The neighbours of a set.
    [[gnu::always_inline]] constexpr Squares step(int direction, Squares from) const {
        Squares to = 0;
        for (const Shift& s : shifts_[direction]) {
            if (!s.from) break;
            to |= std::rotl(from & s.from, s.by);
        }
        return to;
    }
    // Where jumps over some of `over` lead.
    [[gnu::always_inline]] constexpr Squares jump(int direction, Squares from, Squares over) const {
        return step(beyond(direction), step(direction, from) & over);
    }
    // Where jumps that lead to `to` begin.
    [[gnu::always_inline]] constexpr Squares jump_back(int direction, Squares to, Squares over) const {
        return step(opposite(direction), step(opposite(beyond(direction)), to) & over);
    }

private:
    constexpr void add(int direction, int square, int neighbour) {
        const int by = (neighbour - square + square_limit) % square_limit;
        for (Shift& shift : shifts_[direction]) {
            if (shift.from && shift.by != by) continue;
            shift = {shift.from | bit(square), by};
            return;
        }
        throw std::logic_error("checkers: a direction takes too many rotations");
    }

    bool zigzag_;
    Squares playable_ = 0;
    std::array<Squares, 2> crown_{};
    std::array<std::array<Shift, most_shifts>, direction_count> shifts_{};
};

}  // namespace ludens::checkers
