#include "network/playout_policy.hpp"

#include <utility>

namespace ludens::network {

#define PLAYOUT_POLICY(name, maker, meaning) std::unique_ptr<PlayoutPolicy> maker(std::span<const int>, std::uint64_t);
#include "playout_policies.h"
#undef PLAYOUT_POLICY

std::unique_ptr<PlayoutPolicy> make_playout_policy(const std::string& name, std::span<const int> moves,
                                                   std::uint64_t seed) {
    static constexpr std::pair<const char*, PlayoutPolicyMaker> makers[] = {
#define PLAYOUT_POLICY(name, maker, meaning) {#name, maker},
#include "playout_policies.h"
#undef PLAYOUT_POLICY
    };
    for (const auto& [known, maker] : makers)
        if (name == known) return maker(moves, seed);
    throw Error("network: there is no playout policy '" + name + "'");
}

}  // namespace ludens::network
