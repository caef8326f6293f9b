// What plays checkers fast, for avx2; see checkers/perft.inl and checkers/machine.inl.
#include "checkers/machine_prelude.hpp"

#if defined(__x86_64__)
// clang-format off: the pragma of clang confuses it
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,popcnt,lzcnt")
#endif
#define LUDENS_CHECKERS_ISA avx2
#define LUDENS_CHECKERS_AVX2
#include "checkers/machine.inl"
#include "checkers/perft.inl"

namespace ludens::checkers {

std::unique_ptr<Machine> make_machine_avx2(const CheckersGame& game, const char* name, int lanes, std::uint64_t seed) {
    return avx2::make(game, name, lanes, seed);
}

std::int64_t perft_avx2(const Board& board, int depth) { return avx2::perft_here(board, depth); }

}  // namespace ludens::checkers

// clang-format on
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
