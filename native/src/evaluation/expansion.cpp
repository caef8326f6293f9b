#include "evaluation/expansion.hpp"

#include <algorithm>
#include <numeric>

namespace ludens {

namespace {

// Joint moves of some choices, or the first product that is more than `most`: all of them may be more than a number
// can hold.
std::size_t joint_moves(const std::vector<std::vector<int>>& choices, std::size_t most) {
    std::size_t joint = 1;
    for (const std::vector<int>& moves : choices) {
        joint *= moves.size();
        if (joint > most) break;
    }
    return joint;
}

}  // namespace

PositionExpander::PositionExpander(const Game& game, int lanes)
    : game_(game), machine_(game.machine({.lanes = lanes, .instruction_set = "", .seed = 0})),
      role_moves_(game.moves()), roles_(static_cast<std::size_t>(game.roles())),
      state_words_(static_cast<std::size_t>(game.state_words())),
      feature_words_(static_cast<std::size_t>(game.feature_words())),
      move_words_(static_cast<std::size_t>(game.move_words())), lanes_(static_cast<std::size_t>(machine_->lanes())),
      last_bits_(~Word{0} >> (state_words_ * 64 - static_cast<std::size_t>(game.state_bits()))), lane_numbers_(lanes_) {
    std::iota(lane_numbers_.begin(), lane_numbers_.end(), 0);
}

void PositionExpander::use(const Evaluation& evaluation) {
    evaluation.check_fits(game_);
    evaluation_ = &evaluation;
}

void PositionExpander::read(std::span<const Transition> transitions, ExpandedPositions& out) {
    const std::size_t n = transitions.size();
    out.positions.assign(n, {});
    out.states.resize(n * state_words_);
    out.features.resize(n * feature_words_);
    out.legal.resize(n * move_words_);
    out.goals.resize(n * roles_);
    out.moves.clear();
    out.ends.clear();
    out.values.clear();
    parents_.clear();
    for (std::size_t first = 0; first < n; first += lanes_)
        read_lanes(transitions.subspan(first, std::min(lanes_, n - first)), first, out);
}

void PositionExpander::read_lanes(std::span<const Transition> transitions, std::size_t first, ExpandedPositions& out) {
    starts_.clear();
    staying_.clear();
    for (std::size_t i = 0; i < transitions.size(); ++i) {
        const Transition& transition = transitions[i];
        (transition.moves ? starts_ : staying_).push_back({static_cast<int>(i), transition.state, transition.moves});
    }
    const std::span lanes = std::span(lane_numbers_).first(transitions.size());
    if (!starts_.empty()) {
        machine_->look_at(starts_);
        machine_->advance();
    }
    machine_->look_at(staying_);
    state_changes_ += static_cast<std::int64_t>(starts_.size());
    machine_->read_features(lanes, &out.features[first * feature_words_]);
    split(transitions.size(), &out.features[first * feature_words_], &out.states[first * state_words_]);
    machine_->read_legal(lanes, &out.legal[first * move_words_]);
    over_.clear();
    for (const int lane : lanes) {
        const std::size_t i = first + static_cast<std::size_t>(lane);
        ExpandedPositions::Position& position = out.positions[i];
        position.over = is_set(machine_->finished(), lane);
        position.chooser = JointChoice::nobody;
        if (position.over) over_.push_back(lane);
        else position.chooser = role_moves_.chooser(&out.legal[i * move_words_]);
    }
    read_ends(first, out.goals.data());
}

// Writes the goals of the lanes whose game is over, lane 0 being the position or child `first`.
void PositionExpander::read_ends(std::size_t first, float* goals) {
    if (over_.empty()) return;
    goals_.resize(over_.size() * roles_);
    machine_->read_goals(over_, goals_.data());
    for (std::size_t i = 0; i < goals_.size(); ++i) {
        const std::size_t at = first + static_cast<std::size_t>(over_[i / roles_]);
        goals[at * roles_ + i % roles_] = static_cast<float>(goals_[i] < 0 ? middle_goal : goals_[i]);
    }
}

// The states at the head of their features.
void PositionExpander::split(std::size_t count, const Word* features, Word* states) const {
    for (; count > 0; --count, features += feature_words_, states += state_words_) {
        std::copy_n(features, state_words_, states);
        if (state_words_ > 0) states[state_words_ - 1] &= last_bits_;  // some games have no propositions
    }
}

void PositionExpander::expand(const std::vector<std::uint8_t>& wanted, ExpandedPositions& out) {
    for (std::size_t i = 0; i < out.positions.size(); ++i)
        if (wanted[i] && !out.positions[i].over && out.positions[i].chooser != JointChoice::several)
            list_children(out, i);
    make_listed(out);
}

void PositionExpander::expand_jointly(const std::vector<std::uint8_t>& wanted, std::size_t most_joint, Random& random,
                                      ExpandedPositions& out) {
    out.widths.assign(out.positions.size() * roles_, 1);
    for (std::size_t i = 0; i < out.positions.size(); ++i) {
        if (!wanted[i] || out.positions[i].over) continue;
        if (out.positions[i].chooser == JointChoice::several) list_joint_children(out, i, most_joint, random);
        else list_children(out, i);
    }
    make_listed(out);
}

void PositionExpander::make_listed(ExpandedPositions& out) {
    const std::size_t children = parents_.size();
    out.ends.resize(children);
    out.values.resize(children * roles_);
    for (std::size_t first = 0; first < children; first += lanes_)
        make_children(out, first, std::min(lanes_, children - first));
}

void PositionExpander::list_children(ExpandedPositions& out, std::size_t position) {
    ExpandedPositions::Position& p = out.positions[position];
    role_moves_.find_choice(&out.legal[position * move_words_], choice_);
    p.first = static_cast<std::int32_t>(parents_.size());
    p.count = static_cast<std::int32_t>(choice_.moves.size());
    for (const int move : choice_.moves) {
        choice_.joint[static_cast<std::size_t>(p.mover())] = move;
        out.moves.insert(out.moves.end(), choice_.joint.begin(), choice_.joint.end());
        parents_.push_back(position);
    }
}

void PositionExpander::list_joint_children(ExpandedPositions& out, std::size_t position, std::size_t most_joint,
                                           Random& random) {
    role_choices_.resize(roles_);
    for (std::size_t role = 0; role < roles_; ++role) {
        std::vector<int>& moves = role_choices_[role];
        moves.clear();
        role_moves_.list(&out.legal[position * move_words_], static_cast<int>(role), moves);
        if (moves.empty()) moves.push_back(-1);
    }
    std::size_t joint = joint_moves(role_choices_, most_joint);
    while (joint > most_joint) {
        std::vector<int>& most = *std::ranges::max_element(role_choices_, {}, &std::vector<int>::size);
        most[random.below(static_cast<std::uint32_t>(most.size()))] = most.back();
        most.pop_back();
        joint = joint_moves(role_choices_, most_joint);
    }
    ExpandedPositions::Position& p = out.positions[position];
    p.first = static_cast<std::int32_t>(parents_.size());
    p.count = static_cast<std::int32_t>(joint);
    for (std::size_t role = 0; role < roles_; ++role)
        out.widths[position * roles_ + role] = static_cast<int>(role_choices_[role].size());
    for (std::size_t child = 0; child < joint; ++child) {
        std::size_t each = joint, rest = child;  // joint moves for one of the role's, and those that are left to tell
        for (const std::vector<int>& moves : role_choices_) {
            each /= moves.size();
            out.moves.push_back(moves[rest / each]);
            rest %= each;
        }
        parents_.push_back(position);
    }
}

void PositionExpander::make_children(ExpandedPositions& out, std::size_t first, std::size_t count) {
    starts_.clear();
    for (std::size_t i = 0; i < count; ++i)
        starts_.push_back(
            {static_cast<int>(i), &out.states[parents_[first + i] * state_words_], &out.moves[(first + i) * roles_]});
    machine_->follow(starts_);
    state_changes_ += static_cast<std::int64_t>(count);
    const std::span lanes = std::span(lane_numbers_).first(count);
    child_features_.resize(count * feature_words_);
    machine_->read_features(lanes, child_features_.data());
    evaluation_->values(static_cast<std::int64_t>(count), child_features_.data(), &parents_[first], out.features.data(),
                        &out.values[first * roles_]);
    over_.clear();
    for (const int lane : lanes) {
        const bool over = is_set(machine_->finished(), lane);
        out.ends[first + static_cast<std::size_t>(lane)] = over;
        if (over) over_.push_back(lane);
    }
    read_ends(first, out.values.data());
}

}  // namespace ludens
