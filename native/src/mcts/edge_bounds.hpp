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

#include "base/vector_math.hpp"
#include "mcts/selection.hpp"

namespace ludens::mcts {

static_assert(wide == EdgeBlock::size);

// Loads eight counts in two halves, as EdgeBlock::begin_visit() stores them: a wider load would wait until the store
// has left the processor's store buffer.
[[gnu::always_inline]] inline Integers load_counts(const std::uint32_t* counts) {
    using Four [[gnu::vector_size(wide / 2 * sizeof(std::int32_t)), gnu::may_alias]] = std::int32_t;
    const Four* halves = reinterpret_cast<const Four*>(counts);
    return __builtin_shufflevector(halves[0], halves[1], 0, 1, 2, 3, 4, 5, 6, 7);
}

// Square roots, correctly rounded, so the same on every machine.
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

// Upper confidence bounds as integers in the same order, whose lowest bits name the place, so that a maximum needs no
// branch. (Negative bounds do not keep their order, but stay below all others.) That of an untried edge is infinite.
[[gnu::always_inline]] inline Integers keys(Floats mean, Floats width, float bonus) {
    const Floats score = mean + width * bonus;
    return (std::bit_cast<Integers>(score) & -EdgeBlock::size) | Integers{0, 1, 2, 3, 4, 5, 6, 7};
}

// The maximum of eight numbers, in all places.
[[gnu::always_inline]] inline Integers maximum(Integers keys) {
    const auto take_greater = [&](Integers other) { keys = keys > other ? keys : other; };
    take_greater(__builtin_shufflevector(keys, keys, 4, 5, 6, 7, 0, 1, 2, 3));
    take_greater(__builtin_shufflevector(keys, keys, 2, 3, 0, 1, 6, 7, 4, 5));
    take_greater(__builtin_shufflevector(keys, keys, 1, 0, 3, 2, 5, 4, 7, 6));
    return keys;
}

// Returns the number in a place that is known at run time only; for where[place] GCC would go through memory.
[[gnu::always_inline]] inline std::int32_t element(Integers numbers, int place) {
#if defined(__clang__)
    return numbers[place];
#else
    return __builtin_shuffle(numbers, place - Integers{})[0];
#endif
}

[[gnu::always_inline]] inline int place_of(Integers key) { return key[0] & (EdgeBlock::size - 1); }

// The edge with the highest key in the blocks from `first` on; keys_of(block) returns a block's eight keys.
template <class KeysOf> [[gnu::always_inline]] inline Edge highest(const Tree& tree, Index first, KeysOf keys_of) {
    Integers best = keys_of(tree.block(first));
    Index at = tree.block(first).next;
    if (!is_block(at)) return {first, place_of(maximum(best))};
    Integers where = static_cast<std::int32_t>(first) - Integers{};
    for (; is_block(at); at = tree.block(at).next) {
        const Integers key = keys_of(tree.block(at)), better = key > best;
        best = better ? key : best;
        where = better ? static_cast<std::int32_t>(at) - Integers{} : where;
    }
    const int place = place_of(maximum(best));
    return {static_cast<Index>(element(where, place)), place};
}

// The bounds of a node's edges while one visit after another chooses. An edge that is highest twice running is likely
// to stay so for long: how long follows from the second highest bound, and that many visits go there at once.
class EdgeBounds {
public:
    static constexpr int most = 48;  // blocks

    // Edges count as if they had been visited `least` times.
    explicit EdgeBounds(int least = 0) : least_(least - Integers{}) {}

    // Adds the next block with the means and visits of its edges; false where there is no room.
    [[gnu::always_inline]] bool add(Index at, Floats mean, Integers visits) {
        if (blocks_ == most) return false;
        at_[blocks_] = at;
        mean_[blocks_] = mean;
        visits_[blocks_] = visits;
        width_[blocks_] = widths(visits);
        ++blocks_;
        return true;
    }

    // Sends up to `count` visits, at least one, along the edge whose bound is highest.
    [[gnu::always_inline]] EdgeVisits choose(float bonus, std::uint32_t count) {
        const Top top = highest(bonus);
        const bool repeated = top.block == last_.block && top.place == last_.place;
        last_ = top;
        const std::uint32_t taken = repeated && count > 1 ? std::min(count, stays(top, bonus)) : 1;
        const Integers here = Integers{0, 1, 2, 3, 4, 5, 6, 7} == top.place;
        visits_[top.block] += here & static_cast<std::int32_t>(taken);
        width_[top.block] = widths(visits_[top.block]);
        return {{at_[top.block], top.place}, taken};
    }

    // Writes the counts of visits to the tree.
    [[gnu::always_inline]] void write(const Tree& tree) const {
        for (int i = 0; i < blocks_; ++i) std::memcpy(tree.block(at_[i]).visits, &visits_[i], sizeof(Integers));
    }

private:
    struct Top {
        int block = -1, place = -1;
    };

    [[gnu::always_inline]] Floats widths(Integers visits) const {
        return reciprocal_roots(visits > least_ ? visits : least_);
    }

    [[gnu::always_inline]] Top highest(float bonus) const {
        Integers best = keys(mean_[0], width_[0], bonus), where{};
        for (int i = 1; i < blocks_; ++i) {
            const Integers key = keys(mean_[i], width_[i], bonus), better = key > best;
            best = better ? key : best;
            where = better ? i - Integers{} : where;
        }
        const int place = place_of(maximum(best));
        return {blocks_ == 1 ? 0 : element(where, place), place};
    }

    // How many more visits leave the highest bound the highest: with n visits it is mean + bonus / sqrt(n), which is
    // above another as long as sqrt(n) is below bonus / (other - mean).
    [[gnu::always_inline]] std::uint32_t stays(Top top, float bonus) {
        const float mean = mean_[top.block][top.place], width = width_[top.block][top.place];
        width_[top.block][top.place] = 0;
        mean_[top.block][top.place] = EdgeBlock::closed;
        const Top next = highest(bonus);
        const float other = mean_[next.block][next.place] + width_[next.block][next.place] * bonus;
        mean_[top.block][top.place] = mean;
        width_[top.block][top.place] = width;
        const float root = bonus / std::max(other - mean, 1e-6f);
        const float more = root * root - static_cast<float>(visits_[top.block][top.place]);
        return more < 1 ? 1 : static_cast<std::uint32_t>(std::min(more, 1e6f)) + 1;
    }

    const Integers least_;
    int blocks_ = 0;
    Top last_;
    std::array<Index, most> at_;
    std::array<Floats, most> mean_, width_;
    std::array<Integers, most> visits_;
};

}  // namespace ludens::mcts
