#include "evaluation/evaluation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "base/bits.hpp"
#include "base/vector_dispatch.hpp"
#include "base/vector_math.hpp"

namespace ludens {

namespace {

constexpr std::size_t size(int n) { return static_cast<std::size_t>(n); }

void require(bool holds, const char* what) {
    if (!holds) throw Error(std::string("evaluation: ") + what);
}

const EvaluationWeights& checked(const EvaluationWeights& weights) {
    weights.check();
    return weights;
}

}  // namespace

void EvaluationWeights::check() const {
    require(roles >= 1 && roles <= most_roles, "the number of roles is out of range");
    require(feature_bits >= 1, "a state without bits");
    require(hidden >= 0 && hidden <= most_hidden, "too many hidden units");
    for (const int p : control) require(p >= 0 && p < feature_bits, "a control proposition is out of range");
    const std::size_t sets = control.size() + 1, inputs = size(feature_bits) + 1;
    require(linear.size() == sets * inputs * size(roles) && inner.size() == sets * inputs * size(hidden) &&
                output.size() == sets * size(hidden) * size(roles),
            "the weights are of the wrong size");
    for (const auto* weights : {&linear, &inner, &output})
        for (const float x : *weights) require(std::isfinite(x), "a weight is not finite");
}

Perceptron::Perceptron(const EvaluationWeights& weights)
    : roles_(checked(weights).roles), feature_words_(words_for(weights.feature_bits)),
      nibbles_((weights.feature_bits + nibble_bits - 1) / nibble_bits),
      parts_((weights.roles + weights.hidden + wide - 1) / wide), control_(weights.control) {
    const std::size_t sets = control_.size() + 1, parts = size(parts_);
    tables_.resize(sets * size(nibbles_) * nibble_values * parts);
    bits_.resize(sets * size(weights.feature_bits) * parts);
    biases_.resize(sets * parts);
    outputs_.resize(sets * size(roles_) * parts);
    least_.resize(parts);
    std::fill_n(reinterpret_cast<float*>(least_.data()), roles_, std::numeric_limits<float>::lowest());
    for (int set = 0; set < static_cast<int>(sets); ++set) tabulate(weights, set);
}

void Perceptron::check_fits(const Game& game) const {
    if (roles_ != game.roles() || feature_words_ != game.feature_words())
        throw Error("the evaluation is of another game");
}

// The row of a nibble's value is that without its highest bit, and the row of this bit.
void Perceptron::tabulate(const EvaluationWeights& w, int set) {
    const int width = parts_ * wide, hidden = w.hidden;
    const float* linear = w.linear.data() + std::ptrdiff_t{set} * (w.feature_bits + 1) * roles_;
    const float* inner = w.inner.data() + std::ptrdiff_t{set} * (w.feature_bits + 1) * hidden;
    const float* output = w.output.data() + std::ptrdiff_t{set} * hidden * roles_;
    const auto copy = [&](int input, float* row) {
        std::copy_n(linear + std::ptrdiff_t{input} * roles_, roles_, row);
        std::copy_n(inner + std::ptrdiff_t{input} * hidden, hidden, row + roles_);
    };
    float* bits = reinterpret_cast<float*>(bits_.data()) + std::ptrdiff_t{set} * w.feature_bits * width;
    for (int input = 0; input < w.feature_bits; ++input) copy(input, bits + std::ptrdiff_t{input} * width);
    copy(w.feature_bits, reinterpret_cast<float*>(biases_.data()) + std::ptrdiff_t{set} * width);
    float* table = reinterpret_cast<float*>(tables_.data()) + std::ptrdiff_t{set} * nibbles_ * nibble_values * width;
    for (int nibble = 0; nibble < nibbles_; ++nibble, table += nibble_values * width)
        for (unsigned value = 1; value < nibble_values; ++value) {
            const int highest = std::bit_width(value) - 1, input = nibble * nibble_bits + highest;
            const float* without = table + std::ptrdiff_t{value ^ 1u << highest} * width;
            const float* bit = bits + std::ptrdiff_t{input} * width;
            float* row = table + std::ptrdiff_t{value} * width;
            for (int i = 0; i < width; ++i) row[i] = without[i] + (input < w.feature_bits ? bit[i] : 0);
        }
    float* out = reinterpret_cast<float*>(outputs_.data()) + std::ptrdiff_t{set} * roles_ * width;
    for (int r = 0; r < roles_; ++r, out += width) {
        out[r] = 1;
        for (int h = 0; h < hidden; ++h) out[roles_ + h] = output[h * roles_ + r];
    }
}

std::size_t Perceptron::set_of(const Word* state) const {
    std::size_t set = 0;
    while (set < control_.size() && !is_set(state, control_[set])) ++set;
    return set;
}

// Logits first, then all goals of them.
struct EvaluationKernel {
    static constexpr std::size_t row_values = Perceptron::nibble_values;

    template <int parts>
    [[gnu::always_inline]] static inline void run_in(const Perceptron& e, std::int64_t count, const Word* states,
                                                     const std::size_t* likes, const Word* others, float* goals) {
        float* logits = goals;
        const Word* base = nullptr;
        std::size_t base_set = 0;
        Floats base_sums[parts] = {}, sums[parts] = {};
        for (std::int64_t i = 0; i < count; ++i, states += e.feature_words_, logits += e.roles_) {
            const std::size_t set = e.set_of(states);
            const Word* other = likes ? others + likes[i] * size(e.feature_words_) : nullptr;
            if (other && differing(e, states, other) < e.nibbles_) {
                if (other != base || set != base_set) sum_up<parts>(e, set, other, base_sums);
                base = other;
                base_set = set;
                for (int p = 0; p < parts; ++p) sums[p] = base_sums[p];
                move<parts>(e, set, base, states, sums);
            } else {
                sum_up<parts>(e, set, states, sums);
            }
            finish<parts>(e, set, sums, logits);
        }
        to_goals(count * e.roles_, goals);
    }

    static int differing(const Perceptron& e, const Word* a, const Word* b) {
        int count = 0;
        for (int w = 0; w < e.feature_words_; ++w) count += count_bits(a[w] ^ b[w]);
        return count;
    }

    template <int parts>
    [[gnu::always_inline]] static inline void sum_up(const Perceptron& e, std::size_t set, const Word* state,
                                                     Floats* sums) {
        for (int p = 0; p < parts; ++p) sums[p] = e.biases_[set * parts + size(p)].sums;
        const Part* row = e.tables_.data() + set * size(e.nibbles_) * row_values * parts;
        for (int nibble = 0; nibble < e.nibbles_; ++nibble, row += row_values * parts) {
            const Word value = state[nibble / 16] >> (nibble % 16 * Perceptron::nibble_bits) & 15;
            for (int p = 0; p < parts; ++p) sums[p] += row[value * parts + size(p)].sums;
        }
    }

    // Makes the sums of one state those of another.
    template <int parts>
    [[gnu::always_inline]] static inline void move(const Perceptron& e, std::size_t set, const Word* from,
                                                   const Word* to, Floats* sums) {
        const Part* rows = e.bits_.data() + set * (e.bits_.size() / (e.control_.size() + 1));
        for (int w = 0; w < e.feature_words_; ++w, rows += 64 * parts) {
            for (Word rest = from[w] & ~to[w]; rest != 0; rest &= rest - 1)
                for (int p = 0; p < parts; ++p) sums[p] -= rows[std::countr_zero(rest) * parts + p].sums;
            for (Word rest = to[w] & ~from[w]; rest != 0; rest &= rest - 1)
                for (int p = 0; p < parts; ++p) sums[p] += rows[std::countr_zero(rest) * parts + p].sums;
        }
    }

    template <int parts>
    [[gnu::always_inline]] static inline void finish(const Perceptron& e, std::size_t set, Floats* sums,
                                                     float* logits) {
        for (int p = 0; p < parts; ++p) sums[p] = sums[p] > e.least_[size(p)].sums ? sums[p] : e.least_[size(p)].sums;
        const Part* weights = e.outputs_.data() + set * size(e.roles_) * parts;
        for (int r = 0; r < e.roles_; ++r, weights += parts) {
            Floats total = sums[0] * weights[0].sums;
            for (int p = 1; p < parts; ++p) total += sums[p] * weights[p].sums;
            logits[r] = added_up(total);
        }
    }

    [[gnu::always_inline]] static inline void to_goals(std::int64_t count, float* numbers) {
        for (; count > 0; count -= wide, numbers += wide) {
            const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(std::min<std::int64_t>(count, wide));
            Floats logits{};
            std::memcpy(&logits, numbers, bytes);
            const Floats goals = 100 / (1 + exponential(-logits));
            std::memcpy(numbers, &goals, bytes);
        }
    }

    [[gnu::always_inline]] static inline void run(const Perceptron* e, std::int64_t count, const Word* states,
                                                  const std::size_t* likes, const Word* others, float* goals) {
        with_parts(e->parts_, [=]<int parts>() __attribute__((always_inline)) {
            run_in<parts>(*e, count, states, likes, others, goals);
        });
    }
};

void Perceptron::values(std::int64_t count, const Word* states, const std::size_t* likes, const Word* others,
                        float* goals) const {
    dispatch<EvaluationKernel>(this, count, states, likes, others, goals);
}

}  // namespace ludens
