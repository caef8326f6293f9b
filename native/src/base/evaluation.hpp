// The interface of evaluations, which estimate what a state is worth to each role.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/machine.hpp"

namespace ludens {

// Immutable, shared by threads.
class Evaluation {
public:
    virtual ~Evaluation() = default;

    virtual int roles() const = 0;
    // Throws Error unless it is of this game, and of states as large.
    virtual void check_fits(const Game& game) const = 0;

    // Goals [count][roles], between 0 and 100, of states [count][feature_words] that differ little from others: state i
    // from that number likes[i] of `others`; null where nothing is known of that. What is told of a state depends on it
    // and the one it is like alone.
    virtual void values(std::int64_t count, const Word* states, const std::size_t* likes, const Word* others,
                        float* goals) const = 0;
    // The same of states of which nothing else is known.
    void values(std::int64_t count, const Word* states, float* goals) const {
        values(count, states, nullptr, nullptr, goals);
    }
};

}  // namespace ludens
