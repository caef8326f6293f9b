#include "base/instruction_set.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/machine.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace ludens {

namespace {

constexpr std::array names = {"baseline", "avx2", "avx2-jit", "avx512", "avx512-jit", "neon-jit"};

#if defined(__x86_64__)
// Whether the processor counts leading zeros, a name of which __builtin_cpu_supports of clang 14 does not know.
bool has_lzcnt() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}
#endif

InstructionSet best_of_processor() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    // All that CMakeLists.txt compiles for. A processor without lzcnt takes it for bsr, which counts otherwise.
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") && has_lzcnt();
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    if (avx2) return avx512 ? InstructionSet::avx512_jit : InstructionSet::avx2_jit;
#endif
#if defined(__aarch64__)
    return InstructionSet::neon_jit;
#else
    return InstructionSet::baseline;
#endif
}

bool holds(InstructionSet best, InstructionSet set) {
    const bool one_family = (best == InstructionSet::neon_jit) == (set == InstructionSet::neon_jit);
    return set == InstructionSet::baseline || (one_family && set <= best);
}

InstructionSet best_allowed() {
    const InstructionSet best = best_of_processor();
    const std::string& forced = forced_instruction_set();
    if (forced.empty()) return best;
    const auto at = std::ranges::find(names, forced);
    if (at == names.end())
        throw Error("LUDENS_INSTRUCTION_SET is \"" + forced +
                    "\", but must be avx512-jit, avx512, avx2-jit, avx2, neon-jit or baseline");
    const auto set = static_cast<InstructionSet>(at - names.begin());
    if (!holds(best, set))
        throw Error("LUDENS_INSTRUCTION_SET is \"" + forced + "\", but this processor has no more than " +
                    name_of(best));
    return set;
}

}  // namespace

const char* name_of(InstructionSet set) { return names[static_cast<std::size_t>(set)]; }

const std::string& forced_instruction_set() {
    static const std::string forced = [] {
        const char* value = std::getenv("LUDENS_INSTRUCTION_SET");
        return std::string(value ? value : "");
    }();
    return forced;
}

bool may_use(InstructionSet set) {
    static const InstructionSet best = best_allowed();
    return holds(best, set);
}

bool may_use_neon_sha3() {
#if defined(__aarch64__) && defined(__linux__)
    return may_use(InstructionSet::neon_jit) && (getauxval(AT_HWCAP) & HWCAP_SHA3) != 0;
#else
    return false;
#endif
}

bool may_use_on_bytes(InstructionSet set) {
    if (set != InstructionSet::avx512) return may_use(set);
#if defined(__x86_64__)
    // And sums of products of bytes, which the same processors have.
    return may_use(set) && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vpopcntdq") &&
           __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("avx512vnni") &&
           __builtin_cpu_supports("gfni");
#else
    return false;
#endif
}

}  // namespace ludens
