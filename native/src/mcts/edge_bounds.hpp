// Upper confidence bounds of eight edges at a time, and of all of a node's while many visits choose among them.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "mcts/edge_vectors.hpp"
#include "mcts/selection.hpp"

namespace ludens {

// Right to the last bit, so the same everywhere.
[[gnu::always_inline]] inline Floats roots(Floats x) {
#if defined(__x86_64__)
    const __m128 low = _mm_sqrt_ps(__builtin_shufflevector(x, x, 0, 1, 2, 3));
    const __m128 high = _mm_sqrt_ps(__builtin_shufflevector(x, x, 4, 5, 6, 7));
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    for (int i = 0; i < wide; ++i) x[i] = std::sqrt(x[i]);
    return x;
#endif
}

// One over the square root of counts: infinite for what was never tried.
[[gnu::always_inline]] inline Floats reciprocal_roots(Integers counts) {
    return roots(1.0f / __builtin_convertvector(counts, Floats));
}

// Scores become integers in the same order, whose lowest bits name the place, so a maximum needs no branch.
// (Negative ones do not keep their order, but stay below all others.) What was never tried scores infinitely.
[[gnu::always_inline]] inline Integers keys(Floats mean, Floats width, float bonus) {
    const Floats score = mean + width * bonus;
    return (std::bit_cast<Integers>(score) & -Chunk::size) | Integers{0, 1, 2, 3, 4, 5, 6, 7};
}

// In all places.
[[gnu::always_inline]] inline Integers maximum(Integers keys) {
    const auto rise = [&](Integers other) { keys = keys > other ? keys : other; };
    rise(__builtin_shuffle(keys, Integers{4, 5, 6, 7, 0, 1, 2, 3}));
    rise(__builtin_shuffle(keys, Integers{2, 3, 0, 1, 6, 7, 4, 5}));
    rise(__builtin_shuffle(keys, Integers{1, 0, 3, 2, 5, 4, 7, 6}));
    return keys;
}

[[gnu::always_inline]] inline int place_of(Integers key) { return key[0] & (Chunk::size - 1); }

// The edge with the highest of the keys that `keys_of` has for a chunk.
template <class KeysOf>
[[gnu::always_inline]] inline Edge highest(const Tree& tree, Index first, KeysOf keys_of) {
    Integers best = keys_of(tree.chunk(first));
    Index at = tree.chunk(first).next;
    if (!is_chunk(at)) return {first, place_of(maximum(best))};
    Integers where = static_cast<std::int32_t>(first) - Integers{};
    for (; is_chunk(at); at = tree.chunk(at).next) {
        const Integers key = keys_of(tree.chunk(at)), better = key > best;
        best = better ? key : best;
        where = better ? static_cast<std::int32_t>(at) - Integers{} : where;
    }
    const int place = place_of(maximum(best));
    return {static_cast<Index>(__builtin_shuffle(where, place - Integers{})[0]), place};
}

// The bounds of a node's edges, while one visit after another chooses. What is highest twice running is likely to stay so
// for long: how long follows from the next bound below it, and as many visits go there at once.
class Bounds {
public:
    static constexpr int most = 48;  // chunks

    // Edges count as if they had been visited `least` times.
    explicit Bounds(int least = 0) : least_(least - Integers{}) {}

    // The next chunk, and what its edges are worth; false where there is no room.
    [[gnu::always_inline]] bool add(Index at, Floats mean, Integers visits) {
        if (chunks_ == most) return false;
        at_[chunks_] = at;
        mean_[chunks_] = mean;
        visits_[chunks_] = visits;
        width_[chunks_] = widths(visits);
        ++chunks_;
        return true;
    }

    // At most `count` visits that all go where the bound is highest.
    [[gnu::always_inline]] Visits choose(float bonus, std::uint32_t count) {
        const Top top = highest(bonus);
        const bool again = top.chunk == last_.chunk && top.place == last_.place;
        last_ = top;
        const std::uint32_t taken = again && count > 1 ? std::min(count, stays(top, bonus)) : 1;
        const Integers here = Integers{0, 1, 2, 3, 4, 5, 6, 7} == top.place;
        visits_[top.chunk] += here & static_cast<std::int32_t>(taken);
        width_[top.chunk] = widths(visits_[top.chunk]);
        return {{at_[top.chunk], top.place}, taken};
    }

    [[gnu::always_inline]] void write(const Tree& tree) const {
        for (int i = 0; i < chunks_; ++i) std::memcpy(tree.chunk(at_[i]).visits, &visits_[i], sizeof(Integers));
    }

private:
    struct Top {
        int chunk = -1, place = -1;
    };

    [[gnu::always_inline]] Floats widths(Integers visits) const {
        return reciprocal_roots(visits > least_ ? visits : least_);
    }

    [[gnu::always_inline]] Top highest(float bonus) const {
        Integers best = keys(mean_[0], width_[0], bonus), where{};
        for (int i = 1; i < chunks_; ++i) {
            const Integers key = keys(mean_[i], width_[i], bonus), better = key > best;
            best = better ? key : best;
            where = better ? i - Integers{} : where;
        }
        const int place = place_of(maximum(best));
        return {chunks_ == 1 ? 0 : __builtin_shuffle(where, place - Integers{})[0], place};
    }

    // Its bound with n visits, mean + bonus / sqrt(n), is above another as long as sqrt(n) is below bonus / (other - mean).
    [[gnu::always_inline]] std::uint32_t stays(Top top, float bonus) {
        const float mean = mean_[top.chunk][top.place], width = width_[top.chunk][top.place];
        width_[top.chunk][top.place] = 0;
        mean_[top.chunk][top.place] = Chunk::closed;
        const Top next = highest(bonus);
        const float other = mean_[next.chunk][next.place] + width_[next.chunk][next.place] * bonus;
        mean_[top.chunk][top.place] = mean;
        width_[top.chunk][top.place] = width;
        const float root = bonus / std::max(other - mean, 1e-6f);
        const float more = root * root - static_cast<float>(visits_[top.chunk][top.place]);
        return more < 1 ? 1 : static_cast<std::uint32_t>(std::min(more, 1e6f)) + 1;
    }

    const Integers least_;
    int chunks_ = 0;
    Top last_;
    std::array<Index, most> at_;
    std::array<Floats, most> mean_, width_;
    std::array<Integers, most> visits_;
};

}  // namespace ludens
