#include "evaluation/evaluation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
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

Evaluation::Evaluation(const EvaluationWeights& weights)
    : roles_(checked(weights).roles), feature_words_(words_for(weights.feature_bits)),
      nibbles_((weights.feature_bits + nibble_bits - 1) / nibble_bits),
      blocks_((weights.roles + weights.hidden + block_floats - 1) / block_floats), control_(weights.control) {
    const std::size_t sets = control_.size() + 1, blocks = static_cast<std::size_t>(blocks_);
    tables_.resize(sets * static_cast<std::size_t>(nibbles_) * nibble_values * blocks);
    biases_.resize(sets * blocks);
    outputs_.resize(sets * static_cast<std::size_t>(roles_) * blocks);
    for (int set = 0; set < static_cast<int>(sets); ++set) tabulate(weights, set);
}

void Evaluation::check_fits(const Game& game) const {
    if (roles_ != game.roles() || feature_words_ != game.feature_words())
        throw Error("the evaluation is of another game");
}

// The row of a nibble's value is the sum of the weights of its bits.
void Evaluation::tabulate(const EvaluationWeights& w, int set) {
    const int width = blocks_ * block_floats, hidden = w.hidden;
    const float* linear = w.linear.data() + std::ptrdiff_t{set} * (w.feature_bits + 1) * roles_;
    const float* inner = w.inner.data() + std::ptrdiff_t{set} * (w.feature_bits + 1) * hidden;
    const float* output = w.output.data() + std::ptrdiff_t{set} * hidden * roles_;
    const auto add = [&](int input, float* row) {
        for (int r = 0; r < roles_; ++r) row[r] += linear[std::ptrdiff_t{input} * roles_ + r];
        for (int h = 0; h < hidden; ++h) row[roles_ + h] += inner[std::ptrdiff_t{input} * hidden + h];
    };
    float* table = reinterpret_cast<float*>(tables_.data()) + std::ptrdiff_t{set} * nibbles_ * nibble_values * width;
    for (int nibble = 0; nibble < nibbles_; ++nibble)
        for (int value = 0; value < nibble_values; ++value, table += width)
            for (int bit = 0; bit < nibble_bits; ++bit)
                if (const int input = nibble * nibble_bits + bit; value >> bit & 1 && input < w.feature_bits)
                    add(input, table);
    add(w.feature_bits, reinterpret_cast<float*>(biases_.data()) + std::ptrdiff_t{set} * width);
    float* out = reinterpret_cast<float*>(outputs_.data()) + std::ptrdiff_t{set} * roles_ * width;
    for (int r = 0; r < roles_; ++r, out += width) {
        out[r] = 1;
        for (int h = 0; h < hidden; ++h) out[roles_ + h] = output[h * roles_ + r];
    }
}

std::size_t Evaluation::set_of(const Word* state) const {
    std::size_t set = 0;
    while (set < control_.size() && !is_set(state, control_[set])) ++set;
    return set;
}

// A state that differs little from the last one that was summed up in full, as the children of one position do, is told
// by what they differ in, as in efficiently updatable networks (Nasu, 2018). Logits first, then all goals of them.
struct EvaluationKernel {
    using Block = Evaluation::Block;
    using Row = Evaluation::Row;
    static constexpr std::size_t row_values = Evaluation::nibble_values;
    static constexpr int worth_it = 4;  // one in so many nibbles may differ: each costs two rows, and finding it
    static constexpr Word low_bits = 0x1111'1111'1111'1111;

    template <int blocks>
    [[gnu::always_inline]] static inline void run_in(const Evaluation& e, std::int64_t count, const Word* states,
                                                     float* goals) {
        float* logits = goals;
        const Word* base = nullptr;
        std::size_t base_set = 0;
        Block base_sums[blocks] = {}, sums[blocks];
        for (std::int64_t i = 0; i < count; ++i, states += e.feature_words_, logits += e.roles_) {
            const std::size_t set = e.set_of(states);
            if (base && set == base_set && differing(e, states, base) * worth_it < e.nibbles_) {
                for (int b = 0; b < blocks; ++b) sums[b] = base_sums[b];
                move<blocks>(e, set, base, states, sums);
            } else {
                sum_up<blocks>(e, set, states, base_sums);
                base = states;
                base_set = set;
                for (int b = 0; b < blocks; ++b) sums[b] = base_sums[b];
            }
            finish<blocks>(e, set, sums, logits);
        }
        to_goals(count * e.roles_, goals);
    }

    // A bit for every four that are not all the same.
    static Word differing_nibbles(Word a, Word b) {
        const Word bits = a ^ b, pairs = bits | bits >> 1;
        return (pairs | pairs >> 2) & low_bits;
    }

    static int differing(const Evaluation& e, const Word* a, const Word* b) {
        int count = 0;
        for (int w = 0; w < e.feature_words_; ++w) count += count_bits(differing_nibbles(a[w], b[w]));
        return count;
    }

    template <int blocks> static const Row* table(const Evaluation& e, std::size_t set) {
        return e.tables_.data() + set * static_cast<std::size_t>(e.nibbles_) * row_values * blocks;
    }

    template <int blocks>
    [[gnu::always_inline]] static inline void sum_up(const Evaluation& e, std::size_t set, const Word* state,
                                                     Block* sums) {
        for (int b = 0; b < blocks; ++b) sums[b] = e.biases_[set * blocks + static_cast<std::size_t>(b)].sums;
        const Row* row = table<blocks>(e, set);
        for (int nibble = 0; nibble < e.nibbles_; ++nibble, row += row_values * blocks) {
            const Word value = state[nibble / 16] >> (nibble % 16 * Evaluation::nibble_bits) & 15;
            for (int b = 0; b < blocks; ++b) sums[b] += row[value * blocks + static_cast<std::size_t>(b)].sums;
        }
    }

    // Makes the sums of one state those of another.
    template <int blocks>
    [[gnu::always_inline]] static inline void move(const Evaluation& e, std::size_t set, const Word* from,
                                                   const Word* to, Block* sums) {
        const Row* rows = table<blocks>(e, set);
        for (int w = 0; w < e.feature_words_; ++w, rows += Word{16} * row_values * blocks) {
            for (Word rest = differing_nibbles(from[w], to[w]); rest != 0; rest &= rest - 1) {
                const int shift = std::countr_zero(rest);
                const Row* row = rows + static_cast<std::size_t>(shift / Evaluation::nibble_bits) * row_values * blocks;
                const Row *old = row + (from[w] >> shift & 15) * blocks, *fresh = row + (to[w] >> shift & 15) * blocks;
                for (int b = 0; b < blocks; ++b) sums[b] += fresh[b].sums - old[b].sums;
            }
        }
    }

    template <int blocks>
    [[gnu::always_inline]] static inline void finish(const Evaluation& e, std::size_t set, Block* sums, float* logits) {
        Evaluation::Mask linear{};
        for (int r = 0; r < e.roles_; ++r) linear[r] = -1;
        sums[0] = (sums[0] > 0) | linear ? sums[0] : Block{};
        for (int b = 1; b < blocks; ++b) sums[b] = sums[b] > 0 ? sums[b] : Block{};
        const Row* weights = e.outputs_.data() + set * static_cast<std::size_t>(e.roles_) * blocks;
        for (int r = 0; r < e.roles_; ++r, weights += blocks) {
            Block total = sums[0] * weights[0].sums;
            for (int b = 1; b < blocks; ++b) total += sums[b] * weights[b].sums;
            logits[r] = added_up(total);
        }
    }

    [[gnu::always_inline]] static inline float added_up(Block x) {
        const auto halves = __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7) +
                            __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
        const auto quarters =
            __builtin_shufflevector(halves, halves, 0, 1, 2, 3) + __builtin_shufflevector(halves, halves, 4, 5, 6, 7);
        return (quarters[0] + quarters[2]) + (quarters[1] + quarters[3]);
    }

    [[gnu::always_inline]] static inline void to_goals(std::int64_t count, float* numbers) {
        for (; count > 0; count -= Evaluation::block_floats, numbers += Evaluation::block_floats) {
            const std::size_t bytes =
                sizeof(float) * static_cast<std::size_t>(std::min<std::int64_t>(count, Evaluation::block_floats));
            Block logits{};
            std::memcpy(&logits, numbers, bytes);
            const Block goals = 100 / (1 + exponential(-logits));
            std::memcpy(numbers, &goals, bytes);
        }
    }

    [[gnu::always_inline]] static inline void run(const Evaluation* e, std::int64_t count, const Word* states,
                                                  float* goals) {
        switch (e->blocks_) {
            case 1: return run_in<1>(*e, count, states, goals);
            case 2: return run_in<2>(*e, count, states, goals);
            case 3: return run_in<3>(*e, count, states, goals);
            case 4: return run_in<4>(*e, count, states, goals);
            case 5: return run_in<5>(*e, count, states, goals);
            case 6: return run_in<6>(*e, count, states, goals);
            default: return run_in<7>(*e, count, states, goals);
        }
    }
};

void Evaluation::values(std::int64_t count, const Word* states, float* goals) const {
    dispatch<EvaluationKernel>(this, count, states, goals);
}

}  // namespace ludens
