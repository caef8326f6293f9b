#include "evaluation/joint_choice_solver.hpp"

#include <algorithm>
#include <numeric>

namespace ludens {

void JointChoiceSolver::solve(std::span<const int> widths, std::span<const float> values) {
    for (auto* rows : {&shares_, &regrets_, &sums_}) {
        rows->resize(widths.size());
        for (std::size_t role = 0; role < widths.size(); ++role)
            (*rows)[role].assign(static_cast<std::size_t>(widths[role]), 0);
    }
    for (std::size_t role = 0; role < widths.size(); ++role) match_regrets(role);
    for (int i = 1; i <= iterations; ++i) {
        for (std::size_t role = 0; role < widths.size(); ++role) {
            earn(role, values);
            learn(role, i);
            match_regrets(role);
        }
    }
    average();
    expect(values);
}

// Makes a role play each move in proportion to its regret; all alike where there is none.
void JointChoiceSolver::match_regrets(std::size_t role) {
    const std::vector<double>& regrets = regrets_[role];
    const double total = std::accumulate(regrets.begin(), regrets.end(), 0.0);
    const double alike = 1 / static_cast<double>(regrets.size());
    for (std::size_t m = 0; m < regrets.size(); ++m) shares_[role][m] = total > 0 ? regrets[m] / total : alike;
}

// Finds out what each move of a role earns against the others' present strategies.
void JointChoiceSolver::earn(std::size_t role, std::span<const float> values) {
    earned_.assign(shares_[role].size(), 0);
    each_joint([&](std::size_t joint) {
        earned_[moves_[role]] += likelihood_of_others(role) * values[joint * shares_.size() + role];
    });
}

// Counts the present strategy of a role `weight` times, and what it earned less than each move.
void JointChoiceSolver::learn(std::size_t role, int weight) {
    const std::vector<double>& shares = shares_[role];
    const double mean = std::inner_product(shares.begin(), shares.end(), earned_.begin(), 0.0);
    for (std::size_t m = 0; m < shares.size(); ++m) {
        sums_[role][m] += weight * shares[m];
        regrets_[role][m] = std::max(regrets_[role][m] + earned_[m] - mean, 0.0);
    }
}

void JointChoiceSolver::average() {
    for (std::size_t role = 0; role < shares_.size(); ++role) {
        const double total = std::accumulate(sums_[role].begin(), sums_[role].end(), 0.0);
        std::ranges::transform(sums_[role], shares_[role].begin(), [&](double sum) { return sum / total; });
    }
}

void JointChoiceSolver::expect(std::span<const float> values) {
    const std::size_t roles = shares_.size();
    expected_.assign(roles, 0);
    each_joint([&](std::size_t joint) {
        const double likelihood = likelihood_of_others(0) * shares_[0][moves_[0]];
        for (std::size_t role = 0; role < roles; ++role) expected_[role] += likelihood * values[joint * roles + role];
    });
}

template <class Visit> void JointChoiceSolver::each_joint(Visit visit) {
    moves_.assign(shares_.size(), 0);
    for (std::size_t joint = 0;; ++joint) {
        visit(joint);
        std::size_t role = shares_.size();
        while (role > 0 && ++moves_[role - 1] == shares_[role - 1].size()) moves_[--role] = 0;
        if (role == 0) return;
    }
}

// How likely the others play as in the joint move visited.
double JointChoiceSolver::likelihood_of_others(std::size_t role) const {
    double likelihood = 1;
    for (std::size_t other = 0; other < shares_.size(); ++other)
        if (other != role) likelihood *= shares_[other][moves_[other]];
    return likelihood;
}

}  // namespace ludens
