#include "evaluation/self_play.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/threads.hpp"

namespace ludens {

namespace {

constexpr float missing_goal = 50;
constexpr int games_at_once = 64;  // their children fill some machines' worth of lanes

// ---- Random games --------------------------------------------------------------------------------------------

// Every lane keeps one position of its game: the t-th replaces the one kept with probability 1/t, so that in the
// end all are equally likely (Vitter, "Random sampling with a reservoir", 1985).
class RandomGames {
public:
    RandomGames(Machine& machine, std::uint64_t seed)
        : machine_(machine),
          random_(seed),
          lanes_(static_cast<std::size_t>(machine.lanes())),
          words_(static_cast<std::size_t>(machine.game().feature_words())),
          roles_(static_cast<std::size_t>(machine.game().roles())),
          kept_(lanes_ * words_),
          steps_(lanes_, 0),
          all_(lanes_),
          features_(lanes_ * words_) {
        std::iota(all_.begin(), all_.end(), 0);
    }

    TrainingSamples operator()(std::int64_t games, double seconds, int max_steps) {
        const Deadline deadline(seconds);
        begin(all_);
        while (samples_.games < games && !deadline.passed()) {
            keep();
            machine_.advance();
            machine_.evaluate();
            collect(max_steps);
        }
        return std::move(samples_);
    }

private:
    void begin(const std::vector<int>& lanes) {
        starts_.clear();
        for (const int lane : lanes) {
            starts_.push_back({lane, machine_.game().initial().data(), nullptr});
            steps_[static_cast<std::size_t>(lane)] = 0;
        }
        machine_.load(starts_);
        machine_.evaluate();
    }

    void keep() {
        machine_.read_features(all_, features_.data());
        for (std::size_t lane = 0; lane < lanes_; ++lane)
            if (random_.below(static_cast<std::uint32_t>(++steps_[lane])) == 0)
                std::copy_n(&features_[lane * words_], words_, &kept_[lane * words_]);
    }

    void collect(int max_steps) {
        ended_.clear();
        for (std::size_t w = 0; w < machine_.parked().size(); ++w)
            for (Word rest = machine_.parked()[w]; rest != 0; rest &= rest - 1)
                ended_.push_back(static_cast<int>(w) * 64 + std::countr_zero(rest));
        if (!ended_.empty()) write_down();
        for (const int lane : all_)
            if (steps_[static_cast<std::size_t>(lane)] >= max_steps) ended_.push_back(lane);
        if (!ended_.empty()) begin(ended_);
    }

    void write_down() {
        goals_.resize(ended_.size() * roles_);
        machine_.read_goals(ended_, goals_.data());
        for (const int lane : ended_) {
            const auto from = kept_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(lane) * words_);
            samples_.features.insert(samples_.features.end(), from, from + static_cast<std::ptrdiff_t>(words_));
        }
        for (const int goal : goals_) samples_.targets.push_back(goal < 0 ? missing_goal : static_cast<float>(goal));
        samples_.count = samples_.games += static_cast<std::int64_t>(ended_.size());
    }

    Machine& machine_;
    Random random_;
    const std::size_t lanes_, words_, roles_;
    std::vector<Word> kept_;
    std::vector<int> steps_, all_;
    std::vector<Word> features_;
    std::vector<int> ended_, goals_;
    std::vector<Machine::Start> starts_;
    TrainingSamples samples_;
};

// ---- Self-play -----------------------------------------------------------------------------------------------

class SelfPlay {
public:
    SelfPlay(const Game& game, const Evaluation& evaluation, const SelfPlayOptions& options)
        : game_(game),
          options_(options),
          expander_(game, evaluation, 0),
          random_(options.seed),
          words_(static_cast<std::size_t>(game.state_words())),
          feature_words_(static_cast<std::size_t>(game.feature_words())),
          roles_(static_cast<std::size_t>(game.roles())),
          move_words_(static_cast<std::size_t>(game.move_words())) {}

    TrainingSamples operator()() {
        const Deadline deadline(options_.seconds);
        const auto wanted = [&] { return begun_ < options_.games && !deadline.passed(); };
        while (static_cast<int>(playing_.size()) < games_at_once && wanted()) begin();
        while (!playing_.empty()) {
            round();
            std::erase_if(playing_, [](const Match& match) { return match.over; });
            while (static_cast<int>(playing_.size()) < games_at_once && wanted()) begin();
        }
        return std::move(samples_);
    }

private:
    struct Match {
        std::vector<Word> state;  // before the next move
        std::vector<int> moves;   // the next one; empty at the start
        int opening = 0, steps = 0;
        bool over = false;
        std::vector<Word> features;  // of the states after the opening
        std::vector<float> values;   // backed up, of the same
    };

    void begin() {
        const auto initial = game_.initial();
        Match match;
        match.state.assign(initial.begin(), initial.end());
        match.opening = static_cast<int>(random_.below(static_cast<std::uint32_t>(options_.random_moves) + 1));
        playing_.push_back(std::move(match));
        ++begun_;
    }

    // One move in every game.
    void round() {
        reached_.clear();
        for (const Match& match : playing_)
            reached_.push_back({match.state.data(), match.moves.empty() ? nullptr : match.moves.data()});
        expander_.look(reached_, outlook_);
        looks_ahead_.clear();
        for (const Match& match : playing_) looks_ahead_.push_back(match.steps >= match.opening);
        expander_.expand(looks_ahead_, outlook_);
        for (std::size_t i = 0; i < playing_.size(); ++i) {
            Match& match = playing_[i];
            const Outlook::Position& position = outlook_.positions[i];
            if (position.over || match.steps >= options_.max_steps) {
                finish(match, position.over ? &outlook_.goals[i * roles_] : nullptr);
                continue;
            }
            std::copy_n(&outlook_.states[i * words_], words_, match.state.begin());
            position.count > 0 ? choose(match, i) : choose_at_random(match, &outlook_.legal[i * move_words_]);
            ++match.steps;
        }
    }

    void choose(Match& match, std::size_t i) {
        const Outlook::Position& position = outlook_.positions[i];
        const std::size_t role = static_cast<std::size_t>(std::max(position.mover, 0));
        const auto first = static_cast<std::size_t>(position.first), count = static_cast<std::size_t>(position.count);
        const auto value = [&](std::size_t child) { return outlook_.values[(first + child) * roles_ + role]; };
        std::size_t best = 0;
        for (std::size_t child = 1; child < count; ++child)
            if (value(child) > value(best)) best = child;
        weights_.clear();
        double total = 0;
        for (std::size_t child = 0; child < count; ++child) {
            total += std::exp((value(child) - value(best)) / options_.temperature);
            weights_.push_back(total);
        }
        const auto lot = std::ranges::upper_bound(weights_, random_.unit() * total);
        const std::size_t chosen = std::min(static_cast<std::size_t>(lot - weights_.begin()), count - 1);
        const int* moves = &outlook_.moves[(first + chosen) * roles_];
        match.moves.assign(moves, moves + roles_);
        const Word* features = &outlook_.features[i * feature_words_];
        match.features.insert(match.features.end(), features, features + feature_words_);
        const float* values = &outlook_.values[(first + best) * roles_];
        match.values.insert(match.values.end(), values, values + roles_);
    }

    void choose_at_random(Match& match, const Word* legal) {
        match.moves.clear();
        for (int role = 0; role < static_cast<int>(roles_); ++role) {
            expander_.list_moves(legal, role, list_);
            const auto count = static_cast<std::uint32_t>(list_.size());
            match.moves.push_back(count == 0 ? -1 : list_[random_.below(count)]);
        }
    }

    // Null: the game was cut, and what was expected last counts as its end.
    void finish(Match& match, const float* goals) {
        match.over = true;
        ++samples_.games;
        if (match.values.empty()) return;
        const std::size_t positions = match.values.size() / roles_;
        samples_.count += static_cast<std::int64_t>(positions);
        std::vector<float> next(match.values.end() - static_cast<std::ptrdiff_t>(roles_), match.values.end());
        if (goals) next.assign(goals, goals + roles_);
        for (std::size_t t = positions; t-- > 0;)
            for (std::size_t r = 0; r < roles_; ++r) {
                float& value = match.values[t * roles_ + r];
                next[r] = value = (1 - options_.lambda) * value + options_.lambda * next[r];
            }
        samples_.features.insert(samples_.features.end(), match.features.begin(), match.features.end());
        samples_.targets.insert(samples_.targets.end(), match.values.begin(), match.values.end());
    }

    const Game& game_;
    const SelfPlayOptions options_;
    Expander expander_;
    Random random_;
    const std::size_t words_, feature_words_, roles_, move_words_;
    std::int64_t begun_ = 0;
    std::vector<Match> playing_;
    std::vector<Reached> reached_;
    std::vector<std::uint8_t> looks_ahead_;
    Outlook outlook_;
    std::vector<double> weights_;
    std::vector<int> list_;
    TrainingSamples samples_;
};

}  // namespace

TrainingSamples random_samples(Machine& machine, std::int64_t games, double seconds, int max_steps,
                               std::uint64_t seed) {
    return RandomGames(machine, seed)(games, seconds, max_steps);
}

TrainingSamples self_play_samples(const Game& game, const Evaluation& evaluation, const SelfPlayOptions& options) {
    return SelfPlay(game, evaluation, options)();
}

}  // namespace ludens
