// The instruction sets for which the machine of gomoku is compiled, and which of them this process may use.
#include "base/instruction_set.hpp"

#include "base/compiled_sets.hpp"
#include "gomoku/game.hpp"

namespace ludens::gomoku {

// gomoku/machine.cpp defines it for each instruction set.
using Maker = std::unique_ptr<Machine>(const GomokuGame&, const char* instruction_set, int lanes, std::uint64_t seed);
// clang-format off
#define DECLARE(set) namespace set { Maker make; }
LUDENS_COMPILED_SETS(DECLARE)
// clang-format on

namespace {

constexpr int default_lanes = 256, most_lanes = 1 << 14;

const CompiledSet<Maker*>& maker_for(const std::string& name) {
    static const auto sets = [] {
        std::vector<CompiledSet<Maker*>> found;
#define ADD(set) \
    if (may_use(InstructionSet::set)) found.push_back({#set, set::make});
        LUDENS_COMPILED_SETS(ADD)
        return found;
    }();
    return compiled_set(sets, name, "gomoku");
}

}  // namespace

std::unique_ptr<Machine> GomokuGame::machine(const MachineOptions& options) const {
    const int lanes = checked_lanes(options.lanes, default_lanes, most_lanes);
    const auto& set = maker_for(options.instruction_set);
    return set.functions(*this, set.name, lanes, options.seed);
}

}  // namespace ludens::gomoku
