// Positions of Tak side by side, an array of lanes for everything that is known of them. Included after a target is
// switched on.
//
// Stacks are cut into planes: plane k has for every square the owner of the k-th piece from the top, and for a stack of
// k pieces a one that ends it, as in a state of TakGame. So pieces are taken from a stack, or put on it, by moving its
// square to other planes, in all games at once and whatever squares these are.

// The vectors in whose lanes boards of N × N squares fit, and steps on them.
template <int N> struct LaneBoard {
    using Cell = std::conditional_t<(N * N <= 16), std::uint16_t,
                                    std::conditional_t<(N * N <= 32), std::uint32_t, std::uint64_t>>;
    using L = Lanes<Cell>;
    using V = typename L::V;
    using Mask = typename L::Mask;
    using Board = Geometry<N>;

    static V squares(Word set) { return L::all(static_cast<Cell>(set)); }

    // The squares that have one of a set beside them in a direction.
    template <int D> static V before(V set) {
        if constexpr (D == 0) return set >> N;
        else if constexpr (D == 1) return (set << N) & squares(Board::all);
        else if constexpr (D == 2) return (set & squares(Board::all & ~Board::right)) << 1;
        else return (set & squares(Board::all & ~Board::left)) >> 1;
    }

    template <class Visit> [[gnu::always_inline]] static void each_direction(Visit visit) {
        visit.template operator()<0>();
        visit.template operator()<1>();
        visit.template operator()<2>();
        visit.template operator()<3>();
    }
};

// What one lane holds, as its entries in a block.
template <int N> struct LaneState {
    using Cell = typename LaneBoard<N>::Cell;
    static constexpr int most_planes = 8 * sizeof(typename Position<N>::Owners);

    explicit LaneState(const Position<N>& p)
        : walls(static_cast<Cell>(p.walls)), capstones(static_cast<Cell>(p.capstones)), ply(static_cast<Cell>(p.ply)) {
        using Owners = typename Position<N>::Owners;
        for (int square = 0; square < N * N; ++square) {
            const Owners stack = p.owners[square] | Owners{1} << p.height[square];
            const auto bit = static_cast<Cell>(Cell{1} << square);
            for (int k = 0; k <= p.height[square]; ++k)
                if (stack >> k & 1) planes[k] |= bit;
            for (int pieces = 1; pieces <= std::min<int>(p.height[square], N); ++pieces) at_least[pieces] |= bit;
            depth = std::max(depth, p.height[square] + 1);
        }
        for (int player = 0; player < 2; ++player) {
            flats[player] = static_cast<Cell>(p.reserve[player].flats);
            capstones_left[player] = static_cast<Cell>(p.reserve[player].capstones);
        }
    }

    std::array<Cell, most_planes> planes{};
    std::array<Cell, N + 1> at_least{};
    int depth = 0;
    Cell walls, capstones, ply;
    std::array<Cell, 2> flats{}, capstones_left{};
};

// A move: the square on which a piece is placed, or from which some go, as a bit; and a code, the kind of the piece, or
// the direction from 1 with the way to drop (see tak/spreads.hpp) in the N bits below it.
template <int N> struct MoveCode {
    using Board = Geometry<N>;

    Word square, code;

    static MoveCode of(int number) {
        const auto bit = [](int square) { return Word{1} << square; };
        if (number < Board::first_spread)
            return {bit(number % Board::squares), static_cast<Word>(number / Board::squares)};
        const int way = (number - Board::first_spread) >> N, drops = (number - Board::first_spread) & ((1 << N) - 1);
        return {bit(way / 4), static_cast<Word>((way % 4 + 1) << N | drops)};
    }

    int number() const {
        const int at = std::countr_zero(square), direction = static_cast<int>(code >> N) - 1;
        if (direction < 0) return Board::placement(static_cast<Kind>(code), at);
        return Board::spread(at, direction, static_cast<int>(code & ((1 << N) - 1)));
    }
};

// So many games of a machine.
template <int N> struct alignas(vector_bytes) Block {
    using Boards = LaneBoard<N>;
    using L = typename Boards::L;
    using Cell = typename Boards::Cell;
    using V = typename L::V;
    using Mask = typename L::Mask;
    static constexpr unsigned all_lanes = static_cast<unsigned>((std::uint64_t{1} << L::size) - 1);

    int depth = 0;  // planes in use: those from here on are empty
    unsigned finished = all_lanes, forced = 0;
    std::array<unsigned, 2> won{};
    bool fresh = false;                          // evaluate() has not seen what it holds
    std::array<V, N + 2> at_least{};             // by number, squares with so many pieces; at_least[N + 1] stays empty
    V walls{}, capstones{}, ply{};               // squares whose top piece is one; plies so far
    std::array<V, 2> flats{}, capstones_left{};  // by player
    V square{}, code{};                // of the last moves, see MoveCode; no square where the turn only passed
    V forced_square{}, forced_code{};  // of the moves that lanes in `forced` are to make next
    std::array<V, LaneState<N>::most_planes + N> planes{};

    V taken() const { return at_least[1]; }
    V own(int player) const { return player ? planes[0] & taken() : ~planes[0] & taken(); }

    // Writes a position to the lanes of a set.
    void write(unsigned lanes, const LaneState<N>& s) {
        const Mask m = L::mask_of(lanes);
        each_entry(s, [&](V& entry, Cell value) { entry = L::blend(m, L::all(value), entry); });
    }
    void write_one(int lane, const LaneState<N>& s) {
        each_entry(s, [&](V& entry, Cell value) { entry[lane] = value; });
    }

    // Moves that some lanes are to make.
    [[gnu::always_inline]] void choose(unsigned lanes, V squares, V codes) {
        const Mask m = L::mask_of(lanes);
        square = L::blend(m, squares, square);
        code = L::blend(m, codes, code);
    }

    // Writes the words of a state of TakGame.
    void read(int lane, Word* words) const {
        constexpr int per_stack = sizeof(typename Position<N>::Owners) / sizeof(Word);
        words[0] = own(0)[lane];
        words[1] = own(1)[lane];
        words[2] = walls[lane];
        words[3] = capstones[lane];
        const auto field = [&](const V& value, int at) { return Word{value[lane]} << at; };
        words[4] = field(ply, 0) | field(flats[0], 16) | field(capstones_left[0], 24) | field(flats[1], 32) |
                   field(capstones_left[1], 40);
        std::fill_n(words + 5, N * N * per_stack, 0);
        for (int k = 0; k < depth; ++k)
            for (Word rest = planes[k][lane]; rest; rest &= rest - 1)
                words[5 + std::countr_zero(rest) * per_stack + k / 64] |= Word{1} << k % 64;
    }

private:
    // set(entry, value of a state in it).
    template <class Set> [[gnu::always_inline]] void each_entry(const LaneState<N>& s, Set set) {
        depth = std::max(depth, s.depth);
        for (int k = 0; k < depth; ++k) set(planes[k], s.planes[k]);
        for (int pieces = 1; pieces <= N; ++pieces) set(at_least[pieces], s.at_least[pieces]);
        set(walls, s.walls);
        set(capstones, s.capstones);
        set(ply, s.ply);
        for (int player = 0; player < 2; ++player) {
            set(flats[player], s.flats[player]);
            set(capstones_left[player], s.capstones_left[player]);
        }
    }
};
