// What a game core is compiled to for each instruction set, and the choice among them at run time; see base/target.hpp.
#pragma once

#include <string>
#include <vector>

#include "base/machine.hpp"

namespace ludens {

// Functions of a game core, compiled for the instruction set of this name.
template <class Functions> struct CompiledSet {
    const char* name;
    Functions functions;
};

// Returns that of a name, or the first, which is the best, for the empty one. Throws Error if there is none.
template <class Functions>
const CompiledSet<Functions>& compiled_set(const std::vector<CompiledSet<Functions>>& sets, const std::string& name,
                                           const char* game) {
    for (const auto& set : sets)
        if (name.empty() || name == set.name) return set;
    throw Error("instruction set \"" + name + "\" is not available for " + game + " here");
}

// Returns how many lanes a machine gets, by default so many. Throws Error unless they are a multiple of 64.
inline int checked_lanes(int asked, int by_default, int most) {
    const int lanes = asked ? asked : by_default;
    if (lanes < 64 || lanes > most || lanes % 64)
        throw Error("lanes must be a multiple of 64 up to " + std::to_string(most) + ", not " + std::to_string(lanes));
    return lanes;
}

}  // namespace ludens
