// Backup: how the results of finished games are counted along the paths of their visits.
#include <algorithm>
#include <numeric>

#include "mcts/search_thread.hpp"

namespace ludens::mcts {

namespace {

constexpr std::uint32_t amaf_after = 16;      // visits of a node until it has statistics of all moves as first
constexpr std::size_t prefetch_distance = 4;  // paths fetched before they are needed

}  // namespace

void SearchThread::backup_all(RunLimit& limit) {
    for (auto& ended : ended_) backup_finished(ended, limit);
}

// Counts games that have ended, all in the same phase.
void SearchThread::backup_finished(std::vector<int>& ended, RunLimit& limit) {
    if (ended.empty()) return;
    goals_.resize(ended.size() * static_cast<std::size_t>(roles_));
    machine_->read_goals(ended, goals_.data());
    std::ranges::replace(goals_, -1, middle_goal);
    machine_->learn(ended, goals_.data());
    const std::size_t words = static_cast<std::size_t>(machine_->game().move_words());
    if (amaf_selection_ != nullptr) {
        noted_.resize(ended.size() * words);
        machine_->read_noted(ended, noted_.data());
    }
    for (std::size_t i = 0; i < ended.size(); ++i) {
        const std::size_t next = i + prefetch_distance;
        if (next < ended.size()) prefetch_path(trajectories_[trajectory_of_[ended[next]]]);
        int* const goals = &goals_[i * static_cast<std::size_t>(roles_)];
        if (amaf_selection_ != nullptr) add_to_amaf(trajectories_[trajectory_of_[ended[i]]], &noted_[i * words], goals);
        add_game(ended[i], goals, limit);
    }
    stats_.counters.playouts += static_cast<std::int64_t>(ended.size());
    finished_ += static_cast<std::int64_t>(ended.size());
    ended.clear();
    expired_ = false;
}

// Counts a game, for each node of its path, for all moves that were made below that node. `moves`: those that the
// playout made below the last node; the path's own are added to them.
void SearchThread::add_to_amaf(const Trajectory& trajectory, Word* moves, const int* goals) {
    const Choice* choices = last_choices(trajectory);
    for (std::size_t level = trajectory.nodes.size(); level-- > 0;) {
        const Index at = trajectory.nodes[level];
        Node& node = tree_.node(at);
        for (int r = 0; r < roles_; ++r) {
            const int move = tree_.move(node, r, tree_.edge_of(node, choices, r));
            if (move >= 0) set_bit(moves, role_moves_.first(r) + move);
        }
        if (node.head.visits >= amaf_after)
            amaf_.add(amaf_key_of({at, node.head.generation}), node.head.visits, moves, goals);
        if (level > 0) choices -= tree_.choices(tree_.node(trajectory.nodes[level - 1]));
    }
}

void SearchThread::add_game(int lane, const int* goals, RunLimit& limit) {
    if (is_set(machine_->finished(), lane)) tree_.goal_sums().observe(std::accumulate(goals, goals + roles_, 0));
    const int index = trajectory_of_[lane];
    Trajectory& trajectory = trajectories_[index];
    for (int r = 0; r < roles_; ++r) trajectory.goals[r] += static_cast<double>(goals[r]) / trajectory.lanes;
    free_lanes_.push_back(lane);
    if (--trajectory.playing == 0) backup(index, limit);
}

void SearchThread::prefetch_path(const Trajectory& trajectory) const {
    const bool turns = trajectory.choices.size() == trajectory.nodes.size();
    for (std::size_t i = 0; i < trajectory.nodes.size(); ++i) {
        const Index node = trajectory.nodes[i];
        tree_.prefetch_block(node);
        if (turns && trajectory.choices[i].edge.block != node) tree_.prefetch_block(trajectory.choices[i].edge.block);
    }
    if (turns) return;
    for (const Choice& choice : trajectory.choices) {
        if (choice.edge) tree_.prefetch_block(choice.edge.block);
    }
}

// Counts the results along the path, from the leaf to the root. What is proven below comes first, so that no result
// goes up that is known to be wrong.
void SearchThread::backup(int index, RunLimit& limit) {
    Trajectory& trajectory = trajectories_[index];
    const Choice* choices = last_choices(trajectory);
    tree_.copy_proof(trajectory.has_proof ? child_of(trajectory) : Ref{}, proof_);
    for (std::size_t level = trajectory.nodes.size(); level-- > 0;) {
        const Index at = trajectory.nodes[level];
        Node& node = tree_.node(at);
        if (proof_.known) {
            proof_.clamp(trajectory.goals);
            if (node.head.kind >= NodeHead::turn_of) tree_.refine(node, at, choices->edge, proof_);
        }
        tree_.add_result(node, choices, trajectory.goals.data());
        if (node.head.kind == NodeHead::simultaneous) learn_regrets(tree_, node, choices, trajectory.goals.data());
        proof_.known = (node.head.flags & NodeHead::bounded) != 0;
        if (proof_.known) tree_.copy_proof(node, proof_);
        if (level > 0) choices -= tree_.choices(tree_.node(trajectory.nodes[level - 1]));
    }
    if (proof_.known) proof_.clamp(trajectory.goals);
    const Index top = trajectory.nodes.front();
    if (top == root_.index && tree_.decided(tree_.node(top))) limit.solved.store(true, std::memory_order_relaxed);
    free_trajectories_.push_back(index);
    count_iteration(trajectory);
}

// Where the last choices lead.
Ref SearchThread::child_of(const Trajectory& trajectory) const {
    const Index last = trajectory.nodes.back();
    Node& node = tree_.node(last);
    return tree_.child(node, last, last_choices(trajectory));
}

void SearchThread::count_iteration(const Trajectory& trajectory) {
    if (trajectory.started_below_root) return;
    ++stats_.counters.iterations;
    if (trajectory.nodes.front() == root_.index) {
        ++stats_.counted;
        for (int r = 0; r < roles_; ++r) stats_.goals[r] += trajectory.goals[r];
    }
    stats_.counters.depth = std::max(stats_.counters.depth, static_cast<int>(trajectory.nodes.size()));
}

}  // namespace ludens::mcts
