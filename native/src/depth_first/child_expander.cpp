#include "depth_first/child_expander.hpp"

#include <algorithm>

namespace ludens::depth_first {

ChildExpander::ChildExpander(const Game& game, const SearchOptions& options, StateKey keys, std::int64_t spare_bytes)
    : keys_(std::move(keys)), roles_(game.roles()), state_words_(game.state_words()), move_words_(game.move_words()),
      feature_words_(game.feature_words()), role_moves_(game.moves()), evaluation_(options.evaluation),
      knowledge_(options.knowledge), machine_(game.machine({.lanes = options.lanes, .instruction_set = "", .seed = 0})),
      most_spare_bytes_(spare_bytes) {
    if (evaluation_) evaluation_->check_fits(game);
}

Node ChildExpander::root(Word* state, Word* legal) {
    const Machine::Start start{0, state, nullptr};
    machine_->look_at({&start, 1});
    Node node{-1, is_set(machine_->finished(), 0), {}, middle, keys_(state), state, legal, nullptr};
    const int lane = 0;
    std::vector<int> goals(static_cast<std::size_t>(roles_));
    if (node.over) {
        machine_->read_goals({&lane, 1}, goals.data());
        set_value(node, goals.data());
    } else {
        machine_->read_legal({&lane, 1}, legal);
    }
    return node;
}

void ChildExpander::compute_keys(ChildBatch& batch) const {
    if (batch.keyed) return;
    for (Node& node : batch.nodes) node.key = keys_(node.state);
    batch.keyed = true;
}

std::unique_ptr<ChildBatch> ChildExpander::children_of(const Node& node) {
    Node copy{node.move, false, node.proven, node.heuristic, node.key, node.state, node.legal, nullptr};
    Node* const one[] = {&copy};
    expand(one);
    compute_keys(*copy.children);
    return std::move(copy.children);
}

Branching ChildExpander::branching(const Node& node) const {
    Branching most{0, 1};
    for (int r = 0; r < roles_; ++r) {
        const int count = role_moves_.count(node.legal, r);
        if (count > most.moves) most = {r, count};
    }
    return most;
}

std::unique_ptr<ChildBatch> ChildExpander::take_spare() {
    if (spare_.empty()) return std::make_unique<ChildBatch>();
    auto batch = std::move(spare_.back());
    spare_.pop_back();
    spare_bytes_ -= batch->bytes();
    return batch;
}

void ChildExpander::recycle(std::unique_ptr<ChildBatch> batch) {
    if (!batch) return;
    for (Node& node : batch->nodes) recycle(std::move(node.children));
    recycle_alone(std::move(batch));
}

void ChildExpander::recycle_alone(std::unique_ptr<ChildBatch> batch) {
    // As many as one call of expand() may want, and there is room for; beyond, their memory is given back.
    if (!batch || spare_.size() == static_cast<std::size_t>(lanes())) return;
    const std::int64_t bytes = batch->bytes();
    if (spare_bytes_ + bytes > most_spare_bytes_) return;
    spare_bytes_ += bytes;
    spare_.push_back(std::move(batch));
}

// Makes the batch with its moves, but nothing known of its states.
void ChildExpander::prepare(Node& node) {
    node.children = take_spare();
    ChildBatch& batch = *node.children;
    role_moves_.find_choice(node.legal, choice_);
    batch.searchable = choice_.chooser != JointChoice::several;
    batch.mover = choice_.mover();
    batch.keyed = false;
    batch.others = choice_.joint;
    if (!batch.searchable) return batch.nodes.clear();
    const auto& moves = choice_.moves;
    batch.states.resize(moves.size() * static_cast<std::size_t>(state_words_));
    batch.legal.resize(moves.size() * static_cast<std::size_t>(move_words_));
    Word *state = batch.states.data(), *legal = batch.legal.data();
    batch.nodes.resize(moves.size());  // those of the last batch are overwritten: they have no children
    auto child = batch.nodes.begin();
    for (const int move : moves) {
        *child++ = {move, false, {}, middle, 0, state, legal, nullptr};
        state += state_words_;
        legal += move_words_;
    }
}

void ChildExpander::expand(std::span<Node* const> nodes) {
    nodes_.clear();
    parents_.clear();
    joint_.clear();
    for (Node* node : nodes) {
        prepare(*node);
        const ChildBatch& batch = *node->children;
        for (Node& child : node->children->nodes) {
            nodes_.push_back(&child);
            parents_.push_back(node->state);
            for (int r = 0; r < roles_; ++r)
                joint_.push_back(r == batch.mover ? child.move : batch.others[static_cast<std::size_t>(r)]);
        }
    }
    const auto lanes = static_cast<std::size_t>(machine_->lanes()), roles = static_cast<std::size_t>(roles_);
    for (std::size_t i = 0; i < nodes_.size(); i += lanes) {
        const std::size_t count = std::min(lanes, nodes_.size() - i);
        starts_.clear();
        for (std::size_t j = 0; j < count; ++j)
            starts_.push_back({static_cast<int>(j), parents_[i + j], &joint_[(i + j) * roles]});
        run(std::span(nodes_).subspan(i, count));
    }
}

// One load of the machine: node i in lane i.
void ChildExpander::run(std::span<Node* const> made) {
    machine_->follow(starts_);
    made_ += static_cast<std::int64_t>(made.size());
    lanes_.clear();
    over_.clear();
    for (int lane = 0; lane < std::ssize(made); ++lane) {
        lanes_.push_back(lane);
        if (is_set(machine_->finished(), lane)) over_.push_back(lane);
    }
    states_.resize(made.size() * static_cast<std::size_t>(state_words_));
    machine_->read_states(lanes_, states_.data());
    goals_.resize(over_.size() * static_cast<std::size_t>(roles_));
    if (!over_.empty()) machine_->read_goals(over_, goals_.data());
    legal_.resize(made.size() * static_cast<std::size_t>(move_words_));
    if (over_.size() < made.size()) machine_->read_legal(lanes_, legal_.data());
    std::size_t ended = 0;
    std::vector<int> known(static_cast<std::size_t>(roles_));
    const Word *state = states_.data(), *legal = legal_.data();
    for (std::size_t i = 0; i < made.size(); ++i, state += state_words_, legal += move_words_) {
        Node& node = *made[i];
        for (int w = 0; w < state_words_; ++w) node.state[w] = state[w];
        node.over = ended < over_.size() && over_[ended] == static_cast<int>(i);
        if (node.over) {
            set_value(node, &goals_[ended * static_cast<std::size_t>(roles_)]);
            ++ended;
        } else {
            for (int w = 0; w < move_words_; ++w) node.legal[w] = legal[w];
            if (knowledge_ && knowledge_->find(node.state, known.data()) != Knowledge::nothing)
                set_value(node, known.data());
        }
    }
    if (evaluation_) evaluate(made);
}

// Estimates the states that have just been read.
void ChildExpander::evaluate(std::span<Node* const> made) {
    expected_.resize(made.size() * static_cast<std::size_t>(roles_));
    features_.resize(made.size() * static_cast<std::size_t>(feature_words_));
    machine_->read_features(lanes_, features_.data());
    evaluation_->values(std::ssize(made), features_.data(), expected_.data());
    for (std::size_t i = 0; i < made.size(); ++i) {
        const float* goals = &expected_[i * static_cast<std::size_t>(roles_)];
        made[i]->heuristic = static_cast<Value>(roles_ == 1 ? 100 * goals[0] : 50 * (100 + goals[0] - goals[1]));
    }
}

// Sets what the end of a game is worth: the first role's goal, or by how much it is ahead where the roles' goals do not
// make up 100.
void ChildExpander::set_value(Node& node, const int* goals) const {
    const auto goal = [&](int role) { return goals[role] < 0 ? middle_goal : goals[role]; };
    const auto value = static_cast<Value>(roles_ == 1 ? 100 * goal(0) : 50 * (100 + goal(0) - goal(1)));
    node.proven = {value, value};
}

}  // namespace ludens::depth_first
