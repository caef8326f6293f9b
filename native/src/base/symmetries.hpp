// Symmetries of a game, as permutations of the propositions of its states.
#pragma once

#include <span>
#include <vector>

#include "base/machine.hpp"

namespace ludens {

// [K][state_bits]: where each proposition of a state goes in its image, which is worth to each role what the state is.
using Symmetries = std::vector<std::vector<int>>;

// Throws Error unless all are permutations of so many propositions.
inline void check_symmetries(std::span<const std::vector<int>> symmetries, int bits) {
    for (const std::vector<int>& permutation : symmetries) {
        std::vector<char> met(static_cast<std::size_t>(bits));
        for (const int i : permutation) {
            if (i < 0 || i >= bits || met[static_cast<std::size_t>(i)]) throw Error("a symmetry is no permutation");
            met[static_cast<std::size_t>(i)] = 1;
        }
        if (permutation.size() != met.size()) throw Error("a symmetry is no permutation");
    }
}

}  // namespace ludens
