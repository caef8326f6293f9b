// A hash of what stands on a board of Tak. Included after a target is switched on.

// `rest`: what else tells positions apart.
template <int N> Word key_of(const Position<N>& p, Word rest) {
    Word key = mix(p.own[0] + mix(p.own[1] + mix(p.walls + mix(p.capstones + mix(rest)))));
    for (Word stacks = p.tall; stacks; stacks &= stacks - 1) {
        const int square = std::countr_zero(stacks);
        const auto owners = p.owners[square];
        Word stack = static_cast<Word>(owners) + mix(static_cast<Word>(p.height[square] << 8 | square));
        if constexpr (sizeof(owners) > sizeof(Word)) stack += mix(static_cast<Word>(owners >> 64));
        key ^= mix(stack);
    }
    return key;
}
