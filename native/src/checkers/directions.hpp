// The four directions on vectors of boards in the diagonal layout.
//
// Included inside the namespace of one instruction set, after checkers/lanes.hpp.
#pragma once

// Calls look.operator()<D>() for every direction.
template <class Look> [[gnu::always_inline]] inline void each_direction(Look look) {
    look.template operator()<0>();
    look.template operator()<1>();
    look.template operator()<2>();
    look.template operator()<3>();
}

template <bool WrapFiles> class Ways {
public:
    explicit Ways(const Geometry& geometry) {
        for (int d = 0; d < direction_count; ++d)
            for (const auto& shift : geometry.shifts(d))
                (shift.by == diagonal_step[d] ? inner_ : outer_)[d] |= shift.from;
        outer_right_ = outer_[1] | outer_[3];
        outer_left_ = outer_[0] | outer_[2];
    }

    // The squares from which a step in this direction leads into `to`.
    template <int D> V back(V to) const {
        const V near = rotate<32 - diagonal_step[D]>(to) & inner_[D];
        if constexpr (!WrapFiles) return near;
        return near | (rotate<32 - wrapped<D>>(to) & outer_[D]);
    }

    // Where jumps of these pieces in this direction end; all of them can jump, so no edge is in their way.
    template <int D> V landing(V from) const {
        if constexpr (WrapFiles) return ahead<D>(ahead<D>(from));
        return rotate<2 * diagonal_step[D] % 32>(from);
    }

    // The neighbour of one square for each lane, on the board.
    [[gnu::always_inline]] V beside(V at, Mask down, Mask right) const {
        const V by = pick(right, all(diagonal_step[1]), all(diagonal_step[0])) +
                     keep(down, all(diagonal_step[3] - diagonal_step[1]));
        const V to = rotate(at, by);
        if constexpr (!WrapFiles) return to;
        const Mask crosses = meets(at, pick(right, outer_right_, outer_left_));
        return pick(crosses, rotate(to, pick(right, all(24), all(8))), to);
    }
    [[gnu::always_inline]] V beside(V at, V direction) const {
        return beside(at, meets(direction, all(2)), meets(direction, all(1)));
    }

private:
    static_assert(diagonal_step[2] - diagonal_step[0] == diagonal_step[3] - diagonal_step[1]);

    // The rotation of a step across the edge of files.
    template <int D> static constexpr int wrapped = (diagonal_step[D] + (D % 2 ? 24 : 8)) % 32;

    template <int D> V ahead(V from) const {
        return rotate<diagonal_step[D]>(from & inner_[D]) | rotate<wrapped<D>>(from & outer_[D]);
    }

    V inner_[direction_count]{}, outer_[direction_count]{};  // from where a step stays on the board, or wraps
    V outer_right_, outer_left_;
};
