// What plays checkers fast, for avx512 as Ice Lake and Zen 4 have it, with counting of bits and permutation of bytes;
// see checkers/perft.inl and checkers/machine.inl.
#include "checkers/machine_prelude.hpp"

#if defined(__x86_64__)
// clang-format off: the pragma of clang confuses it
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target( \
    "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vpopcntdq,avx512bitalg,gfni,avx2,bmi,bmi2,popcnt,lzcnt"))), \
    apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vpopcntdq,avx512bitalg,gfni")
#pragma GCC target("avx2,bmi,bmi2,popcnt,lzcnt")
#endif
#define LUDENS_CHECKERS_ISA avx512
#define LUDENS_CHECKERS_AVX512
#include "checkers/machine.inl"
#include "checkers/perft.inl"

namespace ludens::checkers {

std::unique_ptr<Machine> make_machine_avx512(const CheckersGame& game, const char* name, int lanes,
                                             std::uint64_t seed) {
    return avx512::make(game, name, lanes, seed);
}

std::int64_t perft_avx512(const Board& board, int depth) { return avx512::perft_here(board, depth); }

}  // namespace ludens::checkers

// clang-format on
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
