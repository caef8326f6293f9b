#include "network/code_chunks.hpp"

#include <algorithm>

namespace ludens::network {

std::vector<StraightCode> chunks(const StraightCode& code, std::size_t most_gates) {
    const std::size_t gates = code.gates.size(), count = gates == 0 ? 1 : (gates - 1) / most_gates + 1;
    std::vector<StraightCode> cut;
    std::vector<std::uint8_t> read(code.kept.size(), 0);
    for (std::size_t n = count; n-- > 0;) {  // what is behind has been read
        const auto from = code.gates.begin() + static_cast<std::ptrdiff_t>(n * gates / count);
        const auto to = code.gates.begin() + static_cast<std::ptrdiff_t>((n + 1) * gates / count);
        StraightCode& chunk = cut.emplace_back(StraightCode{{from, to}, code.kept});
        for (const Gate& gate : chunk.gates) chunk.kept[gate.out] |= read[gate.out];
        for (const Gate& gate : chunk.gates)
            for (const auto row : gate.in) read[row] = 1;
    }
    std::ranges::reverse(cut);
    return cut;
}

}  // namespace ludens::network
