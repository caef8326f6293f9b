#include "evaluation/expansion.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace ludens {

namespace {

constexpr float missing_goal = 50;

bool holds(std::span<const Word> bits, std::size_t i) { return bits[i / 64] >> (i % 64) & 1; }

}  // namespace

Expander::Expander(const Game& game, const Evaluation& evaluation, int lanes)
    : game_(game),
      evaluation_(evaluation),
      machine_(game.machine({.lanes = lanes, .instruction_set = "", .seed = 0})),
      roles_(static_cast<std::size_t>(game.roles())),
      state_words_(static_cast<std::size_t>(game.state_words())),
      feature_words_(static_cast<std::size_t>(game.feature_words())),
      move_words_(static_cast<std::size_t>(game.move_words())),
      lanes_(static_cast<std::size_t>(machine_->lanes())),
      last_bits_(~Word{0} >> (state_words_ * 64 - static_cast<std::size_t>(game.state_bits()))),
      lane_numbers_(lanes_) {
    if (evaluation.roles() != game.roles() || evaluation.feature_words() != game.feature_words())
        throw Error("the evaluation is of another game");
    std::iota(lane_numbers_.begin(), lane_numbers_.end(), 0);
    int first = 0;
    for (const int count : game.moves()) first_moves_.push_back(first), first += count;
}

void Expander::look(std::span<const Reached> reached, Outlook& out) {
    const std::size_t n = reached.size();
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
        look_at(reached.subspan(first, std::min(lanes_, n - first)), first, out);
}

void Expander::look_at(std::span<const Reached> reached, std::size_t first, Outlook& out) {
    starts_.clear();
    bool moving = false;
    for (std::size_t i = 0; i < reached.size(); ++i) {
        moving |= reached[i].moves != nullptr;
        starts_.push_back({static_cast<int>(i), reached[i].state, reached[i].moves});
    }
    machine_->load(starts_);
    machine_->evaluate();
    const std::span lanes = std::span(lane_numbers_).first(reached.size());
    if (moving) {
        machine_->advance();
        machine_->evaluate();
        state_changes_ += static_cast<std::int64_t>(reached.size());
    }
    machine_->read_features(lanes, &out.features[first * feature_words_]);
    split(reached.size(), &out.features[first * feature_words_], &out.states[first * state_words_]);
    machine_->read_legal(lanes, &out.legal[first * move_words_]);
    over_.clear();
    for (const int lane : lanes) {
        Outlook::Position& position = out.positions[first + static_cast<std::size_t>(lane)];
        position.over = holds(machine_->parked(), static_cast<std::size_t>(lane));
        position.mover = Outlook::nobody;
        if (position.over) {
            over_.push_back(lane);
            continue;
        }
        for (int role = 0; role < static_cast<int>(roles_); ++role) {
            list_moves(&out.legal[(first + static_cast<std::size_t>(lane)) * move_words_], role, list_);
            if (list_.size() > 1) position.mover = position.mover == Outlook::nobody ? role : Outlook::several;
        }
    }
    if (over_.empty()) return;
    goals_.resize(over_.size() * roles_);
    machine_->read_goals(over_, goals_.data());
    for (std::size_t i = 0; i < goals_.size(); ++i) {
        const std::size_t position = first + static_cast<std::size_t>(over_[i / roles_]);
        out.goals[position * roles_ + i % roles_] = goals_[i] < 0 ? missing_goal : static_cast<float>(goals_[i]);
    }
}

// The states at the head of their features.
void Expander::split(std::size_t count, const Word* features, Word* states) const {
    for (; count > 0; --count, features += feature_words_, states += state_words_) {
        std::copy_n(features, state_words_, states);
        states[state_words_ - 1] &= last_bits_;
    }
}

void Expander::list_moves(const Word* legal, int role, std::vector<int>& out) const {
    out.clear();
    const std::size_t r = static_cast<std::size_t>(role);
    const int first = first_moves_[r], last = first + game_.moves()[r];
    for (int word = first / 64; word * 64 < last; ++word) {
        Word rest = legal[word];
        if (word == first / 64) rest &= ~Word{0} << (first % 64);
        for (; rest != 0; rest &= rest - 1) {
            const int move = word * 64 + std::countr_zero(rest);
            if (move >= last) return;
            out.push_back(move - first);
        }
    }
}

void Expander::expand(const std::vector<std::uint8_t>& wanted, Outlook& out) {
    for (std::size_t i = 0; i < out.positions.size(); ++i)
        if (wanted[i] && !out.positions[i].over && out.positions[i].mover != Outlook::several) list_children(out, i);
    const std::size_t children = parents_.size();
    out.ends.resize(children);
    out.values.resize(children * roles_);
    for (std::size_t first = 0; first < children; first += lanes_)
        follow(out, first, std::min(lanes_, children - first));
}

// One child a move of who has a choice; one if nobody has.
void Expander::list_children(Outlook& out, std::size_t position) {
    Outlook::Position& p = out.positions[position];
    const Word* legal = &out.legal[position * move_words_];
    joint_.clear();
    for (int role = 0; role < static_cast<int>(roles_); ++role) {
        list_moves(legal, role, list_);
        joint_.push_back(list_.empty() ? -1 : list_.front());
    }
    const int chooser = std::max(p.mover, 0);
    list_moves(legal, chooser, list_);
    p.first = static_cast<std::int32_t>(parents_.size());
    p.count = static_cast<std::int32_t>(list_.size());
    for (const int move : list_) {
        joint_[static_cast<std::size_t>(chooser)] = move;
        out.moves.insert(out.moves.end(), joint_.begin(), joint_.end());
        parents_.push_back(position);
    }
}

void Expander::follow(Outlook& out, std::size_t first, std::size_t count) {
    starts_.clear();
    for (std::size_t i = 0; i < count; ++i)
        starts_.push_back(
            {static_cast<int>(i), &out.states[parents_[first + i] * state_words_], &out.moves[(first + i) * roles_]});
    machine_->load(starts_);
    machine_->evaluate();
    machine_->advance();
    machine_->evaluate();
    state_changes_ += static_cast<std::int64_t>(count);
    const std::span lanes = std::span(lane_numbers_).first(count);
    child_features_.resize(count * feature_words_);
    machine_->read_features(lanes, child_features_.data());
    evaluation_.values(static_cast<std::int64_t>(count), child_features_.data(), &out.values[first * roles_]);
    over_.clear();
    for (const int lane : lanes) {
        const std::size_t child = static_cast<std::size_t>(lane);
        out.ends[first + child] = holds(machine_->parked(), child);
        if (out.ends[first + child]) over_.push_back(lane);
    }
    if (over_.empty()) return;
    goals_.resize(over_.size() * roles_);
    machine_->read_goals(over_, goals_.data());
    for (std::size_t i = 0; i < goals_.size(); ++i) {
        const std::size_t child = first + static_cast<std::size_t>(over_[i / roles_]);
        out.values[child * roles_ + i % roles_] = goals_[i] < 0 ? missing_goal : static_cast<float>(goals_[i]);
    }
}

}  // namespace ludens
