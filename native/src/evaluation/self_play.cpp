#include "evaluation/self_play.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/threads.hpp"

namespace ludens {

namespace {

// Games at once: as many as have so many children a round, which fill the lanes of any machine some times over. (More
// would have to end before anything can be learned of them.)
constexpr std::int64_t children_at_once = 4096;
constexpr std::size_t fewest_games = 16, most_games = 512;

// Where several roles choose at once.
constexpr std::size_t most_joint_moves = 256;
constexpr double uniform_share = 0.1;  // of the moves that are drawn

}  // namespace

// ---- Random games --------------------------------------------------------------------------------------------

RandomGames::RandomGames(std::unique_ptr<Machine> machine, int max_steps, std::uint64_t seed)
    : machine_(std::move(machine)), max_steps_(max_steps), random_(seed),
      lanes_(static_cast<std::size_t>(machine_->lanes())),
      words_(static_cast<std::size_t>(machine_->game().feature_words())),
      roles_(static_cast<std::size_t>(machine_->game().roles())), kept_(lanes_ * words_), steps_(lanes_, 0),
      all_(lanes_), features_(lanes_ * words_) {
    std::iota(all_.begin(), all_.end(), 0);
    begin(all_);
}

TrainingSamples RandomGames::play(std::int64_t games, double seconds) {
    const Deadline deadline(seconds);
    while (samples_.games < games && !deadline.passed()) {
        keep();
        machine_->advance();
        machine_->evaluate();
        collect();
    }
    return std::exchange(samples_, {});
}

void RandomGames::begin(const std::vector<int>& lanes) {
    starts_.clear();
    for (const int lane : lanes) {
        starts_.push_back({lane, machine_->game().initial().data(), nullptr});
        steps_[static_cast<std::size_t>(lane)] = 0;
    }
    machine_->look_at(starts_);
}

void RandomGames::keep() {
    machine_->read_features(all_, features_.data());
    for (std::size_t lane = 0; lane < lanes_; ++lane)
        if (random_.below(static_cast<std::uint32_t>(++steps_[lane])) == 0)
            std::copy_n(&features_[lane * words_], words_, &kept_[lane * words_]);
}

void RandomGames::collect() {
    ended_.clear();
    each_bit(machine_->finished(), [this](int lane) { ended_.push_back(lane); });
    if (!ended_.empty()) add_samples();
    for (const int lane : all_)
        if (steps_[static_cast<std::size_t>(lane)] >= max_steps_) ended_.push_back(lane);
    if (!ended_.empty()) begin(ended_);
}

void RandomGames::add_samples() {
    goals_.resize(ended_.size() * roles_);
    machine_->read_goals(ended_, goals_.data());
    for (const int lane : ended_) {
        const auto from = kept_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(lane) * words_);
        samples_.features.insert(samples_.features.end(), from, from + static_cast<std::ptrdiff_t>(words_));
    }
    for (const int goal : goals_) samples_.targets.push_back(static_cast<float>(goal < 0 ? middle_goal : goal));
    samples_.count = samples_.games += static_cast<std::int64_t>(ended_.size());
}

// ---- Self-play -----------------------------------------------------------------------------------------------

SelfPlay::SelfPlay(const Game& game, const SelfPlayOptions& options)
    : game_(game), options_(options), expander_(game, 0), random_(options.seed),
      words_(static_cast<std::size_t>(game.state_words())),
      feature_words_(static_cast<std::size_t>(game.feature_words())), roles_(static_cast<std::size_t>(game.roles())),
      move_words_(static_cast<std::size_t>(game.move_words())) {
    const Transition start{game.initial().data(), nullptr};
    expander_.read({&start, 1}, expanded_);
    over_at_start_ = expanded_.positions[0].over;
}

TrainingSamples SelfPlay::play(const std::shared_ptr<const Evaluation>& evaluation, std::int64_t states,
                               double seconds) {
    expander_.use(*evaluation);
    samples_ = {};
    if (over_at_start_) {
        begun_over_ += samples_.games = states;
        return std::move(samples_);
    }
    const Deadline deadline(seconds);
    const std::int64_t end = expander_.state_changes() + states;
    while (expander_.state_changes() < end && !deadline.passed()) {
        if (rounds_ % game_.cycle() == 0)  // so that all are in the same phase
            while (playing_.size() < games_wanted())
                playing_.push_back(begun_game(game_, options_.random_moves, random_));
        round();
        std::erase_if(playing_, [](const PlayedGame& game) { return game.over; });
    }
    return std::move(samples_);
}

std::size_t SelfPlay::games_wanted() const {
    if (children_ == 0) return fewest_games;
    return std::clamp(static_cast<std::size_t>(children_at_once * looked_at_ / children_), fewest_games, most_games);
}

// One move in every game.
void SelfPlay::round() {
    transitions_.clear();
    for (const PlayedGame& game : playing_)
        transitions_.push_back({game.state.data(), game.moves.empty() ? nullptr : game.moves.data()});
    expander_.read(transitions_, expanded_);
    searched_.clear();
    for (const PlayedGame& game : playing_) searched_.push_back(game.steps >= game.opening);
    expander_.expand_jointly(searched_, most_joint_moves, random_, expanded_);
    looked_at_ += std::ranges::count_if(expanded_.positions, [](const auto& position) { return position.count > 0; });
    children_ += static_cast<std::int64_t>(expanded_.ends.size());
    ++rounds_;
    for (std::size_t i = 0; i < playing_.size(); ++i) {
        PlayedGame& game = playing_[i];
        const ExpandedPositions::Position& position = expanded_.positions[i];
        if (position.over || game.steps >= options_.max_steps) {
            finish(game, position.over ? &expanded_.goals[i * roles_] : nullptr);
            continue;
        }
        std::copy_n(&expanded_.states[i * words_], words_, game.state.begin());
        if (position.count == 0)
            draw_moves(expander_.role_moves(), &expanded_.legal[i * move_words_], random_, game.moves);
        else if (position.chooser == JointChoice::several) choose_jointly(game, i);
        else choose(game, i);
        ++game.steps;
    }
}

void SelfPlay::choose(PlayedGame& game, std::size_t i) {
    const ExpandedPositions::Position& position = expanded_.positions[i];
    const std::size_t role = static_cast<std::size_t>(position.mover());
    const auto first = static_cast<std::size_t>(position.first), count = static_cast<std::size_t>(position.count);
    worth_.clear();
    for (std::size_t child = 0; child < count; ++child)
        worth_.push_back(expanded_.values[(first + child) * roles_ + role]);
    const auto best = static_cast<std::size_t>(std::ranges::max_element(worth_) - worth_.begin());
    const std::size_t chosen = draw_softmax(worth_, options_.temperature, random_);
    const int* moves = &expanded_.moves[(first + chosen) * roles_];
    game.moves.assign(moves, moves + roles_);
    keep_features(game, i);
    const float* values = &expanded_.values[(first + best) * roles_];
    game.values.insert(game.values.end(), values, values + roles_);
}

void SelfPlay::choose_jointly(PlayedGame& game, std::size_t i) {
    const ExpandedPositions::Position& position = expanded_.positions[i];
    const auto first = static_cast<std::size_t>(position.first), count = static_cast<std::size_t>(position.count);
    const std::span widths = std::span(expanded_.widths).subspan(i * roles_, roles_);
    solver_.solve(widths, std::span(expanded_.values).subspan(first * roles_, count * roles_));
    std::size_t chosen = 0;  // among the joint moves
    for (std::size_t role = 0; role < roles_; ++role)
        chosen = chosen * static_cast<std::size_t>(widths[role]) + draw(solver_.strategy(role));
    const int* moves = &expanded_.moves[(first + chosen) * roles_];
    game.moves.assign(moves, moves + roles_);
    keep_features(game, i);
    for (const double value : solver_.values()) game.values.push_back(static_cast<float>(value));
}

// Draws a move by its share, or now and then any.
std::size_t SelfPlay::draw(std::span<const double> shares) {
    if (random_.unit() < uniform_share) return random_.below(static_cast<std::uint32_t>(shares.size()));
    double mark = random_.unit();
    for (std::size_t m = 0; m < shares.size(); ++m) {
        mark -= shares[m];
        if (mark < 0) return m;
    }
    return shares.size() - 1;
}

void SelfPlay::keep_features(PlayedGame& game, std::size_t i) {
    const Word* features = &expanded_.features[i * feature_words_];
    game.features.insert(game.features.end(), features, features + feature_words_);
}

// Null: the game was cut.
void SelfPlay::finish(PlayedGame& game, const float* goals) {
    game.over = true;
    ++samples_.games;
    add_returns(game, roles_, goals, options_.lambda, samples_);
}

}  // namespace ludens
