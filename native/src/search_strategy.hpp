// What distinguishes one strategy from another: which edge a role tries next, and whether a tree grows at all.
// A new strategy is a file with a subclass and a line in make_strategy().
#pragma once

#include <memory>
#include <string>

#include "search_random.hpp"
#include "tree.hpp"

namespace ludens {

class Strategy {
public:
    virtual ~Strategy() = default;

    // What to try next in `group`, which has edges, at `node`, which is locked.
    virtual Choice choose(const Tree& tree, const Node& node, const Group& group, Random& random) const = 0;

    // Whether nodes are made below the root.
    virtual bool grows() const = 0;
};

std::unique_ptr<Strategy> make_flat();
std::unique_ptr<Strategy> make_uct(double exploration);

// Error on a name that is none.
std::unique_ptr<Strategy> make_strategy(const std::string& name, double exploration);

}  // namespace ludens
