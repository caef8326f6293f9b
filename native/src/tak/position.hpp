// A position of Tak: its moves counted without being made, made, and how the game stands. Included after a target is
// switched on.
//
// Square `rank * N + file` is a bit of a word, and each stack a word of owners. Moves are numbered as in TakRules.number
// of games/tak/rules/parameters.py.
//
// Counting: of a stack of height one each free neighbour is one move, so that shifts of the set of all such stacks count
// them together. How many ways a higher one has follows from its height and from how far it is to the next wall or
// capstone, which is the nearest bit of a ray.

// The constants of a board of N × N squares.
template <int N> struct Geometry {
    static constexpr int squares = N * N;
    static constexpr Word all = squares == 64 ? ~Word{0} : (Word{1} << squares) - 1;
    static constexpr Word bottom = (Word{1} << N) - 1, top = bottom << (squares - N);
    static constexpr Word left = [] {
        Word file = 0;
        for (int rank = 0; rank < N; ++rank) file |= Word{1} << (rank * N);
        return file;
    }();
    static constexpr Word right = left << (N - 1);

    static constexpr std::array<int, 4> steps{N, -N, -1, 1};  // in the order of DIRECTIONS

    // The squares beside those of a set in a direction.
    template <int D> static constexpr Word beside(Word set) {
        if constexpr (D == 0) return set << N & all;
        else if constexpr (D == 1) return set >> N;
        else if constexpr (D == 2) return (set & ~left) >> 1;
        else return (set & ~right) << 1 & all;
    }
    static constexpr Word around(Word set) { return beside<0>(set) | beside<1>(set) | beside<2>(set) | beside<3>(set); }

    // How many squares there are from a square to the edge.
    static constexpr int to_edge(int square, int direction) {
        const int file = square % N, rank = square / N;
        const std::array<int, 4> lengths{N - 1 - rank, rank, file, N - 1 - file};
        return lengths[static_cast<std::size_t>(direction)];
    }
    static constexpr auto rays = [] {
        std::array<std::array<Word, 4>, squares> found{};
        for (int square = 0; square < squares; ++square)
            for (int d = 0; d < 4; ++d)
                for (int i = 1; i <= to_edge(square, d); ++i) found[square][d] |= Word{1} << (square + i * steps[d]);
        return found;
    }();

    // Numbers of moves.
    static constexpr int first_spread = 3 * squares, waiting = first_spread + squares * 4 * (1 << N);
    static constexpr int placement(Kind kind, int square) { return kind * squares + square; }
    static constexpr int spread(int square, int direction, int drops) {
        return first_spread + ((square * 4 + direction) << N | drops);
    }
};

template <int N> struct Position {
    using Board = Geometry<N>;
    // Bit i: whether the i-th piece from the top is player 1's. As many pieces as there are fit in.
    using Owners = std::conditional_t<N <= 6, std::uint64_t, unsigned __int128>;

    std::array<Word, 2> own{};      // by player, the squares whose top piece is theirs
    Word walls = 0, capstones = 0;  // the squares whose top piece is one
    Word tall = 0;                  // the squares with more than one piece
    std::array<Reserve, 2> reserve{reserves[N], reserves[N]};
    int ply = 0;
    std::array<std::uint8_t, Board::squares> height{};
    std::array<Owners, Board::squares> owners{};

    int turn() const { return ply % 2; }
    bool opening() const { return ply < 2; }  // when each player places a flat of the other one
    Word taken() const { return own[0] | own[1]; }
    Word blocking() const { return walls | capstones; }

    // How many pieces of a stack are player 1's.
    int pieces_of_1(int square) const {
        if constexpr (sizeof(Owners) == sizeof(Word)) return std::popcount(owners[square]);
        else
            return std::popcount(static_cast<Word>(owners[square])) +
                   std::popcount(static_cast<Word>(owners[square] >> 64));
    }

    // ---- Moves ----

    int placed_by() const { return opening() ? 1 - turn() : turn(); }

    // Which kinds can be placed.
    std::array<bool, 3> placeable() const {
        const Reserve& left = reserve[placed_by()];
        return {left.flats > 0, left.flats > 0 && !opening(), left.capstones > 0 && !opening()};
    }

    int count_moves() const {
        const auto kinds = placeable();
        int count = std::popcount(Board::all & ~taken()) * (kinds[flat] + kinds[wall] + kinds[capstone]);
        if (opening()) return count;
        const Word mine = own[turn()], single = mine & ~tall, open = Board::all & ~blocking();
        each_direction([&]<int D>() {
            count += std::popcount(Board::template beside<D>(single) & open);
            count += std::popcount(Board::template beside<D>(single & capstones) & walls);
        });
        each_tall(mine, [&](int square, int most) {
            each_direction([&]<int D>() { count += count_spreads<D>(square, most); });
        });
        return count;
    }

    // Returns the number of the move of a rank below count_moves().
    int nth_move(int rank) const {
        const auto kinds = placeable();
        const Word empty = Board::all & ~taken();
        const int places = std::popcount(empty);
        for (const Kind kind : {flat, wall, capstone}) {
            if (!kinds[kind]) continue;
            if (rank < places) return Board::placement(kind, nth_bit(empty, rank));
            rank -= places;
        }
        const Word mine = own[turn()], single = mine & ~tall, open = Board::all & ~blocking();
        int found = -1;
        const auto take = [&](Word targets, int step, int direction) {
            if (found >= 0) return;
            const int count = std::popcount(targets);
            if (rank < count) found = Board::spread(nth_bit(targets, rank) - step, direction, 1);
            rank -= count;
        };
        each_direction([&]<int D>() {
            take(Board::template beside<D>(single) & open, Board::steps[D], D);
            take(Board::template beside<D>(single & capstones) & walls, Board::steps[D], D);
        });
        if (found >= 0) return found;
        each_tall(mine, [&](int square, int most) {
            each_direction([&]<int D>() {
                if (found >= 0) return;
                each_list<D>(square, most, [&](const std::vector<Drops>& ways) {
                    const int count = static_cast<int>(ways.size());
                    if (found < 0 && rank < count) found = Board::spread(square, D, ways[rank]);
                    rank -= count;
                });
            });
        });
        return found;
    }

    // visit(number) for each move.
    template <class Visit> void each_move(Visit visit) const {
        const auto kinds = placeable();
        for (const Kind kind : {flat, wall, capstone})
            if (kinds[kind])
                for (Word rest = Board::all & ~taken(); rest; rest &= rest - 1)
                    visit(Board::placement(kind, std::countr_zero(rest)));
        if (opening()) return;
        for (Word rest = own[turn()]; rest; rest &= rest - 1)
            each_line_of(std::countr_zero(rest), [&](int square, int direction, const std::vector<Drops>& ways) {
                for (const Drops drops : ways) visit(Board::spread(square, direction, drops));
            });
    }

    // visit(square, direction, ways to drop) for the spreads of a stack, whoever is to move.
    template <class Visit> void each_line_of(int square, Visit visit) const {
        const int most = std::min<int>(height[square], N);
        each_direction([&]<int D>() {
            each_list<D>(square, most, [&](const std::vector<Drops>& ways) { visit(square, D, ways); });
        });
    }

    // Whether the side to move may make the move of this number, which may be any.
    bool allows(int number) const {
        if (number < 0 || number >= Board::waiting) return false;
        if (number < Board::first_spread)
            return placeable()[number / Board::squares] && !(taken() >> number % Board::squares & 1);
        const auto [square, direction, drops] = spread_of(number);
        if (opening() || !(own[turn()] >> square & 1)) return false;
        bool found = false;
        each_direction([&]<int D>() {
            if (D != direction) return;
            each_list<D>(square, std::min<int>(height[square], N), [&](const std::vector<Drops>& ways) {
                found |= std::ranges::find(ways, drops) != ways.end();
            });
        });
        return found;
    }

    void play(int number) {
        if (number < Board::first_spread) place(static_cast<Kind>(number / Board::squares), number % Board::squares);
        else {
            const auto [square, direction, drops] = spread_of(number);
            spread(square, Board::steps[direction], drops);
        }
        ++ply;
    }

    // ---- The end ----

    Outcome outcome(const Rules& rules) const {
        const int mover = 1 - turn();
        if (has_road(mover)) return won_by(mover);
        if (has_road(1 - mover)) return won_by(1 - mover);
        const auto empty = [](const Reserve& left) { return left.flats + left.capstones == 0; };
        if (taken() != Board::all && !empty(reserve[0]) && !empty(reserve[1]))
            return rules.ply_limit > 0 && ply >= rules.ply_limit ? Outcome::drawn : Outcome::open;
        const auto flats = [&](int player) { return std::popcount(own[player] & ~blocking()); };
        const int lead = 2 * (flats(0) - flats(1)) - rules.half_komi;
        return lead == 0 ? Outcome::drawn : won_by(lead < 0);
    }

    bool has_road(int player) const {
        const Word road = own[player] & ~walls;
        return joins(road, Board::bottom, Board::top) || joins(road, Board::left, Board::right);
    }

private:
    struct Spread {
        int square, direction, drops;
    };
    static Spread spread_of(int number) {
        const int way = (number - Board::first_spread) >> N;
        return {way / 4, way % 4, (number - Board::first_spread) & ((1 << N) - 1)};
    }

    static Outcome won_by(int player) { return player == 0 ? Outcome::won_by_0 : Outcome::won_by_1; }

    static bool joins(Word road, Word from, Word to) {
        if (!(road & to)) return false;
        Word reached = road & from, before = 0;
        while (reached != before) {
            before = reached;
            reached |= Board::around(reached) & road;
        }
        return reached & to;
    }

    template <class Visit> static void each_direction(Visit visit) {
        visit.template operator()<0>();
        visit.template operator()<1>();
        visit.template operator()<2>();
        visit.template operator()<3>();
    }

    // visit(square, most) for stacks of several pieces; at most so many of which are taken up.
    template <class Visit> void each_tall(Word mine, Visit visit) const {
        for (Word rest = mine & tall; rest; rest &= rest - 1) {
            const int square = std::countr_zero(rest);
            visit(square, std::min<int>(height[square], N));
        }
    }

    // How many squares a stack can pass, and whether a wall comes next.
    template <int D> std::pair<int, bool> reach(int square) const {
        const Word blocked = Board::rays[square][D] & blocking();
        if (!blocked) return {Board::to_edge(square, D), false};
        const int nearest = Board::steps[D] > 0 ? std::countr_zero(blocked) : 63 - std::countl_zero(blocked);
        return {(nearest - square) / Board::steps[D] - 1, walls >> nearest & 1};
    }

    // visit(ways to drop) of a stack in a direction.
    template <int D, class Visit> void each_list(int square, int most, Visit visit) const {
        const auto [far, before_wall] = reach<D>(square);
        visit(spreads().free(most, far));
        if (before_wall && capstones >> square & 1) visit(spreads().flattening(most, far));
    }

    template <int D> int count_spreads(int square, int most) const {
        int count = 0;
        each_list<D>(square, most, [&](const std::vector<Drops>& ways) { count += static_cast<int>(ways.size()); });
        return count;
    }

    static int nth_bit(Word set, int rank) {
        for (; rank > 0; --rank) set &= set - 1;
        return std::countr_zero(set);
    }

    void place(Kind kind, int square) {
        const int player = placed_by();
        const Word bit = Word{1} << square;
        own[player] |= bit;
        height[square] = 1;
        owners[square] = static_cast<Owners>(player);
        if (kind == wall) walls |= bit;
        if (kind == capstone) capstones |= bit;
        --(kind == capstone ? reserve[player].capstones : reserve[player].flats);
    }

    void spread(int square, int step, int drops) {
        const Word from = Word{1} << square;
        const bool is_wall = walls & from, is_capstone = capstones & from;
        const int carried = std::bit_width(static_cast<unsigned>(drops));
        const Owners pieces = owners[square];
        walls &= ~from;
        capstones &= ~from;
        owners[square] = pieces >> carried;
        height[square] = static_cast<std::uint8_t>(height[square] - carried);
        show_top(square);
        int at = square, left = carried;  // pieces in the hand, the lowest of which falls first
        for (int rest = drops; rest; rest &= rest - 1) {
            const int last = std::countr_zero(static_cast<unsigned>(rest)), count = last + 1 - (carried - left);
            at += step;
            left -= count;
            owners[at] = owners[at] << count | (pieces >> left & ((Owners{1} << count) - 1));
            height[at] = static_cast<std::uint8_t>(height[at] + count);
            show_top(at);
        }
        const Word to = Word{1} << at;
        walls &= ~to;
        if (is_wall) walls |= to;
        if (is_capstone) capstones |= to;
    }

    // Enters a stack in the sets of squares.
    void show_top(int square) {
        const Word bit = Word{1} << square;
        const Word some = height[square] ? bit : 0, second = owners[square] & 1 ? bit : 0;
        own[0] = (own[0] & ~bit) | (some & ~second);
        own[1] = (own[1] & ~bit) | (some & second);
        tall = (tall & ~bit) | (height[square] > 1 ? bit : 0);
    }
};
