// The network machine for baseline; see network_machine.inl.
#include "network_machine_prelude.hpp"

#define LUDENS_ISA baseline
#include "network_machine.inl"

namespace ludens {
std::unique_ptr<Machine> make_network_machine_baseline(const NetworkGame& game, const char* name, int lanes,
                                                      std::uint64_t seed) {
    return baseline::make(game, name, lanes, seed);
}
}  // namespace ludens
