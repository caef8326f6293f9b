// Lanes: when they are loaded with leaves, and which games are over.
//
// Where the moves of a game come round in a cycle of phases, as turns do, a machine is faster if all games that it
// plays are in the same one. So a leaf waits, mostly for less than a cycle, until those that play are where it is; and
// games that end are counted together with others that ended in the same phase. Who made the last move has often won:
// so once games are counted they are in all rounds of a cycle, lest results of a rare phase wait for long, and visits
// see more of the wins than of the losses. Visits choose as soon as enough lanes are idle, in the middle of these rounds
// too.
#include <algorithm>
#include <bit>

#include "mcts/search_thread.hpp"

namespace ludens::mcts {

// Lanes that no leaf waits for.
std::size_t SearchThread::idle_lanes() const {
    return free_lanes_.size() - waiting_ * static_cast<std::size_t>(playouts_per_leaf_);
}

void SearchThread::add_leaf(int trajectory, int phase) {
    leaves_[static_cast<std::size_t>(phase)].push_back(trajectory);
    ++waiting_;
}

// Loads lanes with the leaves in the phase of the games that go on; if there are none, in that of most leaves.
void SearchThread::load_in_phase() {
    starts_.clear();
    if (waiting_ == 0) return;
    if (active_count_ == 0) {
        const auto most = std::ranges::max_element(leaves_, {}, &std::vector<int>::size);
        phase_offset_ = most - leaves_.begin() + cycle_ - round_ % cycle_;
    }
    std::vector<int>& leaves = leaves_[static_cast<std::size_t>((phase_offset_ + round_) % cycle_)];
    if (leaves.empty()) return;
    load(leaves, leaves.size(), playouts_per_leaf_);
    machine_->load(starts_);
}

// Loads as many lanes with a leaf each, whatever their phases.
void SearchThread::load_any(std::size_t count) {
    starts_.clear();
    for (std::vector<int>& leaves : leaves_) load(leaves, std::min(count - starts_.size(), leaves.size()), 1);
    if (!starts_.empty()) machine_->load(starts_);
}

void SearchThread::load(std::vector<int>& leaves, std::size_t count, int lanes_each) {
    const auto last = leaves.begin() + static_cast<std::ptrdiff_t>(count);
    std::for_each(leaves.begin(), last, [&](int trajectory) { load_lanes(trajectory, lanes_each); });
    leaves.erase(leaves.begin(), last);
    waiting_ -= count;
}

// Returns the phase of the state at the end of a trajectory; any where it is in none: a phase is only to save time.
int SearchThread::phase_of(int trajectory) const {
    if (cycle_ == 1) return 0;
    const int phase = machine_->game().phase(tree_.state(tree_.node(trajectories_[trajectory].nodes.back())));
    return std::min(phase, cycle_ - 1);
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
    ended_now().push_back(lane);
    stats_.counters.state_changes += round_ - loaded_[lane];
}

}  // namespace ludens::mcts
