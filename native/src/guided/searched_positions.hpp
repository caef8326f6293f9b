// Positions that searches have visited or proven, each once, with what it is worth by the latest of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/machine.hpp"
#include "base/random.hpp"

namespace ludens::guided {

// Every position is there once, in the order in which they came. Positions are told apart by 64 bits of their states.
class SearchedPositions {
public:
    // `values` [roles], 0 ... 100: expected by minimax, in place of what was said of this state before.
    void put(std::span<const Word> state, std::span<const float> values) {
        const auto [place, is_new] = places_.try_emplace(hash_words(state), places_.size());
        if (is_new) {
            states_.insert(states_.end(), state.begin(), state.end());
            values_.insert(values_.end(), values.begin(), values.end());
        } else {
            std::ranges::copy(values, values_.begin() + static_cast<std::ptrdiff_t>(place->second * values.size()));
        }
    }

    std::size_t count() const { return places_.size(); }
    const std::vector<Word>& states() const { return states_; }   // [count][state_words]
    const std::vector<float>& values() const { return values_; }  // [count][roles]

private:
    std::vector<Word> states_;
    std::vector<float> values_;
    std::unordered_map<std::uint64_t, std::size_t> places_;  // by the hash of the state
};

}  // namespace ludens::guided
