// Machine code in the C API, to look at: for any back end, and with the gates that it is made of.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "api/handles.hpp"
#include "network/function_writer.hpp"
#include "network/game.hpp"
#include "network/program_code.hpp"

using namespace ludens;
using namespace ludens::api;

struct ludens_code {
    std::vector<std::array<std::int64_t, 3>> functions;  // what for, first gate, first byte
    std::vector<std::array<std::int32_t, 6>> gates;      // inputs, output, table, whether it is kept
    std::vector<std::uint8_t> bytes;
    std::int32_t rows = 0;
};

namespace {

void add_gates(ludens_code& code, std::span<const network::Gate> gates, const std::vector<std::uint8_t>& kept) {
    const auto number = [](std::uint32_t row) { return static_cast<std::int32_t>(row); };
    for (const auto& [in, out, table] : gates)
        code.gates.push_back({number(in[0]), number(in[1]), number(in[2]), number(out), table, kept[out]});
}

void add_program(ludens_code& code, const network::Program& program, const char* back_end, std::size_t most_gates) {
    auto encoder = network::make_encoder(std::string(back_end));
    const network::ProgramCode written(program, encoder->abilities().gates, most_gates);
    network::FunctionWriter writer(std::move(encoder), written.program.rows);
    const auto first_function = code.functions.size();
    for (const network::ProgramCode::Function& function : written.functions)
        for (const auto gates : function.chunks()) {
            writer.add(gates, function.code.kept);
            code.functions.push_back(
                {static_cast<int>(function.kind), static_cast<std::int64_t>(code.gates.size()), 0});
            add_gates(code, gates, function.code.kept);
        }
    for (std::size_t i = 0; i < writer.starts().size(); ++i)
        code.functions[first_function + i][2] = static_cast<std::int64_t>(code.bytes.size() + writer.starts()[i]);
    code.bytes.insert(code.bytes.end(), writer.code().begin(), writer.code().end());
    code.rows = std::max(code.rows, static_cast<std::int32_t>(writer.rows()));
}

}  // namespace

int ludens_code_new(const ludens_game* game, const char* back_end, int64_t most_gates, ludens_code** out) {
    return guarded([&] {
        check_count(most_gates, "most_gates");
        const auto* network = dynamic_cast<const network::NetworkGame*>(game->game.get());
        if (!network) throw Error("only a game given as a network becomes machine code");
        const std::size_t most = most_gates ? static_cast<std::size_t>(most_gates) : SIZE_MAX;
        auto code = std::make_unique<ludens_code>();
        for (const network::Program& program : network->programs()) add_program(*code, program, back_end, most);
        *out = code.release();
    });
}

void ludens_code_free(ludens_code* code) { delete code; }

void ludens_code_sizes(const ludens_code* code, int64_t* functions, int64_t* gates, int64_t* bytes, int32_t* rows) {
    *functions = static_cast<int64_t>(code->functions.size());
    *gates = static_cast<int64_t>(code->gates.size());
    *bytes = static_cast<int64_t>(code->bytes.size());
    *rows = code->rows;
}

void ludens_code_write(const ludens_code* code, int64_t* functions, int32_t* gates, uint8_t* bytes) {
    for (const auto& function : code->functions) functions = std::ranges::copy(function, functions).out;
    for (const auto& gate : code->gates) gates = std::ranges::copy(gate, gates).out;
    std::ranges::copy(code->bytes, bytes);
}
