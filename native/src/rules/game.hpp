// A game given as rules that are interpreted: for what is too large to become a network, and until one is ready.
#pragma once

#include <memory>

#include "rules/intern_table.hpp"
#include "rules/plan.hpp"

namespace ludens::rules {

class RulesGame final : public Game {
public:
    explicit RulesGame(const ProgramArrays& arrays);

    int state_bits() const override { return facts_.capacity(); }
    std::span<const int> moves() const override { return capacities_; }
    std::span<const Word> initial() const override { return initial_; }
    std::unique_ptr<Machine> machine(const MachineOptions& options) const override;

    const Plan& plan() const { return plan_; }
    const Questions& questions() const { return questions_; }
    // The number of legal moves of a role that are drawn in a state with more; 0: all are known.
    int sample() const { return sample_; }
    // Facts and moves are numbered when they are first seen, by whatever machine.
    InternTable& facts() const { return facts_; }
    InternTable& moves_of(int role) const { return *moves_[role]; }

private:
    static constexpr int many_moves = 1 << 13;

    bool begins_with_many_moves() const;

    Program program_;
    JoinStatistics first_;
    Plan plan_;
    Questions questions_;
    int sample_;
    std::vector<int> capacities_;
    mutable InternTable facts_;
    std::vector<std::unique_ptr<InternTable>> moves_;
    std::vector<Word> initial_;
};

}  // namespace ludens::rules
