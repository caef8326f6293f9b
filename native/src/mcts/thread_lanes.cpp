// Lanes: when they are loaded with leaves, and which games are over.
//
// Where the moves of a game come round in a cycle of phases, as turns do, a machine is faster if all games that it
// plays are in the same one. So a leaf waits, for less than a cycle, until those that play are where it is; and games
// that end are counted together with others that ended in the same phase. Who made the last move has often won: so games
// are counted in all rounds of a cycle before the next visits choose, lest these see more of the wins than of the losses.
#include <algorithm>
#include <bit>

#include "mcts/search_thread.hpp"

namespace ludens::mcts {

// Lanes that no leaf waits for.
std::size_t SearchThread::idle_lanes() const {
    return free_lanes_.size() - leaves_.size() * static_cast<std::size_t>(playouts_per_leaf_);
}

// Loads lanes with the leaves that are in step with the games that go on, and leaves the others waiting.
void SearchThread::load_in_step() {
    if (leaves_.empty()) return;
    if (active_count_ == 0) step_ = step_of(leaves_.front());
    const auto waiting = std::stable_partition(leaves_.begin(), leaves_.end(),
                                               [&](int trajectory) { return step_of(trajectory) == step_; });
    load(static_cast<std::size_t>(waiting - leaves_.begin()), playouts_per_leaf_);
}

// Loads lanes with the first leaves.
void SearchThread::load(std::size_t leaves, int lanes_each) {
    starts_.clear();
    if (leaves == 0) return;
    const auto last = leaves_.begin() + static_cast<std::ptrdiff_t>(leaves);
    std::for_each(leaves_.begin(), last, [&](int trajectory) { load_lanes(trajectory, lanes_each); });
    leaves_.erase(leaves_.begin(), last);
    machine_->load(starts_);
}

// How many steps the state of a leaf, if loaded now, would be ahead of the number of the round, in the cycle.
int SearchThread::step_of(int trajectory) const {
    if (cycle_ == 1) return 0;
    const int phase = machine_->game().phase(tree_.state(tree_.node(trajectories_[trajectory].nodes.back())));
    return (phase + cycle_ - static_cast<int>(round_ % cycle_)) % cycle_;
}

// Loads lanes with the last state of a trajectory and its last joint move.
void SearchThread::load_lanes(int index, int lanes) {
    Trajectory& trajectory = trajectories_[index];
    Node& node = tree_.node(trajectory.nodes.back());
    const Choice* choices = last_choices(trajectory);
    if (trajectory.expands) loaded_to_expand_.push_back(free_lanes_.back());
    trajectory.lanes = trajectory.playing = lanes;
    for (int i = 0; i < lanes; ++i) {
        const int lane = free_lanes_.back();
        free_lanes_.pop_back();
        int* moves = &moves_[lane * static_cast<std::size_t>(roles_)];
        for (int r = 0; r < roles_; ++r) moves[r] = tree_.move(node, r, tree_.edge_of(node, choices, r));
        starts_.push_back({lane, tree_.state(node), moves});
        trajectory_of_[lane] = index;
        loaded_[lane] = round_;
        active_[lane / 64] |= Word{1} << (lane % 64);
    }
    active_count_ += lanes;
    next_expiry_ = std::min(next_expiry_, round_ + max_steps_);
}

void SearchThread::find_finished() {
    const std::span<const Word> finished = machine_->finished();
    for (std::size_t w = 0; w < active_.size(); ++w) {
        for (Word over = finished[w] & active_[w]; over != 0; over &= over - 1) {
            finish_lane(static_cast<int>(w) * 64 + std::countr_zero(over));
        }
    }
    if (round_ >= next_expiry_) find_expired();
}

// Games that have lasted too long play on in the machine, so their goals must be read before it advances.
void SearchThread::find_expired() {
    next_expiry_ = std::numeric_limits<std::int64_t>::max();
    for (int lane = 0; lane < static_cast<int>(lanes_); ++lane) {
        if (!is_set(active_, lane)) continue;
        if (loaded_[lane] + max_steps_ <= round_) {
            finish_lane(lane);
            expired_ = true;
        } else {
            next_expiry_ = std::min(next_expiry_, loaded_[lane] + max_steps_);
        }
    }
}

void SearchThread::finish_lane(int lane) {
    active_[lane / 64] &= ~(Word{1} << (lane % 64));
    --active_count_;
    ended_in_step().push_back(lane);
    stats_.counters.state_changes += round_ - loaded_[lane];
}

}  // namespace ludens::mcts
