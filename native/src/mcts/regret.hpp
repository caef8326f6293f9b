// Regret matching at one node, for several roles that choose at once.
#pragma once

#include "base/random.hpp"
#include "mcts/tree.hpp"

namespace ludens {

// A choice of the edges from `first` on, in a locked node where several roles choose, with its chance.
Choice match_regret(const Tree& tree, Index first, Random& random);

// What each of the roles regrets after a visit with these choices that brought these goals.
void learn_regrets(const Tree& tree, Node& node, const Choice* choices, const double* goals);

}  // namespace ludens
