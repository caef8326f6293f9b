#include "checkers/endgame_index.hpp"

#include <bit>

#include "base/machine.hpp"

namespace ludens::endgame {

namespace {

using checkers::bit;
using checkers::square_limit;

struct Binomials {
    std::array<std::array<std::int32_t, most_pieces + 1>, square_limit + 1> of{};

    constexpr Binomials() {
        for (int n = 0; n <= square_limit; ++n)
            for (int k = 0; k <= most_pieces; ++k) of[n][k] = k == 0 ? 1 : n == 0 ? 0 : of[n - 1][k - 1] + of[n - 1][k];
    }
};

constexpr Binomials binomials;

std::int64_t choose(int n, int k) { return binomials.of[n][k]; }

// Sets of each size in colexicographic order, which is that of the numbers they are written as.
std::array<std::vector<Squares>, most_pieces> sets_by_number() {
    std::array<std::vector<Squares>, most_pieces> sets;
    sets[0] = {0};
    for (int k = 1; k < most_pieces; ++k)
        for (std::uint64_t set = (1u << k) - 1; set >> square_limit == 0;) {
            sets[k].push_back(static_cast<Squares>(set));
            const std::uint64_t low = set & -set, carried = set + low;
            set = carried | ((set ^ carried) / low >> 2);
        }
    return sets;
}

Squares numbered_set(int size, std::int64_t number) {
    static const auto sets = sets_by_number();
    return sets[size][number];
}

// The number of a set among those of its size on the squares that are not `taken`.
std::int64_t number_of(Squares set, Squares taken) {
    std::int64_t sum = 0;
    for (int k = 1; set; set &= set - 1, ++k) {
        const int square = std::countr_zero(set);
        sum += choose(square - std::popcount(taken & (bit(square) - 1)), k);
    }
    return sum;
}

// The set on the squares that are not `taken` that has this number.
Squares set_of(int size, std::int64_t number, Squares taken) {
    Squares found = 0;
    for (Squares packed = numbered_set(size, number); packed; packed &= packed - 1) {
        int square = std::countr_zero(packed);
        for (Squares t = taken; t && std::countr_zero(t) <= square; t &= t - 1) ++square;
        found |= bit(square);
    }
    return found;
}

}  // namespace

Position seen_by_mover(const checkers::Board& board) {
    using checkers::Side;
    if (board.turn == checkers::black) return Side<checkers::black>::of(board);
    return seen_by_mover(Side<checkers::red>::of(board));
}

Material material(const Position& p) {
    const int own = std::popcount(p.own), kings = std::popcount(p.own & p.king);
    const int others = std::popcount(p.others), other_kings = std::popcount(p.others & p.king);
    return {own - kings, kings, others - other_kings, other_kings};
}

Index::Index(int pieces) : pieces_(pieces) {
    if (pieces < 2 || pieces > most_pieces) throw Error("an endgame table holds 2 to 6 pieces");
    place_.assign(key({most_pieces, most_pieces, most_pieces, most_pieces}) + 1, -1);
    for (int all = 2; all <= pieces; ++all)
        for (int men = 0; men <= all; ++men)
            for (int own = 1; own < all; ++own)
                for (int own_men = 0; own_men <= std::min(own, men); ++own_men) {
                    const Material m{own_men, own - own_men, men - own_men, all - own - (men - own_men)};
                    if (m.other_kings < 0) continue;
                    const int free = square_limit - men;
                    Slice slice{m, size_, choose(man_squares, m.other_men), 0, choose(free - m.kings, m.other_kings),
                                0};
                    slice.blocks = choose(man_squares, m.men) * slice.other_men_choices;
                    slice.block_size = choose(free, m.kings) * slice.other_kings_choices;
                    place_[key(m)] = static_cast<int>(slices_.size());
                    slices_.push_back(slice);
                    size_ += slice.size();
                }
}

bool Index::contains(const Position& p) const {
    const Squares men = ~p.king;
    return p.own && p.others && std::popcount(p.own | p.others) <= pieces_ && !(p.own & p.others) &&
           !(p.own & men & checkers::english.crown(checkers::black)) &&
           !(p.others & men & checkers::english.crown(checkers::red));
}

std::int64_t Index::number(const Position& p) const {
    const Slice& s = slice(material(p));
    return s.first + block(s, {p.own & ~p.king, p.others & ~p.king}) * s.block_size + place(s, p);
}

Position Index::position(const Slice& slice, std::int64_t number) const {
    const std::int64_t in_slice = number - slice.first;
    return position(slice, men(slice, in_slice / slice.block_size), in_slice % slice.block_size);
}

Men Index::men(const Slice& slice, std::int64_t block) const {
    return {numbered_set(slice.material.men, block / slice.other_men_choices),
            turned(numbered_set(slice.material.other_men, block % slice.other_men_choices))};
}

std::int64_t Index::block(const Slice& slice, const Men& men) const {
    return number_of(men.own, 0) * slice.other_men_choices + number_of(turned(men.others), 0);
}

std::int64_t Index::place(const Slice& slice, const Position& p) const {
    const Squares men = (p.own | p.others) & ~p.king, kings = p.own & p.king;
    return number_of(kings, men) * slice.other_kings_choices + number_of(p.others & p.king, men | kings);
}

Position Index::position(const Slice& slice, const Men& men, std::int64_t place) const {
    const Squares kings = set_of(slice.material.kings, place / slice.other_kings_choices, men.all());
    const Squares other_kings =
        set_of(slice.material.other_kings, place % slice.other_kings_choices, men.all() | kings);
    return {men.own | kings, men.others | other_kings, kings | other_kings};
}

}  // namespace ludens::endgame
