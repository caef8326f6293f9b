// The instruction sets for which checkers is compiled, and which of them this process may use.
#include "base/instruction_set.hpp"

#include <vector>

#include "checkers/game.hpp"
#include "checkers/perft.hpp"

namespace ludens::checkers {

// checkers/machine.cpp and checkers/perft.inl define these for each instruction set.
using Maker = std::unique_ptr<Machine>(const CheckersGame&, const char* instruction_set, int lanes, std::uint64_t seed);
using Perft = std::int64_t(const Board& board, int depth);
namespace baseline {
Maker make;
Perft perft;
}  // namespace baseline
#if defined(__x86_64__)
namespace avx2 {
Maker make;
Perft perft;
}  // namespace avx2
namespace avx512 {
Maker make;
Perft perft;
}  // namespace avx512
#endif

namespace {

constexpr int default_lanes = 512, most_lanes = 1 << 14;

struct MachineKind {
    const char* name;
    Maker* make;
    Perft* perft;
};

std::vector<MachineKind> available() {
    std::vector<MachineKind> found;
#if defined(__x86_64__)
    if (may_use_avx512_on_bytes()) found.push_back({"avx512", avx512::make, avx512::perft});
    if (may_use(InstructionSet::avx2)) found.push_back({"avx2", avx2::make, avx2::perft});
#endif
    found.push_back({"baseline", baseline::make, baseline::perft});
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
