#include "checkers_perft.hpp"

#include "machine.hpp"

namespace ludens::checkers {

using Perft = std::int64_t(const Board& board, int depth);
Perft perft_baseline;
#if defined(__x86_64__)
Perft perft_avx2;
#endif

std::int64_t perft(const Board& b, int depth) {
    if (b.black & b.red || b.king & ~(b.black | b.red)) throw Error("checkers: this is no position");
    if (depth < 0) throw Error("depth must not be negative");
    if (depth == 0) return 1;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) return perft_avx2(b, depth);
#endif
    return perft_baseline(b, depth);
}

}  // namespace ludens::checkers
