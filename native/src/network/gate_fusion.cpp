#include "network/gate_fusion.hpp"

#include <algorithm>
#include <array>

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

// Last gates first, so that a chain is cut into pairs from its end.
std::vector<Gate> fused_pairs(const std::vector<Gate>& gates, const std::vector<std::uint8_t>& kept) {
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

// First gates first, so that what has been fused may be fused again.
class Patterns {
public:
    Patterns(const std::vector<Gate>& gates, const std::vector<std::uint8_t>& kept, const GateSet& set)
        : set_(set), kept_(kept), writer_(gates), gates_(gates), readers_(gates.size(), 0),
          swallowed_(gates.size(), 0) {
        for (const Gate& gate : gates) count(gate, 1);
    }

    std::vector<Gate> operator()() {
        for (std::uint32_t n = 0; n < gates_.size(); ++n)
            while (fuse(n)) {}
        std::vector<Gate> result;
        for (std::uint32_t n = 0; n < gates_.size(); ++n)
            if (!swallowed_[n]) result.push_back(gates_[n]);
        return result;
    }

private:
    static constexpr std::size_t too_many = 4;

    // A gate with some of its inputs replaced by what they are made of.
    struct Cone {
        std::array<std::uint32_t, 3> rows{};
        std::size_t count = 0;  // of rows; too_many: it is no gate

        std::uint8_t column(std::uint32_t row) {
            if (count == too_many) return 0;
            const auto at = static_cast<std::size_t>(std::find(rows.begin(), rows.begin() + count, row) - rows.begin());
            if (at >= count) {
                if (count == rows.size()) {
                    count = too_many;
                    return 0;
                }
                rows[count++] = row;
            }
            return std::array{column_a, column_b, column_c}[at];
        }
    };

    void count(const Gate& gate, std::uint32_t by) {
        std::array<std::uint32_t, 3> rows = gate.in;
        std::ranges::sort(rows);
        const auto repeated = std::ranges::unique(rows);
        for (auto row = rows.begin(); row != repeated.begin(); ++row)
            if (const auto n = writer_(*row); n != GateIndex::none) readers_[n] += by;
    }

    // Replaces the gate by one that swallows both, or else one, of those that it reads.
    bool fuse(std::uint32_t n) {
        std::vector<std::uint32_t> inner;
        for (const auto row : gates_[n].in) {
            const auto in = writer_(row);
            if (in == GateIndex::none || in >= n || kept_[row] || readers_[in] != 1) continue;
            if (std::ranges::find(inner, in) == inner.end()) inner.push_back(in);
        }
        if (inner.size() > 1 && fuse(n, inner)) return true;
        return std::ranges::any_of(inner, [&](auto in) { return fuse(n, {in}); });
    }

    bool fuse(std::uint32_t n, const std::vector<std::uint32_t>& inner) {
        Cone cone;
        std::array<std::uint8_t, 3> columns{};
        for (std::size_t i = 0; i < 3; ++i) {
            const auto row = gates_[n].in[i];
            const auto in = writer_(row);
            columns[i] = std::ranges::find(inner, in) == inner.end() ? cone.column(row) : value(gates_[in], cone, in);
        }
        Gate gate{{}, gates_[n].out, composed(gates_[n].table, columns)};
        if (!put(cone, gate)) return false;
        count(gates_[n], -1u);
        for (const auto in : inner) {
            swallowed_[in] = 1;
            count(gates_[in], -1u);
        }
        gates_[n] = gate;
        count(gate, 1);
        return true;
    }

    // Of a gate that is read later; what it reads must be the same then.
    std::uint8_t value(const Gate& gate, Cone& cone, std::uint32_t n) {
        std::array<std::uint8_t, 3> columns{};
        for (std::size_t i = 0; i < 3; ++i) {
            const auto by = writer_(gate.in[i]);
            if (by != GateIndex::none && by >= n) cone.count = too_many;
            columns[i] = cone.column(gate.in[i]);
        }
        return composed(gate.table, columns);
    }

    // The inputs of the gate, if the processor has it.
    bool put(const Cone& cone, Gate& gate) const {
        const auto [a, b, c] = cone.rows;
        gate.in = cone.rows;
        if (cone.count == 3) return set_.has(gate.table);
        if (cone.count != 2) return false;
        gate.in = {a, b, b};
        if (gate.table == (inverted(column_a) & column_b)) gate = {{b, a, a}, gate.out, table_and_not};
        constexpr std::array of_two = {table_and, table_or, table_xor, table_and_not};
        return std::ranges::find(of_two, gate.table) != of_two.end();
    }

    static std::uint8_t composed(std::uint8_t table, const std::array<std::uint8_t, 3>& columns) {
        std::uint8_t result = 0;
        for (int i = 0; i < 8; ++i) {
            const int index = (columns[0] >> i & 1) * 4 + (columns[1] >> i & 1) * 2 + (columns[2] >> i & 1);
            result |= static_cast<std::uint8_t>((table >> index & 1) << i);
        }
        return result;
    }

    const GateSet& set_;
    const std::vector<std::uint8_t>& kept_;
    const GateIndex writer_;
    std::vector<Gate> gates_;
    std::vector<std::uint32_t> readers_;
    std::vector<std::uint8_t> swallowed_;
};

}  // namespace

std::vector<Gate> fused(const std::vector<Gate>& gates, const std::vector<std::uint8_t>& kept, const GateSet& set) {
    if (set.any) return fused_pairs(gates, kept);
    return set.select || set.xors ? Patterns(gates, kept, set)() : gates;
}

}  // namespace ludens::network
