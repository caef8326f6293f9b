#include "simulator.hpp"

#include <algorithm>
#include <bit>
#include <chrono>

namespace ludens {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double default_goal = 50;  // of a role whose goal is undefined at the end

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

bool is_set(std::span<const Word> bits, int i) { return bits[static_cast<std::size_t>(i) / 64] >> (i % 64) & 1; }

// A run of random playouts. Every game that is started is finished and counted, so that short games are not
// over-represented; ended lanes wait until a quarter of them have ended, since goals and loading cost a pass
// over all lanes, and until those that play on have come round in the game's cycle, so that all keep step; or until all have ended, if
// the game gains from being at the same step everywhere.
class PlayoutRun {
public:
    PlayoutRun(Machine& machine, const Word* state, std::int64_t count, double seconds, int max_steps, double* sums,
               double* squares)
        : machine_(machine), state_(state), to_start_(count), seconds_(seconds), max_steps_(max_steps), sums_(sums),
          squares_(squares), lanes_(machine.lanes()), cycle_(machine.game().cycle()), playing_(words_for(lanes_), 0),
          born_(lanes_, 0), length_(lanes_, 0), together_(machine.game().keeps_step()) {}

    PlayoutStats operator()() {
        const double evaluation = machine_.evaluation_seconds(), choice = machine_.choice_seconds();
        for (int lane = 0; lane < lanes_; ++lane) idle_.push_back(lane);
        start_games();
        while (in_flight_ > 0) {
            machine_.advance();
            ++step_;
            machine_.evaluate();
            note_ended();
            const bool many = static_cast<int>(ended_.size()) * (together_ ? 1 : 4) >= std::min(in_flight_, lanes_);
            const bool in_step = (step_ - began_cycle_) % cycle_ == 0;
            if (expired_ || (many && in_step)) finish_games();
            if (in_step || in_flight_ == 0) start_games();
        }
        stats_.seconds = seconds_since(began_);
        stats_.evaluation_seconds = machine_.evaluation_seconds() - evaluation;
        stats_.choice_seconds = machine_.choice_seconds() - choice;
        return stats_;
    }

private:
    void start_games() {
        if (seconds_ > 0 && seconds_since(began_) > seconds_) to_start_ = 0;
        const auto games = std::min<std::int64_t>(to_start_, static_cast<std::int64_t>(idle_.size()));
        starts_.clear();
        for (std::int64_t i = 0; i < games; ++i) {
            starts_.push_back({idle_.back(), state_, nullptr});
            born_[idle_.back()] = step_;
            playing_[idle_.back() / 64] |= Word{1} << (idle_.back() % 64);
            idle_.pop_back();
        }
        if (in_flight_ == 0) began_cycle_ = step_;
        to_start_ -= games;
        in_flight_ += static_cast<int>(games);
        if (games == 0) return;
        machine_.load(starts_);
        machine_.evaluate();
        oldest_ = std::min(oldest_, step_);
        note_ended();
    }

    void note_ended() {
        const auto parked = machine_.parked();
        for (int w = 0; w < words_for(lanes_); ++w)
            for (Word rest = parked[w] & playing_[w]; rest; rest &= rest - 1)
                end(w * 64 + std::countr_zero(rest), false);
        if (step_ - oldest_ < max_steps_) return;
        oldest_ = step_;
        for (int lane = 0; lane < lanes_; ++lane) {
            if (!is_set(playing_, lane)) continue;
            if (step_ - born_[lane] >= max_steps_)
                end(lane, true);
            else
                oldest_ = std::min(oldest_, born_[lane]);
        }
    }

    // At the limit a lane would play on, so its goals must be read at once.
    void end(int lane, bool at_limit) {
        length_[lane] = step_ - born_[lane];
        stats_.stuck += at_limit;
        expired_ |= at_limit;
        playing_[lane / 64] &= ~(Word{1} << (lane % 64));
        ended_.push_back(lane);
    }

    // Waiting for the longest game is too dear where others are much shorter.
    void note_busy() {
        constexpr double enough = 0.75;
        std::int64_t sum = 0, longest = 0;
        for (int lane : ended_) sum += length_[lane], longest = std::max(longest, length_[lane]);
        together_ = static_cast<double>(sum) >= enough * static_cast<double>(longest * static_cast<std::int64_t>(ended_.size()));
    }

    void finish_games() {
        const auto roles = static_cast<std::size_t>(machine_.game().roles());
        goals_.resize(ended_.size() * roles);
        terminal_.resize(ended_.size());
        if (together_ && in_flight_ == static_cast<int>(ended_.size())) note_busy();
        machine_.read_goals(ended_, goals_.data());
        machine_.read_terminal(ended_, terminal_.data());
        for (std::size_t i = 0; i < ended_.size(); ++i) {
            stats_.state_changes += length_[ended_[i]];
            stats_.stuck += !terminal_[i] && is_set(machine_.parked(), ended_[i]);
            for (std::size_t r = 0; r < roles; ++r) {
                const int goal = goals_[i * roles + r];
                const double value = goal < 0 ? default_goal : goal;
                sums_[r] += value;
                squares_[r] += value * value;
            }
        }
        stats_.playouts += static_cast<std::int64_t>(ended_.size());
        in_flight_ -= static_cast<int>(ended_.size());
        idle_.insert(idle_.end(), ended_.begin(), ended_.end());
        ended_.clear();
        expired_ = false;
    }

    Machine& machine_;
    const Word* state_;
    std::int64_t to_start_;
    double seconds_;
    int max_steps_;
    double *sums_, *squares_;
    int lanes_, cycle_;
    std::vector<Word> playing_;         // bit set of the lanes whose game has not ended
    std::vector<std::int64_t> born_;    // step at which the game of a lane began
    std::vector<std::int64_t> length_;  // of the game that ended in a lane
    std::vector<int> idle_, ended_, goals_;
    std::vector<std::uint8_t> terminal_;
    std::vector<Machine::Start> starts_;
    std::int64_t step_ = 0, oldest_ = 0, began_cycle_ = 0;
    int in_flight_ = 0;
    bool expired_ = false;
    bool together_;  // whether a game waits until all have ended, so that all are at the same step
    PlayoutStats stats_;
    Clock::time_point began_ = Clock::now();
};

}  // namespace

std::span<const int> Simulator::load(std::int64_t count, const Word* states, const int* moves) {
    const auto n = static_cast<int>(std::min<std::int64_t>(count, machine_->lanes()));
    lanes_.resize(n);
    starts_.clear();
    for (int i = 0; i < n; ++i) {
        lanes_[i] = i;
        starts_.push_back({i, states + static_cast<std::ptrdiff_t>(i) * machine_->game().state_words(),
                           moves ? moves + static_cast<std::ptrdiff_t>(i) * machine_->game().roles() : nullptr});
    }
    machine_->load(starts_);
    machine_->evaluate();
    return lanes_;
}

void Simulator::inspect(std::int64_t count, const Word* states, Word* legal, std::uint8_t* terminal, int* goals) {
    const Game& game = machine_->game();
    while (count > 0) {
        const auto lanes = load(count, states, nullptr);
        const auto n = static_cast<std::ptrdiff_t>(lanes.size());
        if (legal) machine_->read_legal(lanes, legal), legal += n * game.move_words();
        if (terminal) machine_->read_terminal(lanes, terminal), terminal += n;
        if (goals) machine_->read_goals(lanes, goals), goals += n * game.roles();
        states += n * game.state_words();
        count -= n;
    }
}

void Simulator::next(std::int64_t count, const Word* states, const int* moves, Word* successors) {
    const Game& game = machine_->game();
    while (count > 0) {
        const auto lanes = load(count, states, moves);
        const auto n = static_cast<std::ptrdiff_t>(lanes.size());
        machine_->advance();
        machine_->evaluate();
        machine_->read_states(lanes, successors);
        states += n * game.state_words();
        successors += n * game.state_words();
        moves += n * game.roles();
        count -= n;
    }
}

PlayoutStats Simulator::playouts(const Word* state, std::int64_t count, double seconds, int max_steps,
                                 double* goal_sums, double* goal_squares) {
    const auto roles = static_cast<std::size_t>(machine_->game().roles());
    std::fill(goal_sums, goal_sums + roles, 0.0);
    std::fill(goal_squares, goal_squares + roles, 0.0);
    const Word* start = state ? state : machine_->game().initial().data();
    return PlayoutRun(*machine_, start, count, seconds, max_steps, goal_sums, goal_squares)();
}

void Simulator::record(const Word* state, int max_steps, int* moves, int* lengths) {
    const int roles = machine_->game().roles(), count = machine_->lanes();
    const Word* start = state ? state : machine_->game().initial().data();
    starts_.clear();
    lanes_.clear();
    for (int lane = 0; lane < count; ++lane) starts_.push_back({lane, start, nullptr}), lanes_.push_back(lane);
    machine_->load(starts_);
    machine_->evaluate();
    std::fill(moves, moves + std::ptrdiff_t{count} * max_steps * roles, -1);
    std::fill(lengths, lengths + count, 0);
    std::vector<int> joint;
    for (int step = 0; step < max_steps; ++step) {
        std::erase_if(lanes_, [&](int lane) { return is_set(machine_->parked(), lane); });
        if (lanes_.empty()) break;
        machine_->advance();
        joint.resize(lanes_.size() * static_cast<std::size_t>(roles));
        machine_->read_moves(lanes_, joint.data());
        machine_->evaluate();
        for (std::size_t i = 0; i < lanes_.size(); ++i) {
            const auto at = (std::ptrdiff_t{lanes_[i]} * max_steps + step) * roles;
            std::copy_n(joint.begin() + static_cast<std::ptrdiff_t>(i) * roles, roles, moves + at);
            lengths[lanes_[i]] = step + 1;
        }
    }
}

}  // namespace ludens
