// Positions as the states of TakGame, and back. Included after a target is switched on.

// Whether the sets of squares fit the stacks, and no stack can ever be higher than a word of owners is wide.
template <int N> bool is_state(const Position<N>& p) {
    std::array<Word, 2> tops{};
    int pieces = 0;
    for (int square = 0; square < N * N; ++square) {
        if (p.height[square] > 0) tops[static_cast<int>(p.owners[square] & 1)] |= Word{1} << square;
        pieces += p.height[square];
    }
    for (const Reserve& left : p.reserve) pieces += left.flats + left.capstones;
    return p.own == tops && !(p.blocking() & ~p.taken()) && !(p.walls & p.capstones) &&
           pieces < static_cast<int>(8 * sizeof(typename Position<N>::Owners));
}

// Throws Error for words that are no state.
template <int N> Position<N> decode(const Word* words) {
    using Owners = typename Position<N>::Owners;
    constexpr int per_stack = sizeof(Owners) / sizeof(Word);
    Position<N> p;
    p.own = {words[0], words[1]};
    p.walls = words[2];
    p.capstones = words[3];
    const Word rest = words[4];
    p.ply = static_cast<int>(rest & 0xFFFF);
    const auto field = [&](int at) { return static_cast<int>(rest >> at & 0xFF); };
    p.reserve = {{{field(16), field(24)}, {field(32), field(40)}}};
    for (int square = 0; square < N * N; ++square) {
        const Word* stack = words + 5 + square * per_stack;
        int last = 0;  // the bit behind the pieces
        Owners owners = stack[0];
        if constexpr (per_stack == 2) {
            owners |= Owners{stack[1]} << 64;
            last = stack[1] ? 64 + std::bit_width(stack[1]) - 1 : std::bit_width(stack[0]) - 1;
        } else {
            last = std::bit_width(stack[0]) - 1;
        }
        if (last < 0) throw Error("tak: this is no state");
        p.owners[square] = owners ^ Owners{1} << last;
        p.height[square] = static_cast<std::uint8_t>(last);
        if (last > 1) p.tall |= Word{1} << square;
    }
    if (!is_state(p)) throw Error("tak: this is no state");
    return p;
}

template <int N> void encode(const Position<N>& p, Word* words) {
    using Owners = typename Position<N>::Owners;
    constexpr int per_stack = sizeof(Owners) / sizeof(Word);
    words[0] = p.own[0];
    words[1] = p.own[1];
    words[2] = p.walls;
    words[3] = p.capstones;
    const auto field = [](int value, int at) { return static_cast<Word>(value) << at; };
    words[4] = field(p.ply & 0xFFFF, 0) | field(p.reserve[0].flats, 16) | field(p.reserve[0].capstones, 24) |
               field(p.reserve[1].flats, 32) | field(p.reserve[1].capstones, 40);
    for (int square = 0; square < N * N; ++square) {
        const Owners stack = p.owners[square] | Owners{1} << p.height[square];
        words[5 + square * per_stack] = static_cast<Word>(stack);
        if constexpr (per_stack == 2) words[5 + square * per_stack + 1] = static_cast<Word>(stack >> 64);
    }
}
