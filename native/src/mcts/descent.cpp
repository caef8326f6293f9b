// How a batch of visits goes down the tree.
//
// Visits that took the same path so far are a party, and until they part no more than their number: what a node costs is
// paid once for all of them. The better a tree knows its best line, the longer most of a batch keep together: in connect
// four after a second 100 visits meet some 30 nodes on 1,500 levels. The parties of a batch are a queue, level after
// level, so what one of them waits for is fetched while others choose; each knows the one that it left, so the queue
// is also the tree of their paths. What plays on from the end of one is a Descent, with a path of its own.
//
// A party chooses for one visit after another, each counted before the next one chooses, so that where a visit goes
// does not depend on who else is in its party.
#include <algorithm>
#include <utility>

#include "mcts/worker.hpp"

namespace ludens {

// A solved root leads to terminal nodes only: their number is bounded, or no clock would be looked at.
void Worker::launch(std::size_t visits, int lanes_each, RunLimit& limit) {
    starts_.clear();
    terminal_visits_left_ = 4 * lanes_;
    while (idle_.size() < visits) {  // those of leaves that are handed out are not there
        idle_.push_back(static_cast<int>(descents_.size()));
        descents_.emplace_back();
    }
    for (anew_ = static_cast<std::uint32_t>(visits); anew_ > 0;) {
        parties_.assign(1, {.at = root_, .count = std::exchange(anew_, 0)});
        choices_.clear();
        for (std::size_t i = 0; i < parties_.size(); ++i) visit(i, limit);
    }
    for (const int descent : leaves_) play(descent, lanes_each);
    leaves_.clear();
    machine_->load(starts_);
}

// One level down. A node that was given up, that is on the path already or that lies too deep is played out from its
// parent; if it is where the path was to begin, that begins at the root. What is proven needs no visit. (The root is
// visited even so: a run may begin before its proof.)
void Worker::visit(std::size_t index, RunLimit& limit) {
    Party party = parties_[index];
    const bool starts = party.depth == 0;
    if (!party.at || tree_.node(party.at.index).head.generation != party.at.generation) {
        if (!starts) return play_out(party, due(party));
        anew_ += party.count;
        return;
    }
    Node& node = tree_.node(party.at.index);
    if (!starts && (node.head.flags & NodeHead::solved) != 0) return conclude(party, node, limit);
    if (party.depth == depth_limit || passes_again(party)) return play_out(party, false);
    consult(party, node);
    choose(party, static_cast<std::uint32_t>(index), node);
}

// Most answers are no, and are given by 64 bits that each node on the path has one of.
bool Worker::passes_again(Party& party) const {
    const std::uint64_t bit = std::uint64_t{1} << (party.at.index * 0x9e3779b9u >> 26);
    bool seen = false;
    if ((party.filter & bit) != 0) {
        const Party* above = &party;
        for (int level = party.depth; level > 0 && !seen; --level) {
            above = &parties_[above->parent];
            seen = above->at.index == party.at.index;
        }
    }
    party.filter |= bit;
    return seen;
}

// Whether the place where it stands is to become a node.
bool Worker::due(const Party& party) const {
    const Node& node = tree_.node(parties_[party.parent].at.index);
    return grows_ && tree_.visits(node, &choices_[party.choices]) > expand_after_;
}

// ---- The ends of a path --------------------------------------------------------------------------------------

// A descent that took this path.
int Worker::descend(const Party& party) {
    const int index = begin(party);
    Descent& descent = descents_[index];
    descent.nodes.resize(party.depth);
    descent.choices.resize(party.path_choices);
    auto end = descent.choices.end();
    const Party* below = &party;
    for (int level = party.depth; level-- > 0; below = &parties_[below->parent]) {
        descent.nodes[level] = parties_[below->parent].at.index;
        end -= below->stride;
        std::copy_n(choices_.begin() + below->choices, below->stride, end);
    }
    return index;
}

// One without a path.
int Worker::begin(const Party& party) {
    const int index = idle_.back();
    idle_.pop_back();
    Descent& descent = descents_[index];
    descent.goals.assign(static_cast<std::size_t>(roles_), 0);
    descent.known = party.known;
    descent.informed = descent.expands = false;
    descent.resolves = party.resolves;
    return index;
}

// One of those that come to a place that is to become a node makes it.
void Worker::play_out(const Party& party, bool expands) {
    const int first = descend(party);
    descents_[first].expands = expands;
    leaves_.push_back(first);
    for (std::uint32_t i = 1; i < party.count; ++i) {
        const int other = begin(party);
        descents_[other].nodes = descents_[first].nodes;
        descents_[other].choices = descents_[first].choices;
        leaves_.push_back(other);
    }
}

// At a node that is solved.
void Worker::conclude(const Party& party, Node& node, RunLimit& limit) {
    node.head.age = 0;
    const std::span bounds = tree_.bounds(node);
    const std::size_t from = parties_.size();
    for (std::uint32_t i = 0; i < party.count; ++i) {
        const int index = descend(party);
        Descent& descent = descents_[index];
        int sum = 0;
        for (int r = 0; r < roles_; ++r) sum += bounds[2 * r], descent.goals[r] = bounds[2 * r];
        if (node.head.kind == NodeHead::terminal) tree_.observe_end(sum);
        descent.informed = true;
        again(index, from, limit);
    }
}

// A visit that ended in a node that is solved needs no lane: it is counted at once. The next begins where that one
// ended if something is still to be resolved there, since all that the same visit could bring is known; its result
// says nothing about the nodes above.
void Worker::again(int index, std::size_t from, RunLimit& limit) {
    const Index parent = descents_[index].nodes.back();
    back_up(index, limit);
    ++finished_;
    if (terminal_visits_left_ == 0) return;
    --terminal_visits_left_;
    Node& node = tree_.node(parent);
    const bool resolves = !tree_.decided(node) && tree_.unresolved_edge(node, parent);
    if (!resolves) {
        ++anew_;
        return;
    }
    if (parties_.size() == from) parties_.push_back({.at = {parent, node.head.generation}, .resolves = true});
    ++parties_.back().count;
}

void Worker::play(int descent, int lanes) {
    Descent& d = descents_[descent];
    Node& node = tree_.node(d.nodes.back());
    const Choice* choices = last_choices(d);
    if (d.expands) first_moves_.push_back(free_.back());
    d.lanes = lanes;
    for (d.playing = 0; d.playing < lanes; ++d.playing) {
        const int lane = free_.back();
        free_.pop_back();
        int* moves = &moves_[lane * static_cast<std::size_t>(roles_)];
        for (int r = 0; r < roles_; ++r) moves[r] = tree_.move(node, r, tree_.edge_of(node, choices, r));
        starts_.push_back({lane, tree_.state(node), moves});
        descent_of_[lane] = descent;
        loaded_[lane] = round_;
        active_[lane / 64] |= Word{1} << (lane % 64);
    }
    active_count_ += lanes;
    next_expiry_ = std::min(next_expiry_, round_ + max_steps_);
}

// ---- Choosing ------------------------------------------------------------------------------------------------

// Takes the node's statistics of all moves as first for this level and those below, if there are enough.
void Worker::consult(Party& party, const Node& node) {
    if (amaf_selection_ == nullptr || node.head.visits < amaf_selection_->games()) return;
    if (amaf_.find(key_of(party.at), amaf_selection_->games()).cells != nullptr) party.known = key_of(party.at);
}

AmafView Worker::known(std::uint64_t key) const {
    return key == 0 ? AmafView{} : amaf_.find(key, amaf_selection_->games());
}

// What each of the party does here, counted as it begins.
void Worker::choose(const Party& party, std::uint32_t index, Node& node) {
    const Parting parting = {party, index, parties_.size(), choices_.size()};
    const bool simultaneous = node.head.kind == NodeHead::simultaneous;
    const bool resolves = party.resolves && party.depth == 0;
    joint_.resize(tree_.choices(node));
    for (std::uint32_t done = 0; done < party.count; ++done) {
        if (!simultaneous && !resolves) done += choose_together(parting, node, party.count - done);
        if (done == party.count) return;
        simultaneous ? choose_by_role(node) : choose_one(party, node, resolves);
        tree_.depart(node, party.at.index, joint_.data());
        part(parting, joint_, 1);
    }
}

// Of `count` visits where one role chooses, as many as can at once.
std::uint32_t Worker::choose_together(const Parting& parting, Node& node, std::uint32_t count) {
    const Index first = parting.party.at.index;
    const AmafRow amaf = known(parting.party.known).row(node.head.kind - NodeHead::turn_of);
    chosen_.clear();
    if (!amaf.empty()) {
        count = amaf_selection_->choose_each(tree_, node, first, amaf, count, chosen_);
    } else if ((node.head.flags & NodeHead::undrawn) == 0) {
        selection_.choose_each(tree_, node, first, random_, count, chosen_);
    } else {
        return 0;
    }
    for (const Visits& visits : chosen_) {
        const Choice choice = {visits.edge};
        part(parting, {&choice, 1}, visits.count);
    }
    return count;
}

void Worker::choose_by_role(Node& node) {
    for (int r = 0; r < roles_; ++r) {
        const Index first = tree_.first_chunk(node, nothing, r);
        joint_[r] = first == nothing ? Choice{} : selection_.choose(tree_, node, first, random_);
    }
}

// By the one role that chooses. Where all edges have been tried, moves that wait for one come first, unless more is
// known of them.
void Worker::choose_one(const Party& party, Node& node, bool resolves) {
    const Index first = party.at.index;
    Choice& choice = joint_[0];
    choice = {resolves ? tree_.unresolved_edge(node, first) : Edge{}};
    if (choice.edge) return;
    const AmafRow amaf = known(party.known).row(node.head.kind - NodeHead::turn_of);
    choice = amaf.empty() ? selection_.choose(tree_, node, first, random_)
                          : amaf_selection_->choose(tree_, node, first, amaf);
    if ((node.head.flags & NodeHead::undrawn) == 0) return;
    if (amaf.empty() ? tree_.chunk(choice.edge.chunk).visits[choice.edge.place] == 0
                     : !amaf_selection_->widens(tree_, node, first, choice.edge))
        return;
    if (!amaf.empty()) tree_.bring_forward(first, amaf);
    if (const Edge drawn = tree_.draw(node, first)) choice = {drawn};
}

// So many of a party chose this: they join the others that did.
void Worker::part(const Parting& parting, std::span<const Choice> chosen, std::uint32_t count) {
    const auto same = [](const Choice& a, const Choice& b) { return a.edge == b.edge; };
    for (std::size_t at = parting.choices; at < choices_.size(); at += chosen.size()) {
        if (!std::equal(chosen.begin(), chosen.end(), choices_.begin() + static_cast<std::ptrdiff_t>(at), same))
            continue;
        parties_[parting.from + (at - parting.choices) / chosen.size()].count += count;
        return;
    }
    const Party& party = parting.party;
    const Node& node = tree_.node(party.at.index);
    const Ref at = grows_ ? tree_.child(node, party.at.index, chosen.data()) : Ref{};
    at ? tree_.prefetch(at.index) : tree_.prefetch_leaf(party.at.index);
    parties_.push_back({.at = at,
                        .parent = parting.index,
                        .count = count,
                        .depth = static_cast<std::uint16_t>(party.depth + 1),
                        .resolves = party.resolves,
                        .choices = static_cast<std::uint32_t>(choices_.size()),
                        .stride = static_cast<std::uint32_t>(chosen.size()),
                        .path_choices = party.path_choices + static_cast<std::uint32_t>(chosen.size()),
                        .known = party.known,
                        .filter = party.filter});
    choices_.insert(choices_.end(), chosen.begin(), chosen.end());
}

}  // namespace ludens
