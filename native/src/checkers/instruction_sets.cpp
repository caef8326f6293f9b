// The instruction sets for which checkers is compiled, and which of them this process may use.
#include "base/instruction_set.hpp"

#include <vector>

#include "checkers/game.hpp"
#include "checkers/perft.hpp"

namespace ludens::checkers {

// checkers/machine.cpp and checkers/perft.inl define these for each instruction set.
using Maker = std::unique_ptr<Machine>(const CheckersGame&, const char* instruction_set, int lanes, std::uint64_t seed);
using Perft = std::int64_t(const Board& board, int depth);
// clang-format off
#define DECLARE(set) namespace set { Maker make; Perft perft; }
LUDENS_COMPILED_SETS(DECLARE)
// clang-format on

namespace {

constexpr int default_lanes = 512, most_lanes = 1 << 14;

struct MachineKind {
    const char* name;
    Maker* make;
    Perft* perft;
};

bool usable(InstructionSet set) { return set == InstructionSet::avx512 ? may_use_avx512_on_bytes() : may_use(set); }

std::vector<MachineKind> available() {
    std::vector<MachineKind> found;
#define ADD(set) \
    if (usable(InstructionSet::set)) found.push_back({#set, set::make, set::perft});
    LUDENS_COMPILED_SETS(ADD)
    return found;
}

// Returns that of this name, or the best for the empty one.
const MachineKind& machine_kind(const std::string& name) {
    static const std::vector<MachineKind> kinds = available();
    for (const auto& kind : kinds)
        if (name.empty() || name == kind.name) return kind;
    throw Error("instruction set \"" + name + "\" is not available for checkers here");
}

}  // namespace

std::unique_ptr<Machine> CheckersGame::machine(const MachineOptions& options) const {
    const int lanes = options.lanes ? options.lanes : default_lanes;
    if (lanes < 64 || lanes > most_lanes || lanes % 64)
        throw Error("lanes must be a multiple of 64 up to " + std::to_string(most_lanes) + ", not " +
                    std::to_string(lanes));
    const MachineKind& kind = machine_kind(options.instruction_set);
    return kind.make(*this, kind.name, lanes, options.seed);
}

std::int64_t perft(const Board& b, int depth, const std::string& isa) {
    if (b.black & b.red || b.king & ~(b.black | b.red)) throw Error("checkers: this is no position");
    if (depth < 0) throw Error("depth must not be negative");
    return depth == 0 ? 1 : machine_kind(isa).perft(b, depth);
}

}  // namespace ludens::checkers
