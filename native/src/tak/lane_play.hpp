// Makes the moves of Tak that were chosen in many games at once. Included after a target is switched on.

template <int N> class alignas(vector_bytes) LanePlay {
    using Boards = LaneBoard<N>;
    using L = typename Boards::L;
    using Cell = typename L::Cell;
    using V = typename L::V;
    using Mask = typename L::Mask;
    static constexpr bool with_capstones = reserves[N].capstones > 0;

public:
    explicit LanePlay(Block<N>& b) : b_(b) {}

    // Makes the moves of the lanes that are not finished.
    [[gnu::always_inline]] void operator()() {
        const Mask lanes = L::mask_of(~b_.finished);
        const V way = b_.code >> N;
        const Mask spread = L::both(lanes, L::test(way, way));
        const Mask placed = L::both(L::without(lanes, spread), L::test(b_.square, b_.square));
        for (int d = 0; d < 3; ++d) direction_[d] = L::equal(way, L::all(static_cast<Cell>(d + 1)));
        from_ = L::keep(spread, b_.square);
        drops_ = L::keep(spread, b_.code & ((1 << N) - 1));
        behind_ = L::keep(spread, bit_behind<N>(drops_));
        placed_on_ = L::keep(placed, b_.square);
        const Mask second = L::test(b_.ply, L::all(1)), later = L::at_least(b_.ply, L::all(2));
        const Mask of_second = L::differ(second, L::without(L::everywhere(), later));
        find_targets(L::both(placed, of_second));
        move_tops(placed, of_second);
        move_planes();
        find_heights();
        // Games that last longer than can be counted stay between the last two numbers.
        const Mask uncounted = L::both(lanes, L::at_least(b_.ply, L::all(highest_ply_limit)));
        b_.ply = L::subtract(uncounted, L::add(lanes, b_.ply, L::all(1)), L::all(2));
    }

private:
    // Finds where pieces come from and go, one after the other: first what is the lowest in the hand.
    [[gnu::always_inline]] void find_targets(Mask places_of_second) {
        V hand = L::keep(places_of_second, L::all(1));
        V at = placed_on_ | onward(from_);
        last_ = at;
        for (int i = 0; i < N; ++i) {
            const Mask taken = L::at_least(behind_, L::all(static_cast<Cell>(2 << i)));
            hand = L::add(taken, hand, hand);
            hand = L::add(L::both(taken, L::test(b_.planes[i], from_)), hand, L::all(1));
        }
        for (int i = 0; i < N; ++i) {
            target_[i] = at;
            if (i > 0) {
                const Mask ends = L::test(drops_, L::all(static_cast<Cell>(1 << (i - 1))));
                const Mask taken = L::at_least(behind_, L::all(static_cast<Cell>(2 << i)));
                at = L::blend(ends, onward(at), at);
                target_[i] = L::keep(taken, at);
                last_ = L::blend(taken, at, last_);
            }
            piece_[i] = L::keep(L::test(hand, L::all(static_cast<Cell>(1 << i))), target_[i]);
            lifted_[i] = L::keep(L::equal(behind_, L::all(static_cast<Cell>(2 << i))), from_);
        }
    }

    [[gnu::always_inline]] V onward(V at) const {
        V next = at << 1;
        next = L::template left<N>(direction_[0], next, at);
        next = L::template right<N>(direction_[1], next, at);
        return L::template right<1>(direction_[2], next, at);
    }

    // Walls, capstones and reserves.
    [[gnu::always_inline]] void move_tops(Mask placed, Mask of_second) {
        const Mask walled = L::either(L::test(b_.walls, from_), L::both(placed, L::equal(b_.code, L::all(wall))));
        b_.walls = (b_.walls & ~(from_ | last_)) | L::keep(walled, last_);
        if constexpr (with_capstones) {
            const Mask capped = L::both(placed, L::equal(b_.code, L::all(capstone)));
            const Mask topped = L::either(L::test(b_.capstones, from_), capped);
            b_.capstones = (b_.capstones & ~(from_ | last_)) | L::keep(topped, last_);
            take(b_.capstones_left, capped, of_second);
            placed = L::without(placed, capped);
        }
        take(b_.flats, placed, of_second);
    }

    static void take(std::array<V, 2>& left, Mask placed, Mask of_second) {
        left[0] = L::subtract(L::without(placed, of_second), left[0], L::all(1));
        left[1] = L::subtract(L::both(placed, of_second), left[1], L::all(1));
    }

    // Takes i + 1 pieces from the stacks of lifted_[i], and puts one on those of target_[i], for one i after the other.
    [[gnu::always_inline]] void move_planes() {
        V below[N];  // of each plane the one before, as it was when so many pieces had been put down
        for (int i = 0; i < N; ++i) below[i] = piece_[i];
        int k = 0;
        const auto move_plane = [&]() __attribute__((always_inline)) {
            V plane = b_.planes[k];
            for (int i = 0; i < N; ++i) plane = L::choose(lifted_[i], b_.planes[k + i + 1], plane);
            for (int i = 0; i < N; ++i) {
                const V moved = L::choose(target_[i], below[i], plane);
                below[i] = plane;
                plane = moved;
            }
            b_.planes[k++] = plane;
        };
        const auto pending = [&]() __attribute__((always_inline)) {
            V some{};
            for (int i = 0; i < N; ++i) some = L::join(some, below[i], target_[i]);
            return L::some(some);
        };
        while (k < b_.depth) move_plane();
        while (pending()) move_plane();
        while (k > 0 && !L::some(b_.planes[k - 1])) --k;
        b_.depth = k;
    }

    [[gnu::always_inline]] void find_heights() {
        V higher{};
        for (int k = b_.depth - 1; k > N; --k) higher |= b_.planes[k];
        for (int k = N; k > 0; --k) b_.at_least[k] = higher |= b_.planes[k];
    }

    Block<N>& b_;
    Mask direction_[3];
    V from_, drops_, behind_, placed_on_;
    V target_[N], piece_[N], lifted_[N];
    V last_;  // the square of the last piece
};
