#include "base/simulator.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>

#include "base/lane_set.hpp"

namespace ludens {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// A run of random playouts, on sets of lanes: nothing is done for one lane alone. Every game that is started is
// finished and counted, so that short games are not over-represented. Lanes that have ended wait until they are many,
// since goals and new games cost a pass over all lanes; for their goals, until the game's cycle has come round to where
// they ended; for a new game, until those that play on have come round, so that all keep step. Or they wait until all
// have ended, if the game gains from being at the same step everywhere.
class PlayoutRun {
public:
    PlayoutRun(Machine& machine, const Word* state, std::int64_t count, double seconds, int max_steps,
               std::span<double> sums, std::span<double> squares)
        : machine_(machine), state_(state), to_start_(count), seconds_(seconds), max_steps_(max_steps),
          lanes_(machine.lanes()), cycle_(machine.game().cycle()), playing_(lanes_), idle_(lanes_), chosen_(lanes_),
          ended_(static_cast<std::size_t>(cycle_), LaneSet(lanes_)), together_(machine.game().lockstep()) {
        endings_.sums = sums;
        endings_.squares = squares;
        idle_.fill(lanes_);
    }

    PlayoutStats operator()() {
        const double evaluation = machine_.evaluation_seconds(), choice = machine_.choice_seconds();
        start_games();
        while (in_flight_ > 0) {
            machine_.advance();
            ++step_;
            stats_.state_changes += playing_count_;
            machine_.evaluate();
            note_ended();
            if (playing_count_ == 0) finish_all();
            else if (expired_ || many(ended_[phase()])) finish(ended_[phase()]);
            if (phase() == 0 || in_flight_ == 0) start_games();
        }
        stats_.playouts = endings_.games;
        stats_.stuck = endings_.stuck;
        stats_.seconds = seconds_since(began_);
        stats_.evaluation_seconds = machine_.evaluation_seconds() - evaluation;
        stats_.choice_seconds = machine_.choice_seconds() - choice;
        return stats_;
    }

private:
    // Lanes whose games began at the same step.
    struct Cohort {
        std::int64_t born;
        LaneSet lanes;
    };

    std::size_t phase() const { return static_cast<std::size_t>((step_ - began_cycle_) % cycle_); }

    bool many(const LaneSet& ended) const {
        constexpr int share = 8;
        return !together_ && ended.count() * share * cycle_ >= in_flight_;
    }

    void start_games() {
        constexpr int rarely = 8;  // asking for the time takes as long as some steps of a small game
        if (seconds_ > 0 && asked_++ % rarely == 0 && seconds_since(began_) > seconds_) to_start_ = 0;
        const auto games = static_cast<int>(std::min<std::int64_t>(to_start_, lanes_ - in_flight_));
        if (in_flight_ == 0) {
            began_cycle_ = step_;
            changes_before_ = stats_.state_changes;
        }
        if (games == 0) return;
        chosen_ = idle_;
        chosen_.keep(games);
        idle_.remove(chosen_);
        note_cohort();
        playing_.add(chosen_);
        to_start_ -= games;
        in_flight_ += games;
        machine_.restart(chosen_, state_);
        machine_.evaluate();
        note_ended();
    }

    // Cohorts keep their storage when all their lanes are gone.
    void note_cohort() {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < cohorts_; ++i) {
            cohort_[i].lanes.intersect(playing_);
            if (cohort_[i].lanes.any()) std::swap(cohort_[kept++], cohort_[i]);
        }
        if (kept == cohort_.size()) cohort_.push_back({step_, chosen_});
        cohort_[kept] = {step_, chosen_};
        cohorts_ = kept + 1;
    }

    void note_ended() {
        end(machine_.finished());
        // At the limit a lane would play on, so its goals must be read at once.
        for (std::size_t i = 0; i < cohorts_ && step_ - cohort_[i].born >= max_steps_; ++i) {
            cohort_[i].lanes.intersect(playing_);
            expired_ |= cohort_[i].lanes.any();
            end(cohort_[i].lanes);
        }
        playing_count_ = playing_.count();
    }

    void end(std::span<const Word> lanes) {
        chosen_ = playing_;
        chosen_.intersect(lanes);
        ended_[phase()].add(chosen_);
        playing_.remove(chosen_);
    }

    void finish_all() {
        if (together_) note_busy();
        for (LaneSet& ended : ended_) finish(ended);
    }

    // Waiting for the longest game is too dear where others are much shorter.
    void note_busy() {
        constexpr double enough = 0.75;
        const auto steps = static_cast<double>(step_ - began_cycle_) * in_flight_;
        together_ = static_cast<double>(stats_.state_changes - changes_before_) >= enough * steps;
    }

    void finish(LaneSet& ended) {
        const auto before = endings_.games;
        machine_.add_endings(ended, endings_);
        in_flight_ -= static_cast<int>(endings_.games - before);
        idle_.add(ended);
        ended.clear();
        expired_ = false;
    }

    Machine& machine_;
    const Word* state_;
    std::int64_t to_start_;
    double seconds_;
    unsigned asked_ = 0;  // how often games were to be started
    int max_steps_;
    int lanes_, cycle_;
    LaneSet playing_, idle_, chosen_;
    std::vector<LaneSet> ended_;  // games that are over but not counted, by where in the cycle they ended
    std::vector<Cohort> cohort_;  // the oldest first; only so many are in use:
    std::size_t cohorts_ = 0;
    std::int64_t step_ = 0, began_cycle_ = 0, changes_before_ = 0;
    int in_flight_ = 0, playing_count_ = 0;  // lanes with a game that is not counted; with one that goes on
    bool expired_ = false;
    bool together_;  // whether a game waits until all have ended, so that all are at the same step
    Endings endings_;
    PlayoutStats stats_;
    Clock::time_point began_ = Clock::now();
};

}  // namespace

std::span<const int> Simulator::assign(std::int64_t count, const Word* states, const int* moves) {
    const auto n = static_cast<int>(std::min<std::int64_t>(count, machine_->lanes()));
    lanes_.resize(n);
    starts_.clear();
    for (int i = 0; i < n; ++i) {
        lanes_[i] = i;
        starts_.push_back({i, states + static_cast<std::ptrdiff_t>(i) * machine_->game().state_words(),
                           moves ? moves + static_cast<std::ptrdiff_t>(i) * machine_->game().roles() : nullptr});
    }
    return lanes_;
}

void Simulator::inspect(std::int64_t count, const Word* states, Word* legal, std::uint8_t* terminal, int* goals) {
    const Game& game = machine_->game();
    while (count > 0) {
        const auto lanes = assign(count, states, nullptr);
        machine_->look_at(starts_);
        const auto n = static_cast<std::ptrdiff_t>(lanes.size());
        if (legal) {
            machine_->read_legal(lanes, legal);
            legal += n * game.move_words();
        }
        if (terminal) {
            machine_->read_terminal(lanes, terminal);
            terminal += n;
        }
        if (goals) {
            machine_->read_goals(lanes, goals);
            goals += n * game.roles();
        }
        states += n * game.state_words();
        count -= n;
    }
}

void Simulator::check_legal(std::int64_t first, const int* moves) {
    const Game& game = machine_->game();
    const auto words = static_cast<std::size_t>(game.move_words());
    legal_.resize(lanes_.size() * words);
    machine_->read_legal(lanes_, legal_.data());
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        const bool over = is_set(machine_->finished(), lanes_[i]);
        const std::span legal(&legal_[i * words], words);
        int before = 0;  // moves of the roles before this one
        for (int role = 0; role < game.roles(); ++role) {
            const int move = *moves++;
            if (!over && (move < 0 || !is_set(legal, before + move)))
                throw Error("joint move " + std::to_string(first + static_cast<std::int64_t>(i)) + ": " +
                            (move < 0 ? "no move" : "move " + std::to_string(move)) + " of role " +
                            std::to_string(role) + " is not legal in its state");
            before += game.moves()[static_cast<std::size_t>(role)];
        }
    }
}

void Simulator::next(std::int64_t count, const Word* states, const int* moves, Word* successors, bool only_legal) {
    const Game& game = machine_->game();
    for (std::int64_t done = 0; count > 0;) {
        const auto lanes = assign(count, states, moves);
        const auto n = static_cast<std::ptrdiff_t>(lanes.size());
        machine_->look_at(starts_);
        if (only_legal) check_legal(done, moves);
        machine_->advance();
        machine_->evaluate();
        machine_->read_states(lanes, successors);
        done += n;
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
    return PlayoutRun(*machine_, start, count, seconds, max_steps, {goal_sums, roles}, {goal_squares, roles})();
}

std::int64_t Simulator::playouts_from(const PositionGames& wanted, std::span<double> goal_sums) {
    std::ranges::fill(goal_sums, 0.0);
    return play_positions(*machine_, wanted, goal_sums);
}

void Simulator::record(const Word* state, int max_steps, int* moves, int* lengths) {
    const int roles = machine_->game().roles(), count = machine_->lanes();
    const Word* start = state ? state : machine_->game().initial().data();
    starts_.clear();
    lanes_.clear();
    for (int lane = 0; lane < count; ++lane) {
        starts_.push_back({lane, start, nullptr});
        lanes_.push_back(lane);
    }
    machine_->note_moves(true);
    machine_->look_at(starts_);
    std::fill(moves, moves + std::ptrdiff_t{count} * max_steps * roles, -1);
    std::fill(lengths, lengths + count, 0);
    std::vector<int> joint;
    for (int step = 0; step < max_steps; ++step) {
        std::erase_if(lanes_, [&](int lane) { return is_set(machine_->finished(), lane); });
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
    lanes_.resize(static_cast<std::size_t>(count));
    std::iota(lanes_.begin(), lanes_.end(), 0);
    noted_.resize(lanes_.size() * static_cast<std::size_t>(machine_->game().move_words()));
    machine_->read_noted(lanes_, noted_.data());
    machine_->note_moves(false);
    recorded_ = true;
}

void Simulator::noted(Word* sets) const {
    if (!recorded_) throw Error("nothing has been recorded yet");
    std::ranges::copy(noted_, sets);
}

}  // namespace ludens
