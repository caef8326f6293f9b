// Turns and reflections of a board of Tak that leave a position what it is: placements that they turn into each other are
// worth the same. Included after a target is switched on.

template <int N> class Symmetries {
public:
    using Board = Geometry<N>;

    // Returns those of a position without stacks of several pieces, a bit each as in image(); else the identity alone.
    static unsigned of(const Position<N>& p) {
        unsigned found = 1;
        if (p.tall) return found;
        for (int symmetry = 1; symmetry < count; ++symmetry) {
            const auto stays = [&](Word set) { return image_of_set(set, symmetry) == set; };
            if (stays(p.own[0]) && stays(p.own[1]) && stays(p.walls) && stays(p.capstones)) found |= 1u << symmetry;
        }
        return found;
    }

    // Returns the least number of the placements that some symmetries turn a placement into.
    static int first_like(int placement, unsigned symmetries) {
        const int square = placement % Board::squares;
        int least = square;
        for (int symmetry = 1; symmetry < count; ++symmetry)
            if (symmetries >> symmetry & 1) least = std::min(least, image(square, symmetry));
        return placement - square + least;
    }

private:
    static constexpr int count = board_symmetries;

    static int image(int square, int symmetry) { return image_of_cell(square, N, symmetry); }

    static Word image_of_set(Word set, int symmetry) {
        Word found = 0;
        for (; set; set &= set - 1) found |= Word{1} << image(std::countr_zero(set), symmetry);
        return found;
    }
};
