// Solves a matrix game: two choose at once, and one wins what the other loses.
//
// Where some pair of moves is best against each other (a saddle point) that is all. Else the game is a linear program
// (Dantzig, "A proof of the equivalence of the programming problem and the game problem", 1951), solved by the simplex
// method with the smallest-index rule, which cannot cycle (Bland, "New finite pivoting rules for the simplex method",
// 1977).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ludens::backward_induction {

class MatrixGame {
public:
    // Solves the game in which the first role chooses a row, the second a column, and the first wins `payoffs`
    // [rows][columns] of the second. Returns whether rounding let it.
    bool solve(std::span<const double> payoffs, std::size_t rows, std::size_t columns);

    double value() const { return value_; }
    // The place of the saddle point among the payoffs; -1: there is none.
    std::ptrdiff_t saddle() const { return saddle_; }
    // How likely an optimal strategy of the first role (0) or the second (1) makes each of its moves.
    std::span<const double> strategy(int role) const { return strategies_[role]; }

private:
    bool find_saddle(std::span<const double> payoffs);
    bool solve_program(std::span<const double> payoffs);
    std::size_t entering() const;
    std::size_t leaving(std::size_t entering) const;
    void pivot(std::size_t entering, std::size_t leaving);
    double& cell(std::size_t row, std::size_t column) { return tableau_[row * width_ + column]; }
    double cell(std::size_t row, std::size_t column) const { return tableau_[row * width_ + column]; }

    std::size_t rows_ = 0, columns_ = 0;       // moves of the first role, of the second
    std::size_t constraints_ = 0, width_ = 0;  // of the program
    double value_ = 0;
    std::ptrdiff_t saddle_ = -1;
    std::vector<double> strategies_[2];
    std::vector<double> least_, most_;  // payoffs of each row, of each column
    std::vector<double> tableau_;       // [constraints + 1][width]: the last row is the objective
    std::vector<std::size_t> basis_;    // [constraints] the variable that is solved for
};

}  // namespace ludens::backward_induction
