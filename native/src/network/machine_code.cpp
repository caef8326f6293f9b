#include "network/machine_code.hpp"

#if defined(LUDENS_JIT)

#include <algorithm>

#include "network/program_code.hpp"

namespace ludens::network {
namespace {

// A chunk then takes a third of the first cache of code, or less.
constexpr std::size_t most_gates_of_chunk = 1000;

}  // namespace

NetworkCode::NetworkCode(const Program& program, InstructionSet set, RowBytes bytes) {
    auto encoder = make_encoder(set, bytes);
    const bool one_register = bytes.whole == bytes.one_register;
    ProgramCode written(program, encoder->abilities().gates, one_register ? SIZE_MAX : most_gates_of_chunk);
    program_ = std::move(written.program);
    FunctionWriter writer(std::move(encoder), program_.rows);
    for (const ProgramCode::Function& function : written.functions)
        for (const auto gates : function.chunks()) writer.add(gates, function.code.kept);
    code_ = RowFunctions(writer);
    auto rest_of_chunks = code_.functions();
    for (const ProgramCode::Function& function : written.functions) {
        functions_.push_back(rest_of_chunks.first(function.ends.size()));
        rest_of_chunks = rest_of_chunks.subspan(function.ends.size());
    }
    std::span<const RowFunctionChunks> rest = functions_;
    const auto take = [&](std::size_t count) {
        const auto taken = rest.first(count);
        rest = rest.subspan(count);
        return taken;
    };
    for (std::size_t i = 0; i < segments_.size(); ++i) segments_[i] = take(program_.segments()[i]->pieces.size());
    for (const std::size_t steps : written.steps_of_choices) choices_.push_back(take(steps));
    over_ = take(1)[0];
    updates_ = rest;
}

std::span<const RowFunctionChunks> NetworkCode::functions(const Segment& segment) const {
    const auto segments = program_.segments();
    return segments_[static_cast<std::size_t>(std::ranges::find(segments, &segment) - segments.begin())];
}

}  // namespace ludens::network

#endif
