// The moves of Tak in many games at once: counted, and found by their rank. Included after a target is switched on.
//
// A stack of h pieces (of more than N, the upper N) that may go s squares in a direction has C(h, i) ways to leave
// pieces on exactly i <= s of them: the bits of a way to drop (see tak/spreads.hpp) are i of h. One whose top is a
// capstone may besides flatten a wall on its i-th square, in C(h - 1, i - 1) ways: the capstone goes there alone. So the
// number of moves of every square is a sum of products of small numbers, which is taken for all squares at once, as
// binary numbers whose digits are sets of squares. A rank among all moves then means a square, for each digit as many
// ranks as it counts; then a direction; then a number of squares; and then a way, by a table.

constexpr int binomial(int n, int k) {
    if (k < 0 || k > n) return 0;
    int value = 1;
    for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
    return value;
}

// The sets of i of N bits, ordered by i and then as numbers, so that those of the first h bits are the first of theirs.
template <int N> struct Ways {
    using L = typename LaneBoard<N>::L;
    using Cell = typename L::Cell;
    using V = typename L::V;

    // The number of the first one of so many bits.
    static constexpr int first(int bits) {
        int before = 0;
        for (int i = 0; i < bits; ++i) before += binomial(N, i);
        return before;
    }

    [[gnu::always_inline]] static V at(V numbers) {
#if defined(LUDENS_AVX512)
        if constexpr (L::bits == 16)
            return (V)_mm512_permutexvar_epi16((__m512i)numbers, _mm512_load_si512(table.data()));
        else if constexpr (L::bits == 32)
            return (V)_mm512_permutex2var_epi32(_mm512_load_si512(table.data()), (__m512i)numbers,
                                                _mm512_load_si512(table.data() + L::size));
        else return (V)_mm512_mask_i64gather_epi64(__m512i{}, 0xFF, (__m512i)numbers, table.data(), sizeof(Cell));
#elif defined(LUDENS_AVX2)
        if constexpr (L::bits == 16) {
            alignas(16) static constexpr auto bytes = [] {
                std::array<std::uint8_t, 16> low{};
                for (int i = 0; i < 16; ++i) low[i] = static_cast<std::uint8_t>(table[i]);
                return low;
            }();
            const __m256i sets = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i*)bytes.data()));
            return (V)_mm256_shuffle_epi8(sets, (__m256i)numbers);  // upper bytes become the empty set
        } else if constexpr (L::bits == 32) {
            return (V)_mm256_i32gather_epi32((const int*)table.data(), (__m256i)numbers, sizeof(Cell));
        } else {
            return (V)_mm256_i64gather_epi64((const long long*)table.data(), (__m256i)numbers, sizeof(Cell));
        }
#else
        V sets;
        for (int i = 0; i < L::size; ++i) sets[i] = table[numbers[i]];
        return sets;
#endif
    }

private:
    alignas(64) static constexpr auto table = [] {
        std::array<Cell, std::max(32, 1 << N)> sets{};
        int count = 0;
        for (int bits = 0; bits <= N; ++bits)
            for (unsigned set = 0; set < 1u << N; ++set)
                if (std::popcount(set) == bits) sets[count++] = static_cast<Cell>(set);
        return sets;
    }();
};

// The bit behind the last one of sets of up to N.
template <int N, class V> [[gnu::always_inline]] inline V bit_behind(V sets) {
    sets |= sets >> 1;
    sets |= sets >> 2;
    if constexpr (N > 4) sets |= sets >> 4;
    return sets + 1;
}

template <int N> class alignas(vector_bytes) LaneMoves {
    using Boards = LaneBoard<N>;
    using L = typename Boards::L;
    using Cell = typename L::Cell;
    using V = typename L::V;
    using Mask = typename L::Mask;
    static constexpr int digits = N + 1;  // a corner has up to 2 (2^N - 2) ways
    static constexpr bool with_capstones = reserves[N].capstones > 0;

public:
    void look_at(const Block<N>& b) {
        const Mask second = L::test(b.ply, L::all(1)), later = L::at_least(b.ply, L::all(2));
        const V turn = L::keep(second, L::all(static_cast<Cell>(~0)));
        mine_ = L::keep(later, b.taken() & ~(b.planes[0] ^ turn));
        empty_ = Boards::squares(Geometry<N>::all) & ~b.taken();
        for (int h = 1; h <= N; ++h) height_[h] = b.at_least[h];
        find_steps(b);
        find_kinds(b, second, later);
        count_by_square();
    }

    // How many moves there are.
    V count() const { return total_; }

    // Finds the squares of moves by ranks below the count, and returns their numbers among the moves of the square.
    V find(V rank, V& square) const {
        V set = moves_[0], left = rank, within = rank, weight = L::all(1), before{};
        for (int i = 0; i + 1 < digits; ++i) {
            before += L::count(moves_[i]) << i;
            const Mask beyond = L::at_least(rank, before);
            const V rest = rank - before;
            set = L::blend(beyond, moves_[i + 1], set);
            left = L::blend(beyond, rest, left);
            within = L::blend(beyond, rest >> (i + 1), within);
            weight = L::blend(beyond, L::all(static_cast<Cell>(2 << i)), weight);
        }
        square = L::member(set, within);
        V lower{};
        for (int i = 0; i + 1 < digits; ++i)
            lower = L::add(L::test(moves_[i], square), lower, L::all(static_cast<Cell>(1 << i)));
        weight -= 1;
        return (left & weight) + (lower & weight);
    }

    // The codes of these moves, see MoveCode.
    V codes(V square, V number) const {
        const Mask placed = L::test(empty_, square);
        V kind = number;
        if constexpr (with_capstones) kind = L::blend(has_flats_, number, L::all(capstone));
        return L::blend(placed, kind, spread(square, number));
    }

private:
    // free_[d][s]: the squares from which s steps in direction d are free. flattening_[d][s]: those from which s - 1
    // are, and the next one is a wall.
    [[gnu::always_inline]] void find_steps(const Block<N>& b) {
        const V open = Boards::squares(Geometry<N>::all) & ~(b.walls | b.capstones);
        const V topped = mine_ & b.capstones;
        Boards::each_direction([&]<int D>() __attribute__((always_inline)) {
            const V next = Boards::template before<D>(open);
            free_[D][1] = next;
            for (int s = 2; s < N; ++s) free_[D][s] = next & Boards::template before<D>(free_[D][s - 1]);
            if constexpr (with_capstones) {
                V walls = Boards::template before<D>(b.walls);
                flattening_[D][1] = walls & topped;
                for (int s = 2; s < N; ++s) {
                    walls = next & Boards::template before<D>(walls);
                    flattening_[D][s] = walls & topped;
                }
            }
        });
    }

    [[gnu::always_inline]] void find_kinds(const Block<N>& b, Mask second, Mask later) {
        const Mask of_second = L::differ(second, L::without(L::everywhere(), later));
        const V flats = L::blend(of_second, b.flats[1], b.flats[0]);
        has_flats_ = L::test(flats, flats);
        odd_kinds_ = L::without(has_flats_, later);
        two_kinds_ = L::both(has_flats_, later);
        if constexpr (with_capstones) {
            const V capstones = L::keep(later, L::blend(of_second, b.capstones_left[1], b.capstones_left[0]));
            odd_kinds_ = L::differ(odd_kinds_, L::test(capstones, capstones));
        }
    }

    // Adds for every stack the product of how many directions there are, in which it may go i squares, and of its ways.
    [[gnu::always_inline]] void count_by_square() {
        V exactly[N + 1];
        for (int h = 1; h < N; ++h) exactly[h] = mine_ & height_[h] & ~height_[h + 1];
        exactly[N] = mine_ & height_[N];
        LaneSum<L, digits> sum;
        each_length<1>([&]<int S>() __attribute__((always_inline)) {
            add_products<S, 0>(sum, free_, exactly);
            if constexpr (with_capstones) add_products<S, 1>(sum, flattening_, exactly);
        });
        moves_ = sum.digits();
        moves_[0] |= L::keep(odd_kinds_, empty_);
        moves_[1] |= L::keep(two_kinds_, empty_);
        total_ = L::count(moves_[0]);
        for (int i = 1; i < digits; ++i) total_ += L::count(moves_[i]) << i;
    }

    // The same for S squares and ways of C(h - Less, S - Less).
    template <int S, int Less>
    [[gnu::always_inline]] static void add_products(LaneSum<L, digits>& sum, const V (&ways)[4][N],
                                                    const V (&exactly)[N + 1]) {
        V directions[3];
        const V up = ways[0][S], down = ways[1][S], left = ways[2][S], right = ways[3][S];
        constexpr int count = 2 * S > N - 1 ? 2 : 3;  // far squares lie up or down alone
        if constexpr (count == 2) {
            const V along = up | down, across = left | right;
            directions[0] = along ^ across;
            directions[1] = along & across;
        } else {
            const V three = L::parity(up, down, left), carry = L::majority(up, down, left), fourth = three & right;
            directions[0] = three ^ right;
            directions[1] = carry ^ fourth;
            directions[2] = carry & fourth;
        }
        each_digit<0, digits>([&]<int Digit>() __attribute__((always_inline)) {
            constexpr auto has = [](int h) { return binomial(h - Less, S - Less) >> Digit & 1; };
            constexpr bool needed = [&] {
                for (int h = 1; h <= N; ++h)
                    if (has(h)) return true;
                return false;
            }();
            if constexpr (needed) {
                V stacks{};
                for (int h = 1; h <= N; ++h)
                    if (has(h)) stacks |= exactly[h];
                sum.template add<Digit>(directions[0] & stacks);
                sum.template add<Digit + 1>(directions[1] & stacks);
                if constexpr (count == 3) sum.template add<Digit + 2>(directions[2] & stacks);
            }
        });
    }

    // The code of a spread.
    [[gnu::always_inline]] V spread(V square, V number) const {
        V ways[N], flattening[N];  // of the stack, by squares
        count_ways(square, ways, flattening);
        Mask further = L::everywhere(), flattens{};
        V direction = L::all(1);
        for (int d = 0; d < 4; ++d) {
            V count{};
            for (int s = 1; s < N; ++s) count = L::add(L::test(free_[d][s], square), count, ways[s]);
            const Mask beyond_free = L::both(further, L::at_least(number, count));
            if constexpr (with_capstones)
                for (int s = 1; s < N; ++s) count = L::add(L::test(flattening_[d][s], square), count, flattening[s]);
            further = L::both(further, L::at_least(number, count));
            if constexpr (with_capstones) flattens = L::either(flattens, L::without(beyond_free, further));
            if (d == 3) break;
            number = L::subtract(further, number, count);
            direction = L::add(further, direction, L::all(1));
        }
        return direction << N | drops(number, ways, flattens);
    }

    [[gnu::always_inline]] void count_ways(V square, V (&ways)[N], V (&flattening)[N]) const {
        for (int s = 1; s < N; ++s) ways[s] = flattening[s] = V{};
        for (int h = 1; h <= N; ++h) {
            const Mask high = L::test(height_[h], square);
            for (int s = 1; s < N && s <= h; ++s) {
                const auto more = [&](int less) {
                    return binomial(h - less, s - less) - binomial(h - less - 1, s - less);
                };
                ways[s] = L::add(high, ways[s], L::all(static_cast<Cell>(more(0))));
                if (with_capstones && more(1))
                    flattening[s] = L::add(high, flattening[s], L::all(static_cast<Cell>(more(1))));
            }
        }
    }

    // The way to drop of a number among those in a direction.
    [[gnu::always_inline]] static V drops(V number, const V (&ways)[N], Mask flattens) {
        Mask further = L::everywhere();
        V entry = L::all(Ways<N>::first(1)), shorter = L::all(1);
        for (int s = 1; s + 1 < N; ++s) {
            further = L::both(further, L::at_least(number, ways[s]));
            number = L::subtract(further, number, ways[s]);
            entry = L::add(further, entry, L::all(binomial(N, s)));
            if constexpr (with_capstones) shorter = L::blend(further, L::all(binomial(N, s)), shorter);
        }
        if constexpr (with_capstones) entry = L::subtract(flattens, entry, shorter);
        const V sets = Ways<N>::at(entry + number);
        if constexpr (with_capstones) return L::blend(flattens, sets | bit_behind<N>(sets), sets);
        return sets;
    }

    template <int S, class Visit> [[gnu::always_inline]] static void each_length(Visit visit) {
        if constexpr (S < N) {
            visit.template operator()<S>();
            each_length<S + 1>(visit);
        }
    }
    template <int I, int End, class Visit> [[gnu::always_inline]] static void each_digit(Visit visit) {
        if constexpr (I < End) {
            visit.template operator()<I>();
            each_digit<I + 1, End>(visit);
        }
    }

    V mine_, empty_;  // stacks of who is to move, none in the opening; empty squares
    V height_[N + 1];
    V free_[4][N], flattening_[4][N];
    Mask has_flats_, odd_kinds_, two_kinds_;
    std::array<V, digits> moves_;  // of every square
    V total_;
};
