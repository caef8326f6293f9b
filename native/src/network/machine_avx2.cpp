// The network machine for avx2; see network/machine.inl.
#include "network/machine_prelude.hpp"

#if defined(__x86_64__)
// clang-format off: the pragma of clang confuses it
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,popcnt,lzcnt")
#endif
#define LUDENS_ISA avx2
#include "network/machine.inl"

namespace ludens::network {
std::unique_ptr<Machine> make_network_machine_avx2(const NetworkGame& game, const char* name, int lanes,
                                                   std::uint64_t seed) {
    return avx2::make(game, name, lanes, seed);
}
}  // namespace ludens::network

// clang-format on
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
