// Upper confidence bounds at one node.
#pragma once

#include "mcts/tree.hpp"

namespace ludens::mcts {

// The `scale` of highest_bound() for a UCB constant in units of the range of goals.
float bound_scale(double exploration);

// Returns an edge with the highest upper confidence bound, of those from `first` on of `node`.
Edge highest_bound(const Tree& tree, const Node& node, Index first, float scale);

}  // namespace ludens::mcts
