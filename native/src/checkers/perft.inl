// Perft: how many games of English draughts there are of so many moves, a whole chain of captures being one.
//
// Positions of a level of the tree wait in a row. A vector of them is taken off at a time and all their children are
// appended to the row of the next level, which is emptied the same way whenever it is full: breadth first in bounded
// memory. So the only branches are on whether some of many positions has one more piece to move, and the leaves are
// counted a vector of their parents at a time, without being made. Positions in which a capture may lead to another
// are few and go by checkers/moves.hpp one by one. Included after a target is switched on.

#include "checkers/moves.hpp"

namespace ludens::checkers {
inline namespace LUDENS_ISA {

#include "checkers/lanes.hpp"

class GameCounter {
public:
    GameCounter(const Board& board, int depth) : rows_(static_cast<std::size_t>(depth) + 1) {
        if (board.turn == black) count_from(Side<black>::of(board), depth);
        else count_from(Side<red>::of(board), depth);
    }
    std::int64_t games() const { return games_; }

private:
    static constexpr int row_limit = 256;

    struct alignas(sizeof(V)) Row {
        Squares own[row_limit], others[row_limit], king[row_limit];
        int size = 0;

        bool full() const { return size > row_limit - lane_count; }
    };

    // Positions side by side, and what can move in them: jumps where there are some, else steps.
    template <Colour Turn> struct Sides {
        V own, others, king;
        V movers[direction_count];
        Mask jumping;
        unsigned chains = 0;  // lanes that are treated one by one
        bool kings;           // in some lane

        Sides(const Row& row, int at) {
            const int lanes = std::min(row.size - at, lane_count);
            own = keep(mask_of((1u << lanes) - 1), load(row.own + at));
            others = load(row.others + at);
            king = load(row.king + at);
            const V empty = ~(own | others), crowned = own & king;
            kings = bits_of(meets(crowned, crowned));
            V steps[direction_count], jumps[direction_count], jumpers{}, origins{}, land{};
            const auto look = [&]<int D>(V pieces) {
                steps[D] = pieces & back<D>(empty);
                const V from = back<D>(back<english.beyond(D)>(empty) & others);
                jumps[D] = pieces & from;
                jumpers |= jumps[D];
                return from;
            };
            constexpr int first = first_forward(Turn);
            origins = look.template operator()<first>(own) | look.template operator()<first + 1>(own);
            land = landing<first>(jumps[first]) | landing<first + 1>(jumps[first + 1]);
            if (kings) {
                look.template operator()<opposite(first)>(crowned),
                    look.template operator()<opposite(first + 1)>(crowned);
                land |= crowned & jumpers;
                origins |= crowned & jumpers;
            }
            jumping = meets(jumpers, jumpers);
            chains = bits_of(meets(land, origins));
            const Mask here = without(mask_of((1u << lane_count) - 1), mask_of(chains));
            for (int d = 0; d < direction_count; ++d)
                if (kings || d / 2 == first / 2) movers[d] = keep(here, pick(jumping, jumps[d], steps[d]));
        }

        Side<Turn> operator[](int lane) const { return {own[lane], others[lane], king[lane]}; }

        // Where jumps of these pieces end.
        template <int D> V landing(V from) const { return step<english.beyond(D)>(step<D>(from) & others); }
    };

    static V load(const Squares* from) {
        V v;
        std::memcpy(&v, from, sizeof v);
        return v;
    }

    // The neighbours of every lane's set in a direction, and the squares of which these are the neighbours.
    template <int D> static V step(V from) {
        constexpr auto& shifts = english.shifts(D);
        V to = rotate<shifts[0].by>(from & shifts[0].from);
        if constexpr (shifts[1].from != 0) to |= rotate<shifts[1].by>(from & shifts[1].from);
        static_assert(shifts[2].from == 0);
        return to;
    }
    template <int D> static V back(V to) { return step<opposite(D)>(to); }

    template <Colour Turn> void count_from(Side<Turn> root, int depth) {
        push(root, depth);
        for (int d = depth; d > 0; --d) d % 2 == depth % 2 ? empty<Turn>(d) : empty<opponent(Turn)>(d);
    }

    // Takes everything off the row of positions with so many moves to come.
    template <Colour Turn> void empty(int depth) {
        Row& row = rows_[depth];
        V leaves{};
        for (int at = 0; at < row.size; at += lane_count)
            if (depth == 1) leaves += count_leaves(Sides<Turn>(row, at));
            else expand(Sides<Turn>(row, at), depth - 1);
        for (int lane = 0; lane < lane_count; ++lane) games_ += leaves[lane];
        row.size = 0;
    }

    template <Colour Turn> void push(Side<Turn> s, int depth) {
        Row& row = rows_[depth];
        row.own[row.size] = s.own;
        row.others[row.size] = s.others;
        row.king[row.size] = s.king;
        ++row.size;
        if (row.full()) empty<Turn>(depth);
    }

    template <Colour Turn, class Look> [[gnu::always_inline]] static void each_way(const Sides<Turn>& s, Look look) {
        constexpr int first = first_forward(Turn);
        look.template operator()<first>();
        look.template operator()<first + 1>();
        if (s.kings) {
            look.template operator()<opposite(first)>();
            look.template operator()<opposite(first + 1)>();
        }
    }

    template <Colour Turn> [[gnu::always_inline]] V count_leaves(const Sides<Turn>& s) {
        V leaves{};
        each_way(s, [&]<int D>() { leaves += checkers::count(s.movers[D]); });
        for (unsigned rest = s.chains; rest; rest &= rest - 1) games_ += child_count(s[std::countr_zero(rest)]);
        return leaves;
    }

    // Appends all children to the row of this depth.
    template <Colour Turn> [[gnu::always_inline]] void expand(const Sides<Turn>& s, int depth) {
        Row& row = rows_[depth];
        each_way(s, [&]<int D>() {
            V rest = s.movers[D];
            for (Mask some = meets(rest, rest); bits_of(some); some = meets(rest, rest)) {
                const V from = rest & -rest, beside = step<D>(from);
                const V captured = keep(s.jumping, beside);
                const V to = pick(s.jumping, step<english.beyond(D)>(beside), beside);
                const V crowned = pick(meets(s.king, from), to, to & english.crown(Turn));
                append(some, s.others & ~captured, row.own + row.size);
                append(some, (s.own ^ from) | to, row.others + row.size);
                append(some, (s.king & ~(from | captured)) | crowned, row.king + row.size);
                row.size += std::popcount(bits_of(some));
                if (row.full()) empty<opponent(Turn)>(depth);
                rest ^= from;
            }
        });
        for (unsigned rest = s.chains; rest; rest &= rest - 1)
            children(s[std::countr_zero(rest)], [&](Side<opponent(Turn)> child) { push(child, depth); });
    }

    std::vector<Row> rows_;  // by moves to come
    std::int64_t games_ = 0;
};

std::int64_t perft(const Board& board, int depth) { return GameCounter(board, depth).games(); }

}  // namespace LUDENS_ISA
}  // namespace ludens::checkers
