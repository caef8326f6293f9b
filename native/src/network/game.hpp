// A game given as a propositional network.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "base/instruction_set.hpp"
#include "base/machine.hpp"
#include "network/control.hpp"
#include "network/machine_code.hpp"
#include "network/program.hpp"

namespace ludens::network {

// A value that a role's goal can have, and the goals of the network that say so.
struct GoalValue {
    int value;
    std::vector<std::size_t> goals;
};

class NetworkGame final : public Game {
public:
    NetworkGame(NetworkArrays network, std::vector<Word> initial);

    int state_bits() const override { return network_.state_bits; }
    int feature_bits() const override { return state_bits() + static_cast<int>(network_.features.size()); }
    std::span<const int> moves() const override { return network_.moves; }
    std::span<const Word> initial() const override { return initial_; }
    int cycle() const override { return static_cast<int>(std::max<std::size_t>(programs_.size() - 1, 1)); }
    int phase(const Word* state) const override { return cycle() == 1 ? 0 : control_.phase(state); }
    bool lockstep() const override;
    bool constant_sum() const override;
    std::unique_ptr<Machine> machine(const MachineOptions& options) const override;
    std::unique_ptr<Batch> batch(std::int64_t count, const MachineOptions& options,
                                 const BatchLayout& layout) const override;

    const NetworkArrays& network() const { return network_; }
    const Control& control() const { return control_; }
    // Of each role.
    const std::vector<std::vector<GoalValue>>& goal_values() const { return goal_values_; }

    // One for each phase of the control, if that is worth it; the last one is for any state.
    const std::deque<Program>& programs() const { return programs_; }
#if defined(LUDENS_JIT)
    // Of one of the programs, for an instruction set with machine code; made when first asked for.
    const NetworkCode& code(InstructionSet set, RowBytes bytes, std::size_t program) const;
#endif

private:
    NetworkArrays network_;
    std::vector<Word> initial_;
    Control control_;
    std::vector<std::vector<GoalValue>> goal_values_;
    std::deque<Program> programs_;
    const bool has_few_rows_;  // and no loops, so that machine code is faster with rows of two registers
#if defined(LUDENS_JIT)
    mutable std::mutex code_mutex_;
    mutable std::map<std::pair<InstructionSet, RowBytes>, std::deque<NetworkCode>> codes_;  // of each program
#endif
};

// Names of the instruction sets that this process may use, best first; the last is always "baseline".
std::span<const char* const> instruction_sets();

}  // namespace ludens::network
