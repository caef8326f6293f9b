// Selection: how a batch of visits goes down the tree.
//
// Visits that took the same path so far are a group, of which only the size is stored until it splits: the cost of a
// node is paid once for all of them. The better a tree knows its best line, the longer most of a batch stay together:
// in connect four after a second 100 visits meet some 30 nodes on 1,500 levels. The groups of a batch are a queue,
// level after level, so what one of them waits for is fetched while others choose; each knows the group that it was
// split off from, so the queue is also the tree of their paths. What plays on from the end of a path is a Trajectory,
// with a copy of the path.
//
// A group chooses for one visit after another, each counted before the next one chooses, so that where a visit goes
// does not depend on who else is in its group.
#include <algorithm>
#include <utility>

#include "mcts/search_thread.hpp"

namespace ludens::mcts {

// Sends a batch of visits down; where they end are leaves. The visits that end in solved nodes are bounded, for
// below a solved root all do, and the clock is not read here.
void SearchThread::select(std::size_t visits, RunLimit& limit) {
    solved_visits_left_ = 4 * lanes_;
    while (free_trajectories_.size() < visits) {  // some are held by leaves that are handed out
        free_trajectories_.push_back(static_cast<int>(trajectories_.size()));
        trajectories_.emplace_back();
    }
    restarts_ = static_cast<std::uint32_t>(visits);
    while (restarts_ > 0) {
        groups_.assign(1, {.at = root_, .count = std::exchange(restarts_, 0)});
        choices_.clear();
        for (std::size_t i = 0; i < groups_.size(); ++i) visit(i, limit);
    }
}

// Takes a group one level down. Where the next node was evicted, is on the path already or lies too deep, games are
// played from its parent; a path that was to begin at an evicted node begins at the root. A solved node needs no visit.
// (A solved root is visited all the same: the run may have begun before its proof.)
void SearchThread::visit(std::size_t index, RunLimit& limit) {
    VisitGroup group = groups_[index];
    const bool starts = group.depth == 0;
    if (!group.at || tree_.node(group.at.index).head.generation != group.at.generation) {
        if (!starts) return start_playouts(group, is_due(group));
        restarts_ += group.count;
        return;
    }
    Node& node = tree_.node(group.at.index);
    if (!starts && (node.head.flags & NodeHead::solved) != 0) return finish_solved(group, node, limit);
    if (group.depth == depth_limit || repeats_node(group)) return start_playouts(group, false);
    look_up_amaf(group, node);
    choose(group, static_cast<std::uint32_t>(index), node);
}

// Whether the group's next node is on its path already. Each node sets one of 64 bits, which mostly answer at once.
bool SearchThread::repeats_node(VisitGroup& group) const {
    const std::uint64_t bit = std::uint64_t{1} << (group.at.index * 0x9e3779b9u >> 26);
    bool seen = false;
    if ((group.node_bits & bit) != 0) {
        const VisitGroup* above = &group;
        for (int level = group.depth; level > 0 && !seen; --level) {
            above = &groups_[above->parent];
            seen = above->at.index == group.at.index;
        }
    }
    group.node_bits |= bit;
    return seen;
}

// Whether the state that the group has come to is to become a node.
bool SearchThread::is_due(const VisitGroup& group) const {
    const Node& node = tree_.node(groups_[group.parent].at.index);
    return grows_ && tree_.visits(node, &choices_[group.choices]) > expand_after_;
}

// ---- The ends of a path --------------------------------------------------------------------------------------

// Returns a trajectory with the group's path.
int SearchThread::make_trajectory(const VisitGroup& group) {
    const int index = reset_trajectory(group);
    Trajectory& trajectory = trajectories_[index];
    trajectory.nodes.resize(group.depth);
    trajectory.choices.resize(group.path_choices);
    auto end = trajectory.choices.end();
    const VisitGroup* below = &group;
    for (int level = group.depth; level-- > 0; below = &groups_[below->parent]) {
        trajectory.nodes[level] = groups_[below->parent].at.index;
        end -= below->stride;
        std::copy_n(choices_.begin() + below->choices, below->stride, end);
    }
    return index;
}

// Returns a free trajectory, without a path.
int SearchThread::reset_trajectory(const VisitGroup& group) {
    const int index = free_trajectories_.back();
    free_trajectories_.pop_back();
    Trajectory& trajectory = trajectories_[index];
    trajectory.goals.assign(static_cast<std::size_t>(roles_), 0);
    trajectory.amaf_key = group.amaf_key;
    trajectory.has_proof = false;
    trajectory.expands = false;
    trajectory.started_below_root = group.started_below_root;
    return index;
}

// Ends the path of a group. If the state below is to become a node, one of the visits makes it.
void SearchThread::start_playouts(const VisitGroup& group, bool expands) {
    const int first = make_trajectory(group);
    trajectories_[first].expands = expands;
    const int phase = phase_of(first);
    add_leaf(first, phase);
    for (std::uint32_t i = 1; i < group.count; ++i) {
        const int other = reset_trajectory(group);
        trajectories_[other].nodes = trajectories_[first].nodes;
        trajectories_[other].choices = trajectories_[first].choices;
        add_leaf(other, phase);
    }
}

// Ends the path of a group at a solved node.
void SearchThread::finish_solved(const VisitGroup& group, Node& node, RunLimit& limit) {
    node.head.age = 0;
    const std::span bounds = tree_.bounds(node);
    const std::size_t from = groups_.size();
    for (std::uint32_t i = 0; i < group.count; ++i) {
        const int index = make_trajectory(group);
        Trajectory& trajectory = trajectories_[index];
        int sum = 0;
        for (int r = 0; r < roles_; ++r) {
            trajectory.goals[r] = bounds[2 * r];
            sum += bounds[2 * r];
        }
        if (node.head.kind == NodeHead::terminal) tree_.goal_sums().observe(sum);
        trajectory.has_proof = true;
        revisit(index, from, limit);
    }
}

// Counts a visit that ended in a solved node, at once: it needs no lane. Repeating it would bring nothing new, so the
// next visit begins at the parent of that node if something is unresolved there (its result says nothing about the
// nodes above), and at the root otherwise. `from`: the first group that was added for this node.
void SearchThread::revisit(int index, std::size_t from, RunLimit& limit) {
    const Index parent = trajectories_[index].nodes.back();
    backup(index, limit);
    ++finished_;
    if (solved_visits_left_ == 0) return;
    --solved_visits_left_;
    Node& node = tree_.node(parent);
    const bool unresolved = !tree_.decided(node) && tree_.unresolved_edge(node, parent);
    if (!unresolved) {
        ++restarts_;
        return;
    }
    if (groups_.size() == from) groups_.push_back({.at = {parent, node.head.generation}, .started_below_root = true});
    ++groups_.back().count;
}

// ---- Choosing ------------------------------------------------------------------------------------------------

// Uses the node's statistics of all moves as first at this level and below it, if there are enough games in them.
void SearchThread::look_up_amaf(VisitGroup& group, const Node& node) {
    if (amaf_selection_ == nullptr || node.head.visits < amaf_selection_->games()) return;
    const std::uint64_t key = amaf_key_of(group.at);
    if (amaf_view(key).cells != nullptr) group.amaf_key = key;
}

AmafView SearchThread::amaf_view(std::uint64_t key) const {
    return key == 0 ? AmafView{} : amaf_.find(key, amaf_selection_->games());
}

// Chooses for each visit of the group, and counts it as it begins.
void SearchThread::choose(const VisitGroup& group, std::uint32_t index, Node& node) {
    const GroupSplit split = {group, index, groups_.size(), choices_.size()};
    const bool simultaneous = node.head.kind == NodeHead::simultaneous;
    const bool unresolved_only = group.started_below_root && group.depth == 0;
    joint_.resize(tree_.choices(node));
    std::uint32_t left = group.count;
    while (left > 0) {
        if (!simultaneous && !unresolved_only) left -= choose_batch(split, node, left);
        if (left == 0) return;
        if (simultaneous) choose_by_role(node);
        else choose_one(group, node, unresolved_only);
        tree_.begin_visit(node, group.at.index, joint_.data());
        split_off(split, joint_, 1);
        --left;
    }
}

// Chooses, where one role does, for as many of `count` visits as can choose together, and returns how many.
std::uint32_t SearchThread::choose_batch(const GroupSplit& split, Node& node, std::uint32_t count) {
    const Index first = split.group.at.index;
    const AmafRow amaf = amaf_view(split.group.amaf_key).row(node.head.kind - NodeHead::turn_of);
    chosen_.clear();
    if (!amaf.empty()) {
        count = amaf_selection_->choose_each(tree_, node, first, amaf, count, chosen_);
    } else if ((node.head.flags & NodeHead::unexpanded) == 0) {
        selection_.choose_each(tree_, node, first, random_, count, chosen_);
    } else {
        return 0;
    }
    for (const EdgeVisits& visits : chosen_) {
        const Choice choice = {visits.edge};
        split_off(split, {&choice, 1}, visits.count);
    }
    return count;
}

void SearchThread::choose_by_role(Node& node) {
    for (int r = 0; r < roles_; ++r) {
        const Index first = tree_.first_block(node, nothing, r);
        joint_[r] = first == nothing ? Choice{} : selection_.choose(tree_, node, first, random_);
    }
}

// Chooses for the one role that does. Where all edges have been tried, unexpanded moves come first; with statistics of
// all moves as first, when the selection widens, and where moves are ranked, when the node was visited often enough.
// `unresolved_only`: the goal of the edge must not be proven yet.
void SearchThread::choose_one(const VisitGroup& group, Node& node, bool unresolved_only) {
    const Index first = group.at.index;
    Choice& choice = joint_[0];
    choice = {unresolved_only ? tree_.unresolved_edge(node, first) : Edge{}};
    if (choice.edge) return;
    const AmafRow amaf = amaf_view(group.amaf_key).row(node.head.kind - NodeHead::turn_of);
    choice = amaf.empty() ? selection_.choose(tree_, node, first, random_)
                          : amaf_selection_->choose(tree_, node, first, amaf);
    if ((node.head.flags & NodeHead::unexpanded) == 0) return;
    if (!widens(node, first, amaf, choice.edge)) return;
    if (!amaf.empty()) tree_.prioritise(first, amaf);
    if (const Edge made = tree_.expand_moves(node, first)) choice = {made};
}

bool SearchThread::widens(const Node& node, Index first, AmafRow amaf, Edge chosen) const {
    if (!amaf.empty()) return amaf_selection_->widens(tree_, node, first, chosen);
    if (tree_.block(chosen.block).visits[chosen.place] == 0) return false;
    return !insight_ || widens_with_visits(tree_, node, first, chosen);
}

// Moves `count` visits of a group, which chose the same, to the group of those that chose so before, or to a new one.
void SearchThread::split_off(const GroupSplit& split, std::span<const Choice> chosen, std::uint32_t count) {
    const auto same = [](const Choice& a, const Choice& b) { return a.edge == b.edge; };
    for (std::size_t at = split.choices; at < choices_.size(); at += chosen.size()) {
        if (!std::equal(chosen.begin(), chosen.end(), choices_.begin() + static_cast<std::ptrdiff_t>(at), same))
            continue;
        groups_[split.from + (at - split.choices) / chosen.size()].count += count;
        return;
    }
    const VisitGroup& group = split.group;
    const Node& node = tree_.node(group.at.index);
    const Ref at = grows_ ? tree_.child(node, group.at.index, chosen.data()) : Ref{};
    if (at) tree_.prefetch(at.index);
    else tree_.prefetch_leaf(group.at.index);
    groups_.push_back({.at = at,
                       .parent = split.index,
                       .count = count,
                       .depth = static_cast<std::uint16_t>(group.depth + 1),
                       .started_below_root = group.started_below_root,
                       .choices = static_cast<std::uint32_t>(choices_.size()),
                       .stride = static_cast<std::uint32_t>(chosen.size()),
                       .path_choices = group.path_choices + static_cast<std::uint32_t>(chosen.size()),
                       .amaf_key = group.amaf_key,
                       .node_bits = group.node_bits});
    choices_.insert(choices_.end(), chosen.begin(), chosen.end());
}

}  // namespace ludens::mcts
