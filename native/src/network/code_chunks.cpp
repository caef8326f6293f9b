#include "network/code_chunks.hpp"

namespace ludens::network {

std::vector<std::size_t> cut_into_chunks(StraightCode& code, std::size_t most_gates) {
    const std::size_t gates = code.gates.size(), count = gates == 0 ? 1 : (gates - 1) / most_gates + 1;
    if (count == 1) return {gates};
    std::vector<std::size_t> ends, written(code.kept.size(), 0);  // of each row, up to the end of which chunk
    std::size_t gate = 0;
    for (std::size_t n = 1; n <= count; ++n) {
        ends.push_back(n * gates / count);
        for (; gate < ends.back(); ++gate) {
            for (const auto row : code.gates[gate].in)
                if (written[row] && written[row] != ends.back()) code.kept[row] = 1;
            written[code.gates[gate].out] = ends.back();
        }
    }
    return ends;
}

}  // namespace ludens::network
