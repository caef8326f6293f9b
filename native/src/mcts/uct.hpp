// Upper confidence bounds at one node.
#pragma once

#include "mcts/tree.hpp"

namespace ludens {

// What `highest_bound` takes for a UCB constant in units of the range of goals.
float bound_scale(double exploration);

// Of the edges from `first` on of `node`, one whose upper confidence bound is highest.
Edge highest_bound(const Tree& tree, const Node& node, Index first, float scale);

}  // namespace ludens
