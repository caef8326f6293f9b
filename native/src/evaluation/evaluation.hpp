// Estimates the worth of a state to each role from its features: a perceptron of one hidden layer beside a linear part,
// one set of weights for each control state (whose turn it is), with a logistic end.
//
//     goal_r = 100 / (1 + exp(-(linear_r(x) + sum over h of output_rh * max(0, hidden_h(x)))))
//
// x is the bit string of the state, followed by what else the game tells (Game::feature_bits). Both layers over x are
// sums of one table row for every four bits (piece-square tables for whatever the rules have in place of pieces and
// squares). What the moves of one position lead to is told by what it differs in from that position, a row a bit, as in
// efficiently updatable networks (Nasu, 2018). Learned with evaluation/fit.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/evaluation.hpp"
#include "base/machine.hpp"
#include "evaluation/parts.hpp"

namespace ludens {

// Rows are of feature_bits + 1 inputs: the bits, then the constant one.
struct EvaluationWeights {
    int feature_bits = 0, roles = 0, hidden = 0;
    std::vector<int> control;   // set i is for states in which proposition control[i] is the first to hold, the
                                // last set for those in which none does; sets = control.size() + 1
    std::vector<float> linear;  // [sets][feature_bits + 1][roles]
    std::vector<float> inner;   // [sets][feature_bits + 1][hidden]
    std::vector<float> output;  // [sets][hidden][roles]

    static constexpr int most_hidden = 96, most_roles = 16;
    static_assert(most_hidden + most_roles == most_parts * wide);

    // Error on sizes that do not fit together or are out of range, and on numbers that are not finite.
    void check() const;
};

class Perceptron final : public Evaluation {
public:
    // Error on weights that do not pass their check().
    explicit Perceptron(const EvaluationWeights& weights);

    int roles() const override { return roles_; }
    void check_fits(const Game& game) const override;
    // Sooner told if those like the same one follow each other.
    using Evaluation::values;
    void values(std::int64_t count, const Word* states, const std::size_t* likes, const Word* others,
                float* goals) const override;

private:
    friend struct EvaluationKernel;

    static constexpr int nibble_bits = 4, nibble_values = 16;

    void tabulate(const EvaluationWeights& weights, int set);
    std::size_t set_of(const Word* state) const;

    int roles_, feature_words_, nibbles_,
        parts_;  // parts of `wide` sums: the linear ones of all roles, then hidden ones
    std::vector<int> control_;
    std::vector<Part> tables_;   // [sets][nibbles][nibble_values][parts]
    std::vector<Part> bits_;     // [sets][feature_bits][parts]; a copy, since a cache keeps these few
    std::vector<Part> biases_;   // [sets][parts]
    std::vector<Part> outputs_;  // [sets][roles][parts]; the linear sums count as they are
    std::vector<Part> least_;    // [parts], that a sum counts as: any if it is linear, else 0
};

}  // namespace ludens
