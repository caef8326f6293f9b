#include "backward_induction/matrix_game.hpp"

#include <algorithm>
#include <limits>

namespace ludens::backward_induction {

namespace {

constexpr double tolerance = 1e-9;
constexpr std::size_t pivots_per_move = 200;  // at most; a few are usual

}  // namespace

bool MatrixGame::solve(std::span<const double> payoffs, std::size_t rows, std::size_t columns) {
    rows_ = rows;
    columns_ = columns;
    strategies_[0].assign(rows, 0);
    strategies_[1].assign(columns, 0);
    return find_saddle(payoffs) || solve_program(payoffs);
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

// With payoffs p, all above 0, the strategy of who chooses a column is y / sum(y) for the y >= 0 of greatest sum with
// p y <= 1, and the value 1 / sum(y); that of the other is the solution of the dual program. The role with fewer moves is
// taken to choose the row, for that takes less room.
bool MatrixGame::solve_program(std::span<const double> payoffs) {
    const bool turned = rows_ > columns_;
    const std::size_t variables = std::max(rows_, columns_);
    constraints_ = std::min(rows_, columns_);
    width_ = variables + constraints_ + 1;
    const double shift = turned ? *std::ranges::max_element(payoffs) + 1 : *std::ranges::min_element(payoffs) - 1;
    tableau_.assign((constraints_ + 1) * width_, 0);
    basis_.resize(constraints_);
    for (std::size_t r = 0; r < constraints_; ++r) {
        for (std::size_t c = 0; c < variables; ++c)
            cell(r, c) = turned ? shift - payoffs[c * columns_ + r] : payoffs[r * columns_ + c] - shift;
        cell(r, variables + r) = cell(r, width_ - 1) = 1;
        basis_[r] = variables + r;
    }
    for (std::size_t c = 0; c < variables; ++c) cell(constraints_, c) = -1;
    std::size_t pivots = pivots_per_move * width_;
    for (std::size_t in; (in = entering()) < width_ - 1;) {
        const std::size_t out = leaving(in);
        if (out == constraints_ || pivots-- == 0) return false;
        pivot(in, out);
    }
    const double sum = cell(constraints_, width_ - 1);
    value_ = turned ? shift - 1 / sum : 1 / sum + shift;
    std::vector<double>&chooses_row = strategies_[turned], &chooses_column = strategies_[!turned];
    for (std::size_t r = 0; r < constraints_; ++r) {
        chooses_row[r] = std::max(0.0, cell(constraints_, variables + r) / sum);
        if (basis_[r] < variables) chooses_column[basis_[r]] = std::max(0.0, cell(r, width_ - 1) / sum);
    }
    return true;
}

// The first variable that would raise the objective; width_ - 1: none.
std::size_t MatrixGame::entering() const {
    std::size_t column = 0;
    while (column < width_ - 1 && cell(constraints_, column) >= -tolerance) ++column;
    return column;
}

// The constraint that bounds a variable which had been 0, of several the one with the first variable. There is always one
// but for rounding; constraints_: none.
std::size_t MatrixGame::leaving(std::size_t entering) const {
    std::size_t leaving = constraints_;
    double bound = std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < constraints_; ++r) {
        if (cell(r, entering) <= tolerance) continue;
        const double ratio = cell(r, width_ - 1) / cell(r, entering);
        const bool tie = leaving < constraints_ && ratio <= bound + tolerance;
        if (ratio >= bound - tolerance && !(tie && basis_[r] < basis_[leaving])) continue;
        leaving = r;
        bound = ratio;
    }
    return leaving;
}

// Solves a constraint for a variable.
void MatrixGame::pivot(std::size_t entering, std::size_t leaving) {
    const double scale = 1 / cell(leaving, entering);
    for (std::size_t c = 0; c < width_; ++c) cell(leaving, c) *= scale;
    for (std::size_t r = 0; r <= constraints_; ++r) {
        const double factor = cell(r, entering);
        if (r == leaving || factor == 0) continue;
        for (std::size_t c = 0; c < width_; ++c) cell(r, c) -= factor * cell(leaving, c);
    }
    basis_[leaving] = entering;
}

}  // namespace ludens::backward_induction
