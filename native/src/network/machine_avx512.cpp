// The network machine for avx512; see network/machine.inl.
#include "network/machine_prelude.hpp"

#if defined(__x86_64__)
// clang-format off: the pragma of clang confuses it
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi,bmi2,popcnt,lzcnt"))), \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi,bmi2,popcnt,lzcnt")
#endif
#define LUDENS_AVX512
#define LUDENS_ISA avx512
#include "network/machine.inl"

namespace ludens::network {
std::unique_ptr<Machine> make_network_machine_avx512(const NetworkGame& game, const char* name, int lanes,
                                                     std::uint64_t seed) {
    return avx512::make(game, name, lanes, seed);
}

std::unique_ptr<Machine> make_network_machine_avx512_jit(const NetworkGame& game, const char* name, int lanes,
                                                         std::uint64_t seed) {
    using V = avx512::Lanes<8>;
    if (lanes != 512) throw Error("avx512-jit has 512 lanes, not " + std::to_string(lanes));
    return std::make_unique<avx512::NetworkMachine<V, avx512::CompiledGates<V>>>(game, name, seed);
}
}  // namespace ludens::network

// clang-format on
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
