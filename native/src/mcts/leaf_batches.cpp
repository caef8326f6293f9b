// Leaves that are handed out a batch at a time, for callers that can play many random games at once: a kernel on a
// graphics processor wants thousands of games together, while a tree wants results before it goes on.
//
// A lane of the machine takes each visit one step below the tree, where the leaf becomes a node if that is due; the
// game is not played on, but its state handed out. Visits that are out count as unobserved (Liu et al., "Watch the
// unobserved", 2020), so the next batch goes elsewhere, and may be collected while the last one is being played.
#include <algorithm>
#include <bit>

#include "mcts/search_thread.hpp"

namespace ludens::mcts {

// After a batch of which every visit ended in the tree none follow: the caller should look whether all is solved.
void SearchThread::collect_leaves(int room, std::vector<Word>& states, std::vector<std::int64_t>& tickets) {
    if (room > EdgeBlock::most_in_flight - static_cast<int>(lanes_) - handed_out_)
        throw Error("a search hands out some 65,000 leaves before it has results");
    compare_ends();
    RunLimit limit;
    const std::size_t wanted = tickets.size() + static_cast<std::size_t>(room);
    const std::size_t words = static_cast<std::size_t>(tree_.state_words());
    bool found_leaves = true;
    while (found_leaves && tickets.size() < wanted) {
        const std::size_t before = tickets.size();
        const std::size_t count = std::min(wanted - before, free_lanes_.size());
        select(count - std::min(count, waiting_), limit);
        load_any(std::min(count, waiting_));
        machine_->evaluate();
        ++round_;
        machine_->advance();
        to_expand_.swap(loaded_to_expand_);
        machine_->evaluate();
        expand();
        find_finished();
        lanes_read_.clear();
        for (const Machine::Start& start : starts_) {
            if (!is_set(active_, start.lane)) continue;
            lanes_read_.push_back(start.lane);
            active_[start.lane / 64] &= ~(Word{1} << (start.lane % 64));
            --active_count_;
            free_lanes_.push_back(start.lane);
            const int index = trajectory_of_[start.lane];
            trajectories_[index].handed_out = true;
            ++handed_out_;
            tickets.push_back(std::int64_t{trajectories_[index].ticket} << 32 | index);
        }
        states.resize(tickets.size() * words);
        machine_->read_states(lanes_read_, states.data() + before * words);
        backup_all(limit);
        found_leaves = tickets.size() > before;
    }
    report();
}

void SearchThread::report_leaves(std::span<const std::int64_t> tickets, const double* goals, int games) {
    RunLimit limit;
    for (const std::int64_t ticket : tickets) {
        const auto index = static_cast<std::size_t>(ticket & 0xffffffff);
        const std::span results(goals, static_cast<std::size_t>(roles_));
        goals += roles_;
        if (!std::ranges::all_of(results, [](double goal) { return goal >= 0 && goal <= best_goal; })) {
            throw Error("goals are numbers from 0 to 100");
        }
        if (index >= trajectories_.size()) throw Error("there is no such ticket");
        Trajectory& trajectory = trajectories_[index];
        if (!trajectory.handed_out || trajectory.ticket != static_cast<std::uint64_t>(ticket) >> 32) continue;
        trajectory.handed_out = false;
        --handed_out_;
        ++trajectory.ticket;
        trajectory.goals.assign(results.begin(), results.end());
        backup(static_cast<int>(index), limit);
        stats_.counters.playouts += games;
    }
    report();
}

}  // namespace ludens::mcts
