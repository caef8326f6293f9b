#include "checkers/instruction_sets.hpp"

#include <vector>

namespace ludens::checkers {

Maker make_machine_baseline;
Perft perft_baseline;
#if defined(__x86_64__)
Maker make_machine_avx2, make_machine_avx512;
Perft perft_avx2, perft_avx512;
#endif

namespace {

std::vector<InstructionSet> available() {
    std::vector<InstructionSet> found;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi") &&
        __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bitalg") &&
        __builtin_cpu_supports("gfni"))
        found.push_back({"avx512", make_machine_avx512, perft_avx512});
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        found.push_back({"avx2", make_machine_avx2, perft_avx2});
#endif
    found.push_back({"baseline", make_machine_baseline, perft_baseline});
    return found;
}

}  // namespace

const InstructionSet& instruction_set(const std::string& name) {
    static const std::vector<InstructionSet> sets = available();
    for (const auto& set : sets)
        if (name.empty() || name == set.name) return set;
    throw Error("instruction set \"" + name + "\" is not available for checkers on this processor");
}

}  // namespace ludens::checkers
