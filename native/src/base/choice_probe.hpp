// Finds out by random games whether several roles choose at once in a game, soon after a state.
#pragma once

#include <memory>
#include <vector>

#include "base/machine.hpp"
#include "base/role_moves.hpp"

namespace ludens {

class ChoiceProbe {
public:
    explicit ChoiceProbe(const Game& game)
        : machine_(game.machine({.lanes = games, .instruction_set = "", .seed = 0})), role_moves_(game.moves()),
          move_words_(static_cast<std::size_t>(game.move_words())) {}

    // Whether the game is over in a state.
    bool over(const Word* state) {
        look_at(state, 1);
        return is_set(machine_->finished(), 0);
    }
    // Whether several roles have a choice in a state.
    bool several_choose(const Word* state) {
        look_at(state, 1);
        return several_choose();
    }
    // Whether that happens in one of a few random games within so many steps from a state on.
    bool several_choose_soon(const Word* state, int steps) {
        look_at(state, games);
        while (!several_choose()) {
            if (playing_.empty() || steps-- == 0) return false;
            machine_->advance();
            machine_->evaluate();
        }
        return true;
    }

private:
    static constexpr int games = 64;

    // So many games go on from that state.
    void look_at(const Word* state, int count) {
        starts_.clear();
        for (int lane = 0; lane < count; ++lane) starts_.push_back({lane, state, nullptr});
        machine_->look_at(starts_);
    }

    // In any of the games that were looked at last.
    bool several_choose() {
        playing_.clear();
        for (const Machine::Start& start : starts_)
            if (!is_set(machine_->finished(), start.lane)) playing_.push_back(start.lane);
        legal_.resize(playing_.size() * move_words_);
        machine_->read_legal(playing_, legal_.data());
        for (std::size_t i = 0; i < playing_.size(); ++i)
            if (role_moves_.chooser(&legal_[i * move_words_]) == JointChoice::several) return true;
        return false;
    }

    const std::unique_ptr<Machine> machine_;
    const RoleMoves role_moves_;
    const std::size_t move_words_;
    std::vector<Machine::Start> starts_;
    std::vector<int> playing_;
    std::vector<Word> legal_;
};

}  // namespace ludens
