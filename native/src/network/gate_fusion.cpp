#include "network/gate_fusion.hpp"

#include "network/gate_index.hpp"

namespace ludens::network {
namespace {

// The table of two inputs, applied to two columns of a table of three.
std::uint8_t apply(std::uint8_t table, std::uint8_t x, std::uint8_t y) {
    std::uint8_t result = 0;
    for (int i = 0; i < 8; ++i) {
        const int a = x >> i & 1, b = y >> i & 1;
        result |= static_cast<std::uint8_t>((table >> (4 * a + 3 * b) & 1) << i);  // the third input repeats b
    }
    return result;
}

Gate merged(const Gate& inner, const Gate& outer) {
    const bool left = outer.in[0] == inner.out;
    const std::uint32_t other = outer.in[left ? 1 : 0];
    const std::uint8_t table = apply(inner.table, column_a, column_b);
    return {{inner.in[0], inner.in[1], other},
            outer.out,
            left ? apply(outer.table, table, column_c) : apply(outer.table, column_c, table)};
}

}  // namespace

// Last gates first, so that a chain is cut into pairs from its end.
std::vector<Gate> fused(const std::vector<Gate>& gates, const std::vector<std::uint8_t>& kept) {
    const GateIndex writer(gates);
    std::vector<std::uint32_t> readers(gates.size(), 0);
    for (const Gate& gate : gates)
        for (const auto row : {gate.in[0], gate.in[1]})
            if (const auto n = writer(row); n != GateIndex::none) ++readers[n];
    std::vector<std::uint8_t> swallowed(gates.size(), 0);
    std::vector<Gate> all = gates;
    for (std::size_t n = gates.size(); n-- > 0;) {
        if (swallowed[n]) continue;
        for (const auto row : {gates[n].in[0], gates[n].in[1]}) {
            const auto inner = writer(row);
            if (inner == GateIndex::none || kept[row] || readers[inner] != 1) continue;
            swallowed[inner] = 1;
            all[n] = merged(gates[inner], gates[n]);
            break;
        }
    }
    std::vector<Gate> result;
    for (std::size_t n = 0; n < all.size(); ++n)
        if (!swallowed[n]) result.push_back(all[n]);
    return result;
}

}  // namespace ludens::network
