#include "backward_induction/matrix_game.hpp"

#include <algorithm>
#include <limits>

namespace ludens::backward_induction {

namespace {

constexpr double tolerance = 1e-9;

}  // namespace

void MatrixGame::solve(std::span<const double> payoffs, std::size_t rows, std::size_t columns) {
    rows_ = rows;
    columns_ = columns;
    strategies_[0].assign(rows, 0);
    strategies_[1].assign(columns, 0);
    if (!find_saddle(payoffs)) solve_program(payoffs);
}

bool MatrixGame::find_saddle(std::span<const double> payoffs) {
    least_.assign(rows_, std::numeric_limits<double>::infinity());
    most_.assign(columns_, -std::numeric_limits<double>::infinity());
    for (std::size_t r = 0; r < rows_; ++r)
        for (std::size_t c = 0; c < columns_; ++c) {
            const double payoff = payoffs[r * columns_ + c];
            least_[r] = std::min(least_[r], payoff);
            most_[c] = std::max(most_[c], payoff);
        }
    const auto row = std::ranges::max_element(least_), column = std::ranges::min_element(most_);
    saddle_ = -1;
    if (*row < *column) return false;
    const auto r = static_cast<std::size_t>(row - least_.begin()), c = static_cast<std::size_t>(column - most_.begin());
    saddle_ = static_cast<std::ptrdiff_t>(r * columns_ + c);
    strategies_[0][r] = strategies_[1][c] = 1;
    value_ = *row;
    return true;
}

// With payoffs p, all above 0, the second role's strategy is y / sum(y) for the y >= 0 of greatest sum with p y <= 1, and
// the value 1 / sum(y); the first role's is that of the dual program.
void MatrixGame::solve_program(std::span<const double> payoffs) {
    const double shift = *std::ranges::min_element(payoffs) - 1;
    width_ = columns_ + rows_ + 1;
    tableau_.assign((rows_ + 1) * width_, 0);
    basis_.resize(rows_);
    for (std::size_t r = 0; r < rows_; ++r) {
        for (std::size_t c = 0; c < columns_; ++c) cell(r, c) = payoffs[r * columns_ + c] - shift;
        cell(r, columns_ + r) = cell(r, width_ - 1) = 1;
        basis_[r] = columns_ + r;
    }
    for (std::size_t c = 0; c < columns_; ++c) cell(rows_, c) = -1;
    for (std::size_t variable; (variable = entering()) < width_ - 1;) pivot(variable);
    const double sum = cell(rows_, width_ - 1);
    value_ = 1 / sum + shift;
    for (std::size_t r = 0; r < rows_; ++r) {
        strategies_[0][r] = std::max(0.0, cell(rows_, columns_ + r) / sum);
        if (basis_[r] < columns_) strategies_[1][basis_[r]] = std::max(0.0, cell(r, width_ - 1) / sum);
    }
}

// The first variable that would raise the objective; width_ - 1: none.
std::size_t MatrixGame::entering() const {
    std::size_t column = 0;
    while (column < width_ - 1 && cell(rows_, column) >= -tolerance) ++column;
    return column;
}

// Solves for a variable that had been 0. There is always a row that bounds it.
void MatrixGame::pivot(std::size_t entering) {
    std::size_t leaving = rows_;
    double bound = std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < rows_; ++r) {
        if (cell(r, entering) <= tolerance) continue;
        const double ratio = cell(r, width_ - 1) / cell(r, entering);
        const bool tie = leaving < rows_ && ratio <= bound + tolerance;
        if (ratio >= bound - tolerance && !(tie && basis_[r] < basis_[leaving])) continue;
        leaving = r;
        bound = ratio;
    }
    const double scale = 1 / cell(leaving, entering);
    for (std::size_t c = 0; c < width_; ++c) cell(leaving, c) *= scale;
    for (std::size_t r = 0; r <= rows_; ++r) {
        const double factor = cell(r, entering);
        if (r == leaving || factor == 0) continue;
        for (std::size_t c = 0; c < width_; ++c) cell(r, c) -= factor * cell(leaving, c);
    }
    basis_[leaving] = entering;
}

}  // namespace ludens::backward_induction
