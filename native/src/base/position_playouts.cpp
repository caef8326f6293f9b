#include "base/position_playouts.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/lane_set.hpp"

namespace ludens {
namespace {

// Lanes take games in the order of positions. Those that have ended wait until they are many, since goals and new games
// cost a pass over all of them.
class PositionPlayouts {
public:
    PositionPlayouts(Machine& machine, const PositionGames& wanted, std::span<double> sums)
        : machine_(machine), wanted_(wanted), sums_(sums), games_(static_cast<std::size_t>(machine.lanes())),
          playing_(machine.lanes()) {}

    std::int64_t operator()() {
        for (int lane = machine_.lanes(); lane-- > 0;) idle_.push_back(lane);
        start_games(0);
        machine_.look_at(starts_);
        while (playing_.any()) {
            const bool due = finished() * share_of_ended >= playing_.count() || step_ >= cut_at_;
            if (due) end_games();
            steps_ += playing_.count() - finished();
            if (due) start_games(step_ + 1);
            machine_.advance();
            if (due) machine_.load(starts_);
            machine_.evaluate();
            ++step_;
        }
        return steps_;
    }

private:
    static constexpr int share_of_ended = 8;

    // The game of a lane, and how many rounds of the machine had passed when it began.
    struct LaneGame {
        std::ptrdiff_t position;
        std::int64_t begun;
    };

    // Lanes whose game is over by the rules and not counted yet.
    int finished() const {
        LaneSet lanes = playing_;
        lanes.intersect(machine_.finished());
        return lanes.count();
    }

    void end_games() {
        ended_.clear();
        cut_at_ = std::numeric_limits<std::int64_t>::max();
        each_bit(playing_, [&](int lane) {
            const std::int64_t cut = games_[static_cast<std::size_t>(lane)].begun + wanted_.max_steps;
            if (is_set(machine_.finished(), lane) || step_ >= cut) ended_.push_back(lane);
            else cut_at_ = std::min(cut_at_, cut);
        });
        count_goals();
        idle_.insert(idle_.end(), ended_.begin(), ended_.end());
    }

    void count_goals() {
        const auto roles = static_cast<std::size_t>(machine_.game().roles());
        goals_.resize(ended_.size() * roles);
        machine_.read_goals(ended_, goals_.data());
        LaneSet ended(machine_.lanes());
        const int* goal = goals_.data();
        for (const int lane : ended_) {
            const auto row = static_cast<std::size_t>(games_[static_cast<std::size_t>(lane)].position) * roles;
            for (std::size_t role = 0; role < roles; ++role, ++goal)
                sums_[row + role] += *goal < 0 ? middle_goal : *goal;
            ended.add(lane);
        }
        playing_.remove(ended);
    }

    // Gives idle lanes the next games, which begin in the round `begun`.
    void start_games(std::int64_t begun) {
        starts_.clear();
        for (; !idle_.empty(); idle_.pop_back()) {
            for (; next_ < std::ssize(wanted_.games) && begun_ == wanted_.games[static_cast<std::size_t>(next_)];
                 ++next_)
                begun_ = 0;
            if (next_ == std::ssize(wanted_.games)) return;
            ++begun_;
            const int lane = idle_.back();
            games_[static_cast<std::size_t>(lane)] = {next_, begun};
            playing_.add(lane);
            cut_at_ = std::min(cut_at_, begun + wanted_.max_steps);
            starts_.push_back({lane, wanted_.states + next_ * machine_.game().state_words(), nullptr});
        }
    }

    Machine& machine_;
    const PositionGames& wanted_;
    std::span<double> sums_;
    std::vector<LaneGame> games_;
    LaneSet playing_;
    std::vector<int> idle_, ended_, goals_;
    std::vector<Machine::Start> starts_;
    std::ptrdiff_t next_ = 0;  // the position from which the next game is played
    std::int64_t begun_ = 0;   // games of it that have begun
    std::int64_t step_ = 0, steps_ = 0, cut_at_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace

std::int64_t play_positions(Machine& machine, const PositionGames& wanted, std::span<double> goal_sums) {
    return PositionPlayouts(machine, wanted, goal_sums)();
}

}  // namespace ludens
