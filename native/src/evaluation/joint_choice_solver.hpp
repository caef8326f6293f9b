// Mixed strategies for one joint choice of several roles whose outcomes are all known, found by regret matching+
// (Tammelin, "Solving large imperfect information games using CFR+", 2014): where one role wins what the other loses
// their averages approach an equilibrium. Roles take turns to learn, and the t-th strategy counts t times, for later ones
// are better.
#pragma once

#include <span>
#include <vector>

namespace ludens {

class JointChoiceSolver {
public:
    // Finds strategies. `widths` [roles]: of how many moves each role chooses; `values` [joint moves][roles]: goals,
    // joint moves in the order in which those of the last role change first.
    void solve(std::span<const int> widths, std::span<const float> values);

    // How likely each move of a role is; they add up to one.
    std::span<const double> strategy(std::size_t role) const { return shares_[role]; }
    // Goals [roles] that are expected if all play so.
    std::span<const double> values() const { return expected_; }

private:
    static constexpr int iterations = 64;

    void match_regrets(std::size_t role);
    void earn(std::size_t role, std::span<const float> values);
    void learn(std::size_t role, int weight);
    void average();
    void expect(std::span<const float> values);

    // Calls visit(place) for each joint move, whose moves are then `moves_`.
    template <class Visit> void each_joint(Visit visit);
    double likelihood_of_others(std::size_t role) const;

    std::vector<std::vector<double>> shares_;   // [roles][moves]: the present strategies, in the end their averages
    std::vector<std::vector<double>> regrets_;  // not negative
    std::vector<std::vector<double>> sums_;     // of weighted strategies
    std::vector<double> earned_;                // by each move of a role, were it played against the others' strategies
    std::vector<double> expected_;
    std::vector<std::size_t> moves_;  // of the joint move visited
};

}  // namespace ludens
