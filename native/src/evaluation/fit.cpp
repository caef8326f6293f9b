#include "evaluation/fit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/random.hpp"
#include "base/vector_dispatch.hpp"

namespace ludens {

namespace {

constexpr int batch = 128;
constexpr float mean_decay = 0.9f, square_decay = 0.999f, epsilon = 1e-8f;
constexpr float weight_decay = 1e-5f;  // a step, times the rate (Loshchilov and Hutter, "Decoupled weight decay", 2019)

}  // namespace

EvaluationFit::EvaluationFit(EvaluationWeights weights) : shape_(std::move(weights)) {
    shape_.check();
    const EvaluationWeights& w = shape_;
    blocks_ = (w.roles + w.hidden + block_floats - 1) / block_floats;
    const int width = blocks_ * block_floats, inputs = w.feature_bits + 1;
    const float *linear = w.linear.data(), *inner = w.inner.data(), *output = w.output.data();
    for (std::size_t set = 0; set <= w.control.size(); ++set) {
        sets_.emplace_back(std::size_t(inputs) * std::size_t(blocks_), std::size_t(w.roles) * std::size_t(blocks_));
        float* row = reinterpret_cast<float*>(sets_.back().first.values.data());
        for (int i = 0; i < inputs; ++i, row += width, linear += w.roles, inner += w.hidden) {
            std::copy_n(linear, w.roles, row);
            std::copy_n(inner, w.hidden, row + w.roles);
        }
        float* out = reinterpret_cast<float*>(sets_.back().output.values.data());
        for (int h = 0; h < w.hidden; ++h)
            for (int r = 0; r < w.roles; ++r) out[r * width + w.roles + h] = *output++;
    }
}

EvaluationWeights EvaluationFit::weights() const {
    EvaluationWeights w = shape_;
    const int width = blocks_ * block_floats, inputs = w.feature_bits + 1;
    float *linear = w.linear.data(), *inner = w.inner.data(), *output = w.output.data();
    for (const Set& set : sets_) {
        const float* row = reinterpret_cast<const float*>(set.first.values.data());
        for (int i = 0; i < inputs; ++i, row += width, linear += w.roles, inner += w.hidden) {
            std::copy_n(row, w.roles, linear);
            std::copy_n(row + w.roles, w.hidden, inner);
        }
        const float* out = reinterpret_cast<const float*>(set.output.values.data());
        for (int h = 0; h < w.hidden; ++h)
            for (int r = 0; r < w.roles; ++r) *output++ = out[r * width + w.roles + h];
    }
    return w;
}

struct FitKernel {
    using Fit = EvaluationFit;
    using Block = Fit::Block;
    using Row = Fit::Row;

    [[gnu::always_inline]] static inline void run(Fit* fit, std::int64_t count, const Word* states,
                                                  const float* targets, float rate, const std::int64_t* order,
                                                  double* squares) {
        switch (fit->blocks_) {
            case 1: return run_in<1>(*fit, count, states, targets, rate, order, squares);
            case 2: return run_in<2>(*fit, count, states, targets, rate, order, squares);
            case 3: return run_in<3>(*fit, count, states, targets, rate, order, squares);
            case 4: return run_in<4>(*fit, count, states, targets, rate, order, squares);
            case 5: return run_in<5>(*fit, count, states, targets, rate, order, squares);
            case 6: return run_in<6>(*fit, count, states, targets, rate, order, squares);
            default: return run_in<7>(*fit, count, states, targets, rate, order, squares);
        }
    }

    template <int blocks>
    [[gnu::always_inline]] static inline void run_in(Fit& fit, std::int64_t count, const Word* states,
                                                     const float* targets, float rate, const std::int64_t* order,
                                                     double* squares) {
        const int words = words_for(fit.shape_.feature_bits), roles = fit.shape_.roles;
        for (std::int64_t i = 0; i < count; ++i) {
            const Word* state = states + order[i] * words;
            *squares += sample<blocks>(fit, set_of(fit, state), state, words, targets + order[i] * roles);
            if ((i + 1) % batch == 0 || i + 1 == count)
                for (Fit::Set& set : fit.sets_) descend(set, rate);
        }
    }

    static Fit::Set& set_of(Fit& fit, const Word* state) {
        const auto& control = fit.shape_.control;
        std::size_t set = 0;
        while (set < control.size() && !is_set(state, control[set])) ++set;
        return fit.sets_[set];
    }

    // Adds the gradient of one position; its squared error, summed over the roles.
    template <int blocks>
    [[gnu::always_inline]] static inline double sample(const Fit& fit, Fit::Set& set, const Word* state, int words,
                                                       const float* targets) {
        const int roles = fit.shape_.roles;
        Block sums[blocks], back[blocks] = {};
        const Row* bias = &set.first.values[std::size_t(fit.shape_.feature_bits) * blocks];
        for (int b = 0; b < blocks; ++b) sums[b] = bias[b].sums;
        for_bits(state, words, [&](std::size_t bit) {
            const Row* row = &set.first.values[bit * blocks];
            for (int b = 0; b < blocks; ++b) sums[b] += row[b].sums;
        });
        Block active[blocks];
        for (int b = 0; b < blocks; ++b) active[b] = sums[b] > 0 ? sums[b] : Block{};
        for (int r = 0; r < roles; ++r) active[0][r] = 0;
        double squared = 0;
        float errors[EvaluationWeights::most_roles];
        for (int r = 0; r < roles; ++r) {
            const Row* weights = &set.output.values[std::size_t(r) * blocks];
            Block total{};
            for (int b = 0; b < blocks; ++b) total += active[b] * weights[b].sums;
            float logit = sums[0][r];
            for (int i = 0; i < Fit::block_floats; ++i) logit += total[i];
            errors[r] = 1 / (1 + std::exp(-logit)) - targets[r] / 100;
            squared += double{errors[r]} * errors[r] * 1e4;
            Row* gradient = &set.output.gradients[std::size_t(r) * blocks];
            for (int b = 0; b < blocks; ++b) {
                gradient[b].sums += active[b] * errors[r];
                back[b] += weights[b].sums * errors[r];
            }
        }
        for (int b = 0; b < blocks; ++b) back[b] = active[b] > 0 ? back[b] : Block{};
        for (int r = 0; r < roles; ++r) back[0][r] = errors[r];
        const auto add = [&](std::size_t input) {
            Row* row = &set.first.gradients[input * blocks];
            for (int b = 0; b < blocks; ++b) row[b].sums += back[b];
        };
        add(static_cast<std::size_t>(fit.shape_.feature_bits));
        for_bits(state, words, add);
        ++set.samples;
        return squared;
    }

    template <class Visit>
    [[gnu::always_inline]] static inline void for_bits(const Word* state, int words, Visit visit) {
        for (int w = 0; w < words; ++w)
            for (Word rest = state[w]; rest != 0; rest &= rest - 1)
                visit(static_cast<std::size_t>(w * 64 + std::countr_zero(rest)));
    }

    static float* numbers_of(std::vector<Row>& rows) { return reinterpret_cast<float*>(rows.data()); }

    [[gnu::always_inline]] static inline void descend(Fit::Set& set, float rate) {
        if (set.samples == 0) return;
        ++set.steps;
        const float share = 1 / static_cast<float>(set.samples);
        const float mean_scale = 1 / (1 - std::pow(mean_decay, static_cast<float>(set.steps)));
        const float square_scale = 1 / (1 - std::pow(square_decay, static_cast<float>(set.steps)));
        for (Fit::Parameters* p : {&set.first, &set.output}) {
            const std::size_t numbers = p->values.size() * Fit::block_floats;
            float* __restrict values = numbers_of(p->values);
            float* __restrict gradients = numbers_of(p->gradients);
            float* __restrict means = numbers_of(p->means);
            float* __restrict squares = numbers_of(p->squares);
            for (std::size_t i = 0; i < numbers; ++i) {
                const float gradient = gradients[i] * share;
                gradients[i] = 0;
                means[i] += (1 - mean_decay) * (gradient - means[i]);
                squares[i] += (1 - square_decay) * (gradient * gradient - squares[i]);
                const float step = means[i] * mean_scale / (__builtin_sqrtf(squares[i] * square_scale) + epsilon);
                values[i] -= rate * (step + weight_decay * values[i]);
            }
        }
        set.samples = 0;
    }
};

double EvaluationFit::pass(std::int64_t count, const Word* states, const float* targets, float rate,
                           std::uint64_t seed) {
    if (count == 0) return 0;
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    Random random(seed);
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
    double squares = 0;
    dispatch<FitKernel>(this, count, states, targets, rate, static_cast<const std::int64_t*>(order.data()), &squares);
    return squares / (static_cast<double>(count) * shape_.roles);
}

}  // namespace ludens
