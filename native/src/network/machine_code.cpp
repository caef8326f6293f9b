#include "network/machine_code.hpp"

#if defined(LUDENS_JIT)

#include <algorithm>

#include "network/program_code.hpp"

namespace ludens::network {

NetworkCode::NetworkCode(const Program& program, InstructionSet set, std::uint32_t row_bytes) : program_(program) {
    FunctionWriter writer(make_encoder(set, row_bytes), program.rows);
    const auto add = [&](CodeKind, const auto& gates, const auto& kept) { writer.add(gates, kept); };
    const auto steps_of_choices = each_function(program, writer.gate_set(), add);
    code_ = RowFunctions(writer);
    auto rest = code_.functions();
    const auto take = [&](std::size_t count) {
        const auto taken = rest.first(count);
        rest = rest.subspan(count);
        return taken;
    };
    for (std::size_t i = 0; i < segments_.size(); ++i) segments_[i] = take(program.segments()[i]->pieces.size());
    for (const std::size_t steps : steps_of_choices) choices_.push_back(take(steps));
    over_ = take(1)[0];
    updates_ = rest;
}

std::span<const RowFunction> NetworkCode::functions(const Segment& segment) const {
    const auto segments = program_.segments();
    return segments_[static_cast<std::size_t>(std::ranges::find(segments, &segment) - segments.begin())];
}

}  // namespace ludens::network

#endif
