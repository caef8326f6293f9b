// The network machine for baseline; see network/machine.inl.
#include "network/machine_prelude.hpp"

#define LUDENS_ISA baseline
#include "network/machine.inl"

namespace ludens::network {
std::unique_ptr<Machine> make_network_machine_baseline(const NetworkGame& game, const char* name, int lanes,
                                                       std::uint64_t seed) {
    return baseline::make(game, name, lanes, seed);
}
}  // namespace ludens::network
