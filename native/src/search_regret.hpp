// Regret matching at one node, for one of several roles that choose at once.
#pragma once

#include "search_random.hpp"
#include "tree.hpp"

namespace ludens {

// A choice in `group` of the locked, simultaneous `node`, with its chance.
Choice match_regret(const Tree& tree, const Node& node, const Group& group, Random& random);

}  // namespace ludens
