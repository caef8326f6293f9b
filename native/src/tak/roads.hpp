// Roads of Tak that are a move away, of either player and whoever is to move. Included after a target is switched on.
//
// A piece completes a road where the squares connected to one edge and those connected to the opposite edge are both
// next to it, or reach it. A spread of one piece adds a single square, which has to be such a one; a spread of several
// pieces adds squares of a line, and is only tried out where all of the line together would do.

template <int N> class Roads {
public:
    using Board = Geometry<N>;

    // The squares of `through` that are connected with `from` within `through`.
    static Word flood(Word from, Word through) {
        for (Word reached = from & through, before = 0;; before = reached, reached |= Board::around(reached) & through)
            if (reached == before) return reached;
    }

    // The squares, whatever stands there, any of which would make a road of a player's were it theirs.
    static Word joining(const Position<N>& p, int player) {
        const Word road = p.own[player] & ~p.walls;
        return between(road, Board::bottom, Board::top) | between(road, Board::left, Board::right);
    }

    // The empty squares among them.
    static Word completing(const Position<N>& p, int player) { return joining(p, player) & ~p.taken(); }

    // Whether a player has a flat or a capstone left.
    static bool can_place(const Position<N>& p, int player) {
        return p.reserve[player].flats + p.reserve[player].capstones > 0;
    }

    // The empty squares on which a player could complete a road, after the opening.
    static Word places(const Position<N>& p, int player) { return can_place(p, player) ? completing(p, player) : 0; }

    // A move with which a player would complete a road, were it their turn after the opening; -1: there is none.
    static int move(const Position<N>& p, int player) {
        const Word squares = joining(p, player);
        if (const Word empty = squares & ~p.taken(); empty && can_place(p, player))
            return Board::placement(p.reserve[player].flats > 0 ? flat : capstone, std::countr_zero(empty));
        int found = -1;
        for (Word rest = p.own[player]; rest && found < 0; rest &= rest - 1)
            p.each_line_of(std::countr_zero(rest), [&](int square, int direction, const std::vector<Drops>& ways) {
                if (found < 0 && !ways.empty() && may_complete(p, player, square, direction, squares))
                    found = completing_way(p, player, square, direction, ways);
            });
        return found;
    }

private:
    // The squares that join what is connected to one edge with what is connected to the other.
    static Word between(Word road, Word from, Word to) {
        const auto next_to = [&](Word edge) { return Board::around(flood(edge, road)) | edge; };
        return next_to(from) & next_to(to);
    }

    // Whether a spread of a stack in a direction may complete a road, going by the squares that it may reach.
    static bool may_complete(const Position<N>& p, int player, int square, int direction, Word joining) {
        const Word from = Word{1} << square;
        if (!(p.tall & from)) return !(p.walls & from) && joining >> (square + Board::steps[direction]) & 1;
        Word road = (p.own[player] & ~p.walls) | from;
        const int far = std::min<int>(p.height[square], Board::to_edge(square, direction));
        for (int i = 1; i <= far; ++i) road |= Word{1} << (square + i * Board::steps[direction]);
        return (flood(Board::bottom, road) & Board::top) || (flood(Board::left, road) & Board::right);
    }

    static int completing_way(const Position<N>& p, int player, int square, int direction,
                              const std::vector<Drops>& ways) {
        for (const Drops drops : ways) {
            Position<N> next = p;
            next.play(Board::spread(square, direction, drops));
            if (next.has_road(player)) return Board::spread(square, direction, drops);
        }
        return -1;
    }
};
