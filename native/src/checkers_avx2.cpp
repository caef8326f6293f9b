// What plays checkers fast, for avx2; see checkers_perft.inl.
#include <array>
#include <bit>
#include <cstdint>
#include <stdexcept>

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,popcnt,lzcnt")
#endif
#define LUDENS_CHECKERS_ISA avx2
#include "checkers_perft.inl"

namespace ludens::checkers {

std::int64_t perft_avx2(const Squares* b, bool red_moves, int depth) {
    return perft_here({b[0], b[1], b[2], red_moves ? red : black}, depth);
}

}  // namespace ludens::checkers

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
