#include "checkers/instruction_sets.hpp"

#include <vector>

#include "base/instruction_set.hpp"

namespace ludens::checkers {

Maker make_machine_baseline;
Perft perft_baseline;
#if defined(__x86_64__)
Maker make_machine_avx2, make_machine_avx512;
Perft perft_avx2, perft_avx512;
#endif

namespace {

std::vector<MachineKind> available() {
    std::vector<MachineKind> found;
#if defined(__x86_64__)
    if (may_use_avx512_on_bytes()) found.push_back({"avx512", make_machine_avx512, perft_avx512});
    if (may_use(InstructionSet::avx2)) found.push_back({"avx2", make_machine_avx2, perft_avx2});
#endif
    found.push_back({"baseline", make_machine_baseline, perft_baseline});
    return found;
}

}  // namespace

const MachineKind& machine_kind(const std::string& name) {
    static const std::vector<MachineKind> kinds = available();
    for (const auto& kind : kinds)
        if (name.empty() || name == kind.name) return kind;
    throw Error("instruction set \"" + name + "\" is not available for checkers here");
}

}  // namespace ludens::checkers
