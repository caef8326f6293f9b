// Roads of Tak in many games at once. Included after a target is switched on.
//
// On up to four ranks no shortest road goes back, since the squares of its ways up, back and up again would be on five
// files, the neighbours of which would make it shorter. So there is one where what is joined to the first rank in the
// second meets what is joined to the last rank in the third, each by a fill along its rank. Larger boards are filled
// from one edge until nothing changes.

template <int N> class LaneRoads {
    using Boards = LaneBoard<N>;
    using L = typename Boards::L;
    using Cell = typename L::Cell;
    using V = typename L::V;
    using Mask = typename L::Mask;
    using Board = Geometry<N>;

public:
    // The lanes in which a set of squares joins opposite edges.
    [[gnu::always_inline]] static Mask in(V road) {
        if constexpr (N <= 4) return L::either(joins<N, 1>(road), joins<1, N>(road));
        else return L::either(fills(road, Board::bottom, Board::top), fills(road, Board::left, Board::right));
    }

private:
    // The squares of the i-th line across roads that go by steps of Step.
    template <int Step> static constexpr Word line(int i) {
        return Step == N ? Board::bottom << (i * N) : Board::left << i;
    }

    template <int Step, int Side> [[gnu::always_inline]] static Mask joins(V road) {
        const V second = Boards::squares(line<Step>(1)), last = Boards::squares(line<Step>(N - 2));
        V joined = (road << Step) & road & second;
        if constexpr (N == 4) joined |= (road >> Step) & road & last;
        // Fills lines by Side, one square further, and then two.
        const V onward = road & Boards::squares(Board::all & ~line<Side>(0)),
                back = road & Boards::squares(Board::all & ~line<Side>(N - 1));
        joined = L::join(joined, onward, joined << Side);
        joined = L::join(joined, onward & (onward << Side), joined << 2 * Side);
        joined = L::join(joined, back, joined >> Side);
        joined = L::join(joined, back & (back >> Side), joined >> 2 * Side);
        if constexpr (N == 4) return L::test(joined << Step & last, joined);
        else return L::test(joined << Step, road & Boards::squares(line<Step>(N - 1)));
    }

    [[gnu::always_inline]] static Mask fills(V road, Word from, Word to) {
        const V rightward = road & Boards::squares(Board::all & ~Board::left);
        const V leftward = road & Boards::squares(Board::all & ~Board::right);
        V reached = road & Boards::squares(from);
        while (true) {
            V more = L::join(reached, rightward, reached << 1);
            more = L::join(more, leftward, more >> 1);
            more = L::join(more, road, more << N);
            more = L::join(more, road, more >> N);
            if (!L::some(more ^ reached)) break;
            reached = more;
        }
        return L::test(reached, Boards::squares(to));
    }
};
