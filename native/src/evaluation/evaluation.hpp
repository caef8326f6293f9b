// Estimates the worth of a state to each role from its features: a perceptron of one hidden layer beside a linear part,
// one set of weights for each control state (whose turn it is), with a logistic end.
//
//     goal_r = 100 / (1 + exp(-(linear_r(x) + sum over h of output_rh * max(0, hidden_h(x)))))
//
// x is the bit string of the state, followed by what else the game tells (Game::feature_bits). Both layers over x are
// sums of one table row for every four bits (piece-square tables for whatever the rules have in place of pieces and
// squares), so a state costs a row of additions a table, or if it differs little from one before it in the same call,
// two a table that they differ in. Learned with evaluation/fit.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/machine.hpp"

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

    // Error on sizes that do not fit together or are out of range, and on numbers that are not finite.
    void check() const;
};

// Immutable, shared by threads.
class Evaluation {
public:
    // Error on weights that do not pass their check().
    explicit Evaluation(const EvaluationWeights& weights);

    int roles() const { return roles_; }
    // Throws Error unless it is of this game: of its number of roles, and of states as large.
    void check_fits(const Game& game) const;

    // Goals [count][roles], between 0 and 100, of states [count][feature_words].
    void values(std::int64_t count, const Word* states, float* goals) const;

private:
    friend struct EvaluationKernel;

    using Block [[gnu::vector_size(64)]] = float;
    using Mask [[gnu::vector_size(64)]] = std::int32_t;
    // A vector as an element of containers, which would forget its alignment.
    struct alignas(64) Row {
        Block sums;
    };
    static constexpr int block_floats = 16, nibble_bits = 4, nibble_values = 16;

    void tabulate(const EvaluationWeights& weights, int set);
    std::size_t set_of(const Word* state) const;

    int roles_, feature_words_, nibbles_, blocks_;  // blocks of 16 sums: the linear ones of all roles, then hidden ones
    std::vector<int> control_;
    std::vector<Row> tables_;   // [sets][nibbles][nibble_values][blocks]
    std::vector<Row> biases_;   // [sets][blocks]
    std::vector<Row> outputs_;  // [sets][roles][blocks]; the linear sums count as they are
};

}  // namespace ludens
