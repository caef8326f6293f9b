// Fits an evaluation to positions and their results: stochastic gradient descent with Adam (Kingma and Ba, "Adam: a
// method for stochastic optimization", 2015) on the cross-entropy of the goals. States are sparse, so the first layer
// is summed over the bits that are set.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluation/evaluation.hpp"

namespace ludens {

class EvaluationFit {
public:
    // Begins at `weights`; Error if these do not pass their check().
    explicit EvaluationFit(EvaluationWeights weights);

    // One pass over positions [count][feature_words] with targets [count][roles], 0 ... 100, in an order that follows
    // from the seed. The mean squared error met on the way, in goals; 0 if there are no positions.
    double pass(std::int64_t count, const Word* states, const float* targets, float rate, std::uint64_t seed);

    EvaluationWeights weights() const;

    // What the optimiser remembers besides the weights: of each set the moments of the gradients and the number of its
    // steps. With it a fit goes on in another object as if it had never ended.
    struct Memory {
        std::vector<float> moments;       // [memory_size()]
        std::vector<std::int64_t> steps;  // [sets]
    };
    std::size_t memory_size() const;
    Memory memory() const;
    // Error on sizes that are not those of this fit, on moments that are not finite, and on squares and steps below 0.
    void remember(const Memory& memory);

private:
    friend struct FitKernel;

    // Numbers to be learned, with their gradient in this batch and the optimiser's moments.
    struct Parameters {
        std::vector<Part> values, gradients, means, squares;
        explicit Parameters(std::size_t rows) : values(rows), gradients(rows), means(rows), squares(rows) {}
    };

    // The weights of one control state, rows of `parts_`: linear sums of all roles first, then hidden ones.
    struct Set {
        Parameters first;   // [feature_bits + 1]
        Parameters output;  // [roles]
        std::int64_t steps = 0;
        int samples = 0;  // in this batch
        Set(std::size_t first_rows, std::size_t output_rows) : first(first_rows), output(output_rows) {}
    };

    void check_numbers(const Memory& memory) const;

    EvaluationWeights shape_;  // its numbers are those of the beginning
    int parts_;
    std::vector<Set> sets_;
};

}  // namespace ludens
