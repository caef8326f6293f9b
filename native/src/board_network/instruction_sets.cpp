// The instruction sets for which networks are compiled, and which of them this process may use.
#include "board_network/instruction_sets.hpp"

#include "base/compiled_sets.hpp"
#include "base/instruction_set.hpp"

namespace ludens::board_network {

// clang-format off
#define DECLARE(set) namespace set { Evaluate evaluate; }
LUDENS_COMPILED_SETS(DECLARE)
// clang-format on

Evaluate* evaluate_for(const std::string& name) {
    static const auto sets = [] {
        std::vector<CompiledSet<Evaluate*>> found;
#define ADD(set) \
    if (may_use_on_bytes(InstructionSet::set)) found.push_back({#set, set::evaluate});
        LUDENS_COMPILED_SETS(ADD)
        return found;
    }();
    return compiled_set(sets, name, "networks").functions;
}

}  // namespace ludens::board_network
