// Values of states that are known without a search, for example from endgame tables.
#pragma once

#include "base/machine.hpp"

namespace ludens {

// Immutable, shared by threads.
class Knowledge {
public:
    static constexpr int nothing = -1;

    virtual ~Knowledge() = default;

    // Writes the goals [roles] that perfect play leads to from a state whose game is not over, and returns how far
    // away the end is, such that who wins gets there by choosing the nearest of equally good states; or `nothing`.
    // Whatever is known of a state is known of a child that keeps its goals.
    virtual int find(const Word* state, int* goals) const = 0;

    // Whether what is known begins so few moves away that a solver beside a search is worth its time.
    virtual bool is_near(const Word* state) const = 0;
};

}  // namespace ludens
