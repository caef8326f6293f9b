// Regret matching at one node, for several roles that choose at once.
#pragma once

#include "base/random.hpp"
#include "mcts/tree.hpp"

namespace ludens::mcts {

// Chooses among the edges from `first` on, at a node where several roles choose, and tells how likely that choice was.
Choice match_regret(const Tree& tree, Index first, Random& random);

// Updates what each of the roles regrets, after a visit with these choices that brought these goals.
void learn_regrets(const Tree& tree, Node& node, const Choice* choices, const double* goals);

}  // namespace ludens::mcts
