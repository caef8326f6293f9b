#include "evaluation/fit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>

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
    parts_ = (w.roles + w.hidden + wide - 1) / wide;
    const int width = parts_ * wide, inputs = w.feature_bits + 1;
    const float *linear = w.linear.data(), *inner = w.inner.data(), *output = w.output.data();
    for (std::size_t set = 0; set <= w.control.size(); ++set) {
        sets_.emplace_back(std::size_t(inputs) * std::size_t(parts_), std::size_t(w.roles) * std::size_t(parts_));
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
    const int width = parts_ * wide, inputs = w.feature_bits + 1;
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

std::size_t EvaluationFit::memory_size() const {
    std::size_t parts = 0;
    for (const Set& set : sets_) parts += 2 * (set.first.values.size() + set.output.values.size());
    return parts * wide;
}

EvaluationFit::Memory EvaluationFit::memory() const {
    Memory memory;
    memory.moments.reserve(memory_size());
    for (const Set& set : sets_) {
        for (const Parameters* parameters : {&set.first, &set.output})
            for (const auto* rows : {&parameters->means, &parameters->squares}) {
                const float* numbers = reinterpret_cast<const float*>(rows->data());
                memory.moments.insert(memory.moments.end(), numbers, numbers + rows->size() * wide);
            }
        memory.steps.push_back(set.steps);
    }
    return memory;
}

void EvaluationFit::check_numbers(const Memory& memory) const {
    bool good = std::ranges::all_of(memory.moments, [](float x) { return std::isfinite(x); }) &&
                std::ranges::all_of(memory.steps, [](std::int64_t n) { return n >= 0; });
    const float* numbers = memory.moments.data();
    for (const Set& set : sets_)
        for (const Parameters* parameters : {&set.first, &set.output}) {
            const std::size_t count = parameters->squares.size() * wide;
            good &= std::ranges::all_of(std::span(numbers + count, count), [](float x) { return x >= 0; });
            numbers += 2 * count;
        }
    if (!good) throw Error("the memory of a fit holds numbers that none can have");
}

void EvaluationFit::remember(const Memory& memory) {
    if (memory.moments.size() != memory_size() || memory.steps.size() != sets_.size())
        throw Error("the memory is that of a fit of another size");
    check_numbers(memory);
    const float* numbers = memory.moments.data();
    auto steps = memory.steps.begin();
    for (Set& set : sets_) {
        for (Parameters* parameters : {&set.first, &set.output})
            for (auto* rows : {&parameters->means, &parameters->squares}) {
                std::memcpy(rows->data(), numbers, rows->size() * sizeof(Part));
                numbers += rows->size() * wide;
            }
        set.steps = *steps++;
    }
}

struct FitKernel {
    using Fit = EvaluationFit;

    [[gnu::always_inline]] static inline void run(Fit* fit, std::int64_t count, const Word* states,
                                                  const float* targets, float rate, const std::int64_t* order,
                                                  double* squares) {
        with_parts(fit->parts_, [=]<int parts>() __attribute__((always_inline)) {
            run_in<parts>(*fit, count, states, targets, rate, order, squares);
        });
    }

    template <int parts>
    [[gnu::always_inline]] static inline void run_in(Fit& fit, std::int64_t count, const Word* states,
                                                     const float* targets, float rate, const std::int64_t* order,
                                                     double* squares) {
        const int words = words_for(fit.shape_.feature_bits), roles = fit.shape_.roles;
        for (std::int64_t i = 0; i < count; ++i) {
            const Word* state = states + order[i] * words;
            *squares += sample<parts>(fit, set_of(fit, state), state, targets + order[i] * roles);
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
    template <int parts>
    [[gnu::always_inline]] static inline double sample(const Fit& fit, Fit::Set& set, const Word* state,
                                                       const float* targets) {
        const int bits = fit.shape_.feature_bits, roles = fit.shape_.roles;
        Floats sums[parts], back[parts] = {}, active[parts];
        const Part* bias = &set.first.values[std::size_t(fit.shape_.feature_bits) * parts];
        for (int p = 0; p < parts; ++p) sums[p] = bias[p].sums;
        for_bits(state, bits, [&](std::size_t bit) __attribute__((always_inline)) {
            const Part* row = &set.first.values[bit * parts];
            for (int p = 0; p < parts; ++p) sums[p] += row[p].sums;
        });
        for (int p = 0; p < parts; ++p) active[p] = sums[p] > 0 ? sums[p] : Floats{};
        float linear[EvaluationWeights::most_roles], errors[EvaluationWeights::most_roles];
        split(active, sums, roles, linear);
        double squared = 0;
        for (int r = 0; r < roles; ++r) {
            const Part* weights = &set.output.values[std::size_t(r) * parts];
            Floats total{};
            for (int p = 0; p < parts; ++p) total += active[p] * weights[p].sums;
            errors[r] = 1 / (1 + std::exp(-(linear[r] + added_up(total)))) - targets[r] / 100;
            squared += double{errors[r]} * errors[r] * 1e4;
            Part* gradient = &set.output.gradients[std::size_t(r) * parts];
            for (int p = 0; p < parts; ++p) {
                gradient[p].sums += active[p] * errors[r];
                back[p] += weights[p].sums * errors[r];
            }
        }
        for (int p = 0; p < parts; ++p) back[p] = active[p] > 0 ? back[p] : Floats{};
        std::memcpy(back, errors, std::size_t(roles) * sizeof(float));
        const auto add = [&](std::size_t input) __attribute__((always_inline)) {
            Part* row = &set.first.gradients[input * parts];
            for (int p = 0; p < parts; ++p) row[p].sums += back[p];
        };
        add(static_cast<std::size_t>(fit.shape_.feature_bits));
        for_bits(state, bits, add);
        ++set.samples;
        return squared;
    }

    // The linear sums are no hidden units.
    [[gnu::always_inline]] static inline void split(Floats* active, const Floats* sums, int roles, float* linear) {
        const std::size_t bytes = std::size_t(roles) * sizeof(float);
        std::memcpy(linear, sums, bytes);
        std::memset(active, 0, bytes);
    }

    // Visits those of the first `bits` bits that are set, and none of the last word's others.
    template <class Visit>
    [[gnu::always_inline]] static inline void for_bits(const Word* state, int bits, Visit visit) {
        for (int w = 0; w * 64 < bits; ++w)
            for (Word rest = state[w] & ~Word{0} >> std::max(0, 64 * (w + 1) - bits); rest != 0; rest &= rest - 1)
                visit(static_cast<std::size_t>(w * 64 + std::countr_zero(rest)));
    }

    static float* numbers_of(std::vector<Part>& rows) { return reinterpret_cast<float*>(rows.data()); }

    [[gnu::always_inline]] static inline void descend(Fit::Set& set, float rate) {
        if (set.samples == 0) return;
        ++set.steps;
        const float share = 1 / static_cast<float>(set.samples);
        const float mean_scale = 1 / (1 - std::pow(mean_decay, static_cast<float>(set.steps)));
        const float square_scale = 1 / (1 - std::pow(square_decay, static_cast<float>(set.steps)));
        for (Fit::Parameters* p : {&set.first, &set.output}) {
            const std::size_t numbers = p->values.size() * wide;
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
