// Leaves that are handed out a batch at a time, for whoever can play many random games at once: a kernel on a graphics
// processor wants thousands of games together, while a tree wants results before it goes on.
//
// A lane of the machine takes each descent one step below the tree, where the leaf becomes a node if that is due; the
// game is not played on, but its state handed out. Visits that are out count as unobserved (Liu et al., "Watch the
// unobserved", 2020), so the next batch goes elsewhere, and may be collected while the last one is being played.
#include <algorithm>
#include <bit>

#include "mcts/worker.hpp"

namespace ludens {

// A batch of which every visit ended in the tree is the last: whoever asks should look whether all is solved.
void Worker::hand_out(int room, std::vector<Word>& states, std::vector<std::int64_t>& tickets) {
    compare_ends();
    RunLimit limit;
    const std::size_t wanted = tickets.size() + static_cast<std::size_t>(room);
    const std::size_t words = static_cast<std::size_t>(tree_.state_words());
    for (std::size_t before = tickets.size() + 1; before != tickets.size() && tickets.size() < wanted;) {
        before = tickets.size();
        const std::size_t count = std::min(wanted - before, free_.size());
        launch(count, 1, limit);
        machine_->evaluate();
        ++round_;
        machine_->advance();
        due_.swap(first_moves_);
        machine_->evaluate();
        expand();
        collect();
        lanes_read_.clear();
        for (const Machine::Start& start : starts_) {
            if (!holds(active_, start.lane)) continue;
            lanes_read_.push_back(start.lane);
            active_[start.lane / 64] &= ~(Word{1} << (start.lane % 64));
            --active_count_;
            free_.push_back(start.lane);
            const int index = descent_of_[start.lane];
            descents_[index].handed_out = true;
            tickets.push_back(std::int64_t{descents_[index].ticket} << 32 | index);
        }
        states.resize(tickets.size() * words);
        machine_->read_states(lanes_read_, states.data() + before * words);
        settle(limit);
    }
    report();
}

void Worker::take_back(std::span<const std::int64_t> tickets, const double* goals, int games) {
    RunLimit limit;
    for (const std::int64_t ticket : tickets) {
        const auto index = static_cast<std::size_t>(ticket & 0xffffffff);
        const double* told = goals;
        goals += roles_;
        if (!std::all_of(told, told + roles_, [](double goal) { return goal >= 0 && goal <= best_goal; })) {
            throw Error("goals are numbers from 0 to 100");
        }
        if (index >= descents_.size()) throw Error("there is no such ticket");
        Descent& descent = descents_[index];
        if (!descent.handed_out || descent.ticket != static_cast<std::uint64_t>(ticket) >> 32) continue;
        descent.handed_out = false;
        ++descent.ticket;
        descent.goals.assign(told, told + roles_);
        back_up(static_cast<int>(index), limit);
        account_.stats.playouts += games;
    }
    report();
}

}  // namespace ludens
