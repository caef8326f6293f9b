// Actions of two or three jumps on vectors of boards: how many there are, and the one of a given rank.
//
// Few lanes have such actions, so these are brought together from all blocks of a machine and treated a vector at a
// time, when all blocks are done. Boards are turned so that who moves moves up: men then have two ways to go, and
// only kings the others. The few in which a third jump may follow are brought together once more.
//
// Included inside the namespace of one instruction set, after checkers/directions.hpp.
#pragma once

// A way is two bits a direction, from the first, and from here on the number of jumps.
constexpr int jumps_at = 2 * longest_chain;

inline V load_lanes(const std::uint32_t* from) {
    V lanes;
    std::memcpy(&lanes, from, sizeof(V));
    return lanes;
}
inline void store_lanes(V lanes, std::uint32_t* to) { std::memcpy(to, &lanes, sizeof(V)); }

// Rows of boards, a vector at a time, appended to and then gone through.
class BoardRows {
public:
    explicit BoardRows(int lanes) : row_(lanes + lane_count), squares_(static_cast<std::size_t>(4 * row_)) {}

    int size() const { return size_; }
    void clear() { size_ = 0; }

    // `red` is all ones in the lanes in which that side moves.
    [[gnu::always_inline]] void add(Mask lanes, unsigned bits, V own, V others, V king, V red) {
        std::uint32_t* const to = squares_.data() + size_;
        append(lanes, own, to);
        append(lanes, others, to + row_);
        append(lanes, king, to + 2 * row_);
        append(lanes, red, to + 3 * row_);
        size_ += std::popcount(bits);
    }
    V own(int start) const { return load_lanes(&squares_[start]); }
    V others(int start) const { return load_lanes(&squares_[row_ + start]); }
    V king(int start) const { return load_lanes(&squares_[2 * row_ + start]); }
    V red(int start) const { return load_lanes(&squares_[3 * row_ + start]); }

    // How many lanes are in use of the vector that begins at `start`.
    int used(int start) const { return std::min(size_ - start, lane_count); }

private:
    int row_, size_ = 0;
    std::vector<Squares> squares_;
};

// A board on which who moves moves up: the squares from which a piece could jump, where jumps of its pieces end, and
// which of these are of kings.
template <bool WrapFiles> class Hops {
public:
    [[gnu::always_inline]] Hops(const Ways<WrapFiles>& ways, V own, V others, V king) : ways_(ways) {
        const V empty = ~(own | others);
        each_direction([&]<int D>() {
            origins_[D] = ways.template back<D>(ways.template back<D>(empty) & others);
            const V royal = own & king & origins_[D];
            kings_[D] = ways.template landing<D>(royal);
            ends_[D] = D < 2 ? ways.template landing<D>(own & origins_[D]) : kings_[D];
        });
    }

    // visit.operator()<First, Second>(the squares from which the second jump starts).
    template <class Visit> [[gnu::always_inline]] void each_double(Visit visit) const {
        each_direction([&]<int First>() {
            each_direction([&]<int Second>() {
                if constexpr (Second != opposite(First))
                    visit.template operator()<First, Second>((Second < 2 ? ends_ : kings_)[First] & origins_[Second]);
            });
        });
    }

    // visit.operator()<First, Second, Third>(the squares from which the third jump starts).
    template <class Visit> [[gnu::always_inline]] void each_triple(Visit visit) const {
        each_double([&]<int First, int Second>(V again) {
            const V ends = ways_.template landing<Second>(again);
            const V kings = First < 2 && Second < 2 ? ways_.template landing<Second>(again & kings_[First]) : ends;
            each_direction([&]<int Third>() {
                if constexpr (Third != opposite(Second))
                    visit.template operator()<First, Second, Third>((Third < 2 ? ends : kings) & origins_[Third]);
            });
        });
    }

    // Lanes in which a third jump may follow on a second one that starts from these squares, by direction; where a
    // king jumps, any piece is taken for one.
    [[gnu::always_inline]] Mask may_go_on(const V (&again)[direction_count]) const {
        const V royal = kings_[0] | kings_[1] | kings_[2] | kings_[3];
        const Mask kings = meets(royal, royal);
        V further{};
        each_direction([&]<int Second>() {
            V up{}, down{};
            each_direction([&]<int Third>() {
                if constexpr (Third != opposite(Second)) (Third < 2 ? up : down) |= origins_[Third];
            });
            further |= ways_.template landing<Second>(again[Second]) & (up | keep(kings, down));
        });
        return meets(further, further);
    }

private:
    const Ways<WrapFiles>& ways_;
    V origins_[direction_count], ends_[direction_count], kings_[direction_count];
};

// What the lanes of a vector do: one action of several jumps each, as squares and as a way.
struct Chain {
    V from, to, captured, way;
};

template <bool WrapFiles> class Chains {
public:
    Chains(const Geometry& geometry, int files, int lanes)
        : ways_(geometry), half_turn_(all(static_cast<std::uint32_t>(square_limit - 3 * files))), boards_(lanes),
          longer_(lanes), place_(static_cast<std::size_t>(lanes + lane_count)), doubles_(place_), triples_(place_) {}

    const Ways<WrapFiles>& ways() const { return ways_; }

    // Boards seen from the other side, in the lanes of a mask.
    [[gnu::always_inline]] V turned(Mask lanes, V board) const {
        return pick(lanes, rotate(reversed(board), half_turn_), board);
    }

    // Appends the boards of these lanes to those that are to be counted.
    [[gnu::always_inline]] void add(Mask lanes, unsigned bits, V own, V others, V king, V red) {
        boards_.add(lanes, bits, own, others, king, red);
    }

    // Counts the chains of the boards that were added; then there are none any more.
    [[gnu::noinline]] void count_all() {
        for (int start = 0; start < boards_.size(); start += lane_count) count_doubles(start);
        for (int start = 0; start < longer_.size(); start += lane_count) count_triples(start);
        boards_.clear();
        longer_.clear();
    }
    // How many chains of two and of three jumps they have from that one on, in the order in which they were added.
    const std::uint32_t* doubles(int first) const { return &doubles_[first]; }
    const std::uint32_t* triples(int first) const { return &triples_[first]; }

    // The chain of each lane that has this rank among those of two jumps, or in lanes of a mask of three. Who moves
    // moves up.
    [[gnu::always_inline]] Chain nth(V own, V others, V king, V rank, Mask three) const {
        const Hops<WrapFiles> hops(ways_, own, others, king);
        V set{}, before{}, passed{}, way{};
        // The last group that begins at or before the rank has it: the ones that are empty begin where the next does.
        const auto pass = [&](V group, std::uint32_t its_way) __attribute__((always_inline)) {
            const Mask here = at_least(rank, passed);
            set = pick(here, group, set);
            before = pick(here, passed, before);
            way = pick(here, all(its_way), way);
            passed += count(group);
        };
        hops.each_double([&]<int First, int Second>(V last) { pass(last, First | Second << 2 | 2 << jumps_at); });
        if (bits_of(three)) {
            const V doubles[] = {set, before, way};
            set = before = passed = way = V{};
            hops.each_triple([&]<int First, int Second, int Third>(V last) {
                pass(last, First | Second << 2 | Third << 4 | 3 << jumps_at);
            });
            set = pick(three, set, doubles[0]);
            before = pick(three, before, doubles[1]);
            way = pick(three, way, doubles[2]);
        }
        const V first = way & 3, second = way >> 2 & 3, third = way >> 4 & 3;
        const V at = member(set, rank - before);
        // From there the last jump goes on, and the ones before it lead back.
        const V ahead = pick(three, third, second), behind = pick(three, second, first) ^ 3;
        const V over = ways_.beside(at, ahead), under = ways_.beside(at, behind);
        V from = ways_.beside(under, behind);
        const V first_over = ways_.beside(from, first ^ 3);
        const V captured = over | under | keep(three, first_over);
        from = pick(three, ways_.beside(first_over, first ^ 3), from);
        return {from, ways_.beside(over, ahead), captured, way};
    }

private:
    void count_doubles(int start) {
        const V red = boards_.red(start);
        const Mask turns = meets(red, red);
        const V own = turned(turns, boards_.own(start)), others = turned(turns, boards_.others(start));
        const V king = turned(turns, boards_.king(start));
        const Hops<WrapFiles> hops(ways_, own, others, king);
        V doubles{}, again[direction_count]{};
        hops.each_double([&]<int, int Second>(V last) { doubles += count(last), again[Second] |= last; });
        store_lanes(doubles, &doubles_[start]);
        store_lanes(V{}, &triples_[start]);
        const Mask more = both(hops.may_go_on(again), mask_of((1u << boards_.used(start)) - 1));
        append(more, places_ + static_cast<std::uint32_t>(start), &place_[longer_.size()]);
        longer_.add(more, bits_of(more), own, others, king, red);
    }

    void count_triples(int start) {
        V triples{};
        const Hops<WrapFiles> hops(ways_, longer_.own(start), longer_.others(start), longer_.king(start));
        hops.each_triple([&]<int, int, int>(V last) { triples += count(last); });
        for (int i = 0; i < longer_.used(start); ++i) triples_[place_[start + i]] = triples[i];
    }

    Ways<WrapFiles> ways_;
    V half_turn_;  // by so much a reversed board is rotated
    V places_ = lane_numbers();
    BoardRows boards_, longer_;         // to be counted; of these, those that may have chains of three jumps
    std::vector<std::uint32_t> place_;  // of the longer among all
    std::vector<std::uint32_t> doubles_, triples_;
};
