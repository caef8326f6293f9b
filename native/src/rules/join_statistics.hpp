// Statistics of how large a rule program's relations are in play; the conditions of rules are ordered by them.
//
// The program is planned on the initial state alone and played at random for a moment; then it is planned again
// on what was seen. The play has a budget, since the first plan can be very bad, as on a board that starts empty.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "rules/program.hpp"

namespace ludens::rules {

using CallPattern = std::tuple<int, std::uint64_t, std::uint64_t>;  // predicate, bound and ignored columns

struct JoinStatistics {
    explicit JoinStatistics(const Terms& terms) : terms(terms) {}

    Terms terms;
    std::vector<std::vector<Term>> states;
    std::map<CallPattern, double> answers;  // mean number for a call
};

// The initial state of a program.
JoinStatistics first_state(const Program& program);
// A few states of random play; the first is the initial one.
JoinStatistics sample_states(const Program& program, const JoinStatistics& first);

}  // namespace ludens::rules
