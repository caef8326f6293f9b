// Guards: conditions under which a step need not evaluate some gates and propositions.
//
// Where a gate ANDs a cone of others with a proposition g, and nothing else reads the cone, nobody sees the cone
// while g is false in all lanes: it need not be evaluated. And where the next value of p is a ∨ (p ∧ ¬r), as frame
// axioms have it, p stays as it is while a and r are false in all lanes, and so does what serves p alone. The first
// is guarded evaluation (V. Tiwari et al., "Guarded Evaluation: Pushing Power Management to Logic Synthesis/Design",
// IEEE Transactions on CAD, 1998), the second an enabled flip-flop. A step counter in the rules makes many of both:
// most of what hangs on other steps than the present one is at rest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/program.hpp"

namespace ludens::network {

struct Guards {
    static constexpr int none = -1;

    // Groups that rest while all their guards, which are literals, are false.
    std::vector<std::vector<int>> groups;
    int cones = 0;                    // so many of them, the first, are cones; nothing else reads what is in the rest
    std::vector<int> of_gate;         // [gates] its group, or none
    std::vector<int> of_proposition;  // [state_bits] the group of its next value, or none
};

// Only gates in `among` are grouped. `clocks`: propositions that are worth a guard, as they are often false in all
// lanes.
Guards find_guards(const NetworkArrays& network, const std::vector<std::uint8_t>& among, std::span<const int> clocks);

}  // namespace ludens::network
