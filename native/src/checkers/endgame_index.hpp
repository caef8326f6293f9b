// Numbers the positions of English draughts with few pieces; there are gaps only where men would share a square.
//
// A position is seen by the side to move, which plays black: its men go up and are crowned on the last rank. With
// red to move the board is turned round, so that one number serves both colours. Positions of equal material make
// a slice. In it the men of both sides choose a block, and the kings, on the squares that men leave free, a place
// in the block. Sets of squares are numbered in colexicographic order (the combinatorial number system: the set
// s1 < s2 < ... has number C(s1,1) + C(s2,2) + ...), which needs no table as long as the number of positions.
//
// A king's step stays in its block, or rather in the block's mirror, where the other side is to move; whatever
// else moves leaves for a block with men further up, for a slice with more kings, or for one with fewer pieces.
// Thus blocks can be solved one after the other (checkers/endgame_retrograde.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "checkers/moves.hpp"

namespace ludens::endgame {

using checkers::Squares;
using checkers::turned;
using Position = checkers::Side<checkers::black>;  // from the side to move

constexpr int most_pieces = 6, man_squares = 28;

// A position of red's as one of black's.
inline Position seen_by_mover(const checkers::Side<checkers::red>& s) {
    return {turned(s.own), turned(s.others), turned(s.king)};
}
Position seen_by_mover(const checkers::Board& board);

// How many pieces of each kind there are.
struct Material {
    int men, kings, other_men, other_kings;

    int pieces() const { return men + kings + other_men + other_kings; }
    Material mirrored() const { return {other_men, other_kings, men, kings}; }
    friend bool operator==(const Material&, const Material&) = default;
};

Material material(const Position& p);

struct Slice {
    Material material;
    std::int64_t first;              // number of its first position
    std::int64_t other_men_choices;  // where the other side's men can stand
    std::int64_t blocks;
    std::int64_t other_kings_choices;
    std::int64_t block_size;

    std::int64_t size() const { return blocks * block_size; }
};

// Where men stand: those of the side to move, and the others'.
struct Men {
    Squares own, others;

    Squares all() const { return own | others; }
    Men mirrored() const { return {turned(others), turned(own)}; }
    bool possible() const { return (own & others) == 0; }
};

class Index {
public:
    // All positions with 2 to `pieces` pieces, at least one of each side. Error if it is not 2 to most_pieces.
    explicit Index(int pieces);

    int pieces() const { return pieces_; }
    std::int64_t size() const { return size_; }
    // In an order in which moves that leave a slice and its mirror lead to slices before both.
    std::span<const Slice> slices() const { return slices_; }
    const Slice& slice(const Material& m) const { return slices_[place_[key(m)]]; }

    // The position must have its material in the index, and no men where they would be kings.
    std::int64_t number(const Position& p) const;
    bool contains(const Position& p) const;
    Position position(const Slice& slice, std::int64_t number) const;

    Men men(const Slice& slice, std::int64_t block) const;
    std::int64_t block(const Slice& slice, const Men& men) const;
    // The place in its block of a position with these men.
    std::int64_t place(const Slice& slice, const Position& p) const;
    Position position(const Slice& slice, const Men& men, std::int64_t place) const;

private:
    static int key(const Material& m) {
        constexpr int base = most_pieces + 1;
        return ((m.men * base + m.kings) * base + m.other_men) * base + m.other_kings;
    }

    int pieces_;
    std::int64_t size_ = 0;
    std::vector<Slice> slices_;
    std::vector<int> place_;  // of a slice, by the key of its material
};

}  // namespace ludens::endgame
