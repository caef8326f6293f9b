// The instruction sets for which checkers is compiled, and which of them this process may use.
#include "checkers/instruction_sets.hpp"

#include "base/instruction_set.hpp"
#include "checkers/perft.hpp"

namespace ludens::checkers {

// clang-format off
#define DECLARE(set) namespace set { Maker make; Perft perft; }
LUDENS_COMPILED_SETS(DECLARE)
// clang-format on

namespace {

constexpr int default_lanes = 512, most_lanes = 1 << 14;

}  // namespace

const CompiledSet<Functions>& functions_for(const std::string& name) {
    static const auto sets = [] {
        std::vector<CompiledSet<Functions>> found;
#define ADD(set) \
    if (may_use_on_bytes(InstructionSet::set)) found.push_back({#set, {set::make, set::perft}});
        LUDENS_COMPILED_SETS(ADD)
        return found;
    }();
    return compiled_set(sets, name, "checkers");
}

std::unique_ptr<Machine> CheckersGame::machine(const MachineOptions& options) const {
    const int lanes = checked_lanes(options.lanes, default_lanes, most_lanes);
    const auto& set = functions_for(options.instruction_set);
    return set.functions.make(*this, set.name, lanes, options.seed);
}

std::int64_t perft(const Board& b, int depth, const std::string& isa) {
    if (b.black & b.red || b.king & ~(b.black | b.red)) throw Error("checkers: this is no position");
    if (depth < 0) throw Error("depth must not be negative");
    return depth == 0 ? 1 : functions_for(isa).functions.perft(b, depth);
}

}  // namespace ludens::checkers
