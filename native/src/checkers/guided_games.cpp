#include "checkers/guided_games.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/lane_set.hpp"
#include "base/random.hpp"
#include "base/role_moves.hpp"
#include "base/vector_math.hpp"
#include "checkers/network_evaluation.hpp"

namespace ludens::checkers {

namespace {

constexpr int most_lanes = 512, roles = 2, state_words = 2;
constexpr int most_games = 1 << 16, most_steps = 1 << 20;

// Plays all games side by side, each to its end, as many at once as there are lanes.
class Player {
public:
    Player(const Game& game, const Network& network, const GuidedGames& wanted)
        : game_(game), network_(network), wanted_(wanted), random_(wanted.seed), role_moves_(game.moves()),
          machine_(game.machine({.lanes = most_lanes, .instruction_set = "", .seed = wanted.seed})),
          playing_(most_lanes), legal_words_(static_cast<std::size_t>(game.move_words())) {}

    void operator()(const Word* states, std::span<double> goals) {
        std::ranges::fill(goals, 0);
        const std::int64_t games = static_cast<std::int64_t>(goals.size()) / roles * wanted_.games;
        for (std::int64_t first = 0; first < games; first += most_lanes)
            play(first, std::min<std::int64_t>(games - first, most_lanes), states, goals);
        for (double& goal : goals) goal /= wanted_.games;
    }

private:
    void play(std::int64_t first, std::int64_t count, const Word* states, std::span<double> goals) {
        starts_.clear();
        playing_.clear();
        for (int lane = 0; lane < count; ++lane) {
            starts_.push_back({lane, states + (first + lane) / wanted_.games * state_words, nullptr});
            playing_.add(lane);
        }
        machine_->look_at(starts_);
        for (int step = 0; step < wanted_.max_steps; ++step) {
            lanes_.clear();
            each_bit(playing_, [&](int lane) {
                if (!is_set(machine_->finished(), lane)) lanes_.push_back(lane);
            });
            if (lanes_.empty()) break;
            std::erase_if(lanes_, [&](int) { return random_.unit() >= wanted_.share; });
            if (!lanes_.empty()) force_moves();
            machine_->advance();
            machine_->evaluate();
        }
        for (int lane = 0; lane < count; ++lane) {
            int found[roles];
            machine_->read_goals({&lane, 1}, found);
            double* sums = &goals[static_cast<std::size_t>((first + lane) / wanted_.games) * roles];
            for (int role = 0; role < roles; ++role) sums[role] += found[role] < 0 ? middle_goal : found[role];
        }
    }

    // Has the network choose the next moves of lanes_.
    void force_moves() {
        const std::size_t n = lanes_.size();
        states_.resize(n * state_words);
        legal_.resize(n * legal_words_);
        machine_->read_states(lanes_, states_.data());
        machine_->read_legal(lanes_, legal_.data());
        seen_.clear();
        for (std::size_t i = 0; i < n; ++i) seen_.push_back(seen_position(&states_[i * state_words]));
        values_.resize(n);
        logits_.resize(n * Network::moves);
        network_.evaluate(static_cast<std::int64_t>(n), seen_.data(), values_.data(), logits_.data());
        starts_.clear();
        moves_.resize(n * roles);
        for (std::size_t i = 0; i < n; ++i) {
            choose(i);
            starts_.push_back({lanes_[i], &states_[i * state_words], &moves_[i * roles]});
        }
        machine_->look_at(starts_);
    }

    // Draws a move by the softmax of the logits of legal ones.
    void choose(std::size_t i) {
        role_moves_.find_choice(&legal_[i * legal_words_], choice_);
        std::ranges::copy(choice_.joint, &moves_[i * roles]);
        if (choice_.chooser < 0) return;
        const bool turned = is_turned(&states_[i * state_words]);
        const std::int32_t* logits = &logits_[i * Network::moves];
        const auto logit = [&](int move) {
            const int plain = move % Network::moves;
            return logits[turned ? Network::moves - 1 - plain : plain];
        };
        std::int32_t most = logit(choice_.moves.front());
        for (const int move : choice_.moves) most = std::max(most, logit(move));
        chances_.clear();
        float sum = 0;
        for (const int move : choice_.moves) {
            const Floats less = Floats{} + static_cast<float>(logit(move) - most) / Network::one;
            chances_.push_back(sum += exponential(less)[0]);
        }
        const auto drawn = std::ranges::upper_bound(chances_, static_cast<float>(random_.unit()) * sum);
        const auto place = std::min<std::ptrdiff_t>(drawn - chances_.begin(), std::ssize(chances_) - 1);
        moves_[i * roles + static_cast<std::size_t>(choice_.chooser)] = choice_.moves[static_cast<std::size_t>(place)];
    }

    const Game& game_;
    const Network& network_;
    const GuidedGames wanted_;
    Random random_;
    const RoleMoves role_moves_;
    const std::unique_ptr<Machine> machine_;
    LaneSet playing_;
    const std::size_t legal_words_;
    std::vector<int> lanes_, moves_;
    std::vector<Word> states_, legal_;
    std::vector<SeenPosition> seen_;
    std::vector<std::int32_t> values_, logits_;
    std::vector<float> chances_;  // of the moves so far, added up
    std::vector<Machine::Start> starts_;
    JointChoice choice_;
};

}  // namespace

void play_guided(const Game& game, const Network& network, const GuidedGames& wanted, const Word* states,
                 std::span<double> goals) {
    check_english(game);
    if (!(wanted.share >= 0 && wanted.share <= 1)) throw Error("the share of a network's moves is from 0 to 1");
    if (wanted.games < 1 || wanted.max_steps < 1) throw Error("guided games need at least one game and one step");
    if (wanted.games > most_games || wanted.max_steps > most_steps)
        throw Error("there are 65,536 guided games from a state at most, of 1,048,576 steps at most");
    Player(game, network, wanted)(states, goals);
}

}  // namespace ludens::checkers
