#include "guided/puct.hpp"

#include <algorithm>
#include <limits>

#include "base/vector_dispatch.hpp"
#include "base/vector_math.hpp"

namespace ludens::guided {

namespace {

constexpr Integers lanes = {0, 1, 2, 3, 4, 5, 6, 7};

// Compares each lane with the lane that `order` puts in its place, and keeps the better edge; of equal ones the first.
template <int... order> [[gnu::always_inline]] inline void keep_better(Floats& top, Integers& chosen) {
    const Floats others = __builtin_shufflevector(top, top, order...);
    const Integers of_others = __builtin_shufflevector(chosen, chosen, order...);
    const Integers better = (others > top) | ((others == top) & (of_others < chosen));
    top = better ? others : top;
    chosen = better ? of_others : chosen;
}

// Every lane keeps the best of its own edges. What lies past the end of a row is replaced before it is computed with:
// some bit patterns are slow numbers.
struct Choose {
    [[gnu::always_inline]] static inline std::uint32_t run(const EdgeRows& rows, std::uint32_t edges, float scale,
                                                           std::uint32_t otherwise) {
        constexpr float least = -std::numeric_limits<float>::infinity();
        const Integers count = Integers{} + static_cast<std::int32_t>(edges);
        Integers edge = lanes, chosen = Integers{} + static_cast<std::int32_t>(otherwise);
        Floats top = Floats{} + least;
        for (std::uint32_t i = 0; i < edges; i += wide, edge += wide) {
            const Floats prior = edge < count ? load<Floats>(rows.priors + i) : Floats{} + EdgeRows::proven;
            const Floats value = prior >= 0 ? load<Floats>(rows.values + i) : Floats{};
            const Floats mean = prior >= 0 ? load<Floats>(rows.means + i) : Floats{};
            const Floats visits = __builtin_convertvector(load<Integers>(rows.visits + i) + 1, Floats);
            const Floats score = prior >= 0 ? mixed_value(mean, value) + scale * prior / visits : Floats{} + least;
            chosen = score > top ? edge : chosen;
            top = score > top ? score : top;
        }
        keep_better<4, 5, 6, 7, 0, 1, 2, 3>(top, chosen);
        keep_better<2, 3, 0, 1, 6, 7, 4, 5>(top, chosen);
        keep_better<1, 0, 3, 2, 5, 4, 7, 6>(top, chosen);
        return static_cast<std::uint32_t>(chosen[0]);
    }
};

struct BeginVisit {
    [[gnu::always_inline]] static inline void run(const EdgeRows& rows, std::uint32_t edge) {
        std::uint32_t* eight = rows.visits + edge / wide * wide;
        Integers visits = load<Integers>(eight);
        visits += lanes == static_cast<std::int32_t>(edge % wide) ? Integers{} + 1 : Integers{};
        std::memcpy(eight, &visits, sizeof(visits));
    }
};

struct Exponentials {
    [[gnu::always_inline]] static inline void run(float* numbers, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; i += wide) {
            const std::size_t bytes = std::min<std::size_t>(count - i, wide) * sizeof(float);
            Floats some{};
            std::memcpy(&some, numbers + i, bytes);
            some = exponential(some);
            std::memcpy(numbers + i, &some, bytes);
        }
    }
};

struct SoftmaxPriors {
    [[gnu::always_inline]] static inline void run(const float* values, std::uint32_t count, float* priors) {
        for (std::uint32_t i = 0; i < count; i += wide) {
            const std::size_t bytes = std::min<std::size_t>(count - i, wide) * sizeof(float);
            Floats some{};
            std::memcpy(&some, values + i, bytes);
            some = exponential((some - top_goal) / temperature);
            std::memcpy(priors + i, &some, bytes);
        }
        float total = 0;
        for (std::uint32_t i = 0; i < count; ++i) total += priors[i];
        for (std::uint32_t i = 0; i < count; ++i) priors[i] /= total;
    }
};

}  // namespace

std::uint32_t choose(const EdgeRows& rows, std::uint32_t edges, float scale, std::uint32_t otherwise) {
    return dispatch<Choose, InstructionSet::avx2>(rows, edges, scale, otherwise);
}

void begin_visit(const EdgeRows& rows, std::uint32_t edge) { dispatch<BeginVisit, InstructionSet::avx2>(rows, edge); }

void exponentials(float* numbers, std::uint32_t count) { dispatch<Exponentials, InstructionSet::avx2>(numbers, count); }

void softmax_priors(const float* values, std::uint32_t count, float* priors) {
    dispatch<SoftmaxPriors, InstructionSet::avx2>(values, count, priors);
}

}  // namespace ludens::guided
