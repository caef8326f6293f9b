// Writes straight-line code down by calculating with its values.
//
// Functions of three values are single gates where the processor has them, else a few gates.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <vector>

#include "network/gate_set.hpp"
#include "network/straight_code.hpp"

namespace ludens::network {

class Recorder;

// What a row holds, of a circuit that is being written down; at first, zero.
struct Wire {
    std::uint32_t row = 0;
    Recorder* recorder = nullptr;
};

// Writes gates down in the order in which they are asked for, each once.
class Recorder {
public:
    // Rows from `first_row` on are for what the gates give.
    Recorder(std::uint32_t first_row, const GateSet& gates) : first_row_(first_row), set_(gates) {}

    const GateSet& gate_set() const { return set_; }

    Wire load(std::uint32_t row) { return {row, this}; }

    // A gate is stored once at most, anything else is copied.
    void store(std::uint32_t row, Wire wire) {
        if (!owned(wire.row) || stored_.contains(wire.row))
            wire = append({{wire.row, wire.row, wire.row}, 0, column_a});
        stored_[wire.row] = row;
    }

    Wire gate(std::uint8_t table, std::array<Wire, 3> in) {
        std::vector<std::uint32_t> rows;  // without zeros, without repetition
        for (const Wire& wire : in)
            if (wire.row != 0 && std::ranges::find(rows, wire.row) == rows.end()) rows.push_back(wire.row);
        if (rows.empty()) return {};
        const std::uint8_t folded = fold(table, in, rows);
        if (folded == 0) return {};
        constexpr std::array columns = {column_a, column_b, column_c};
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (folded == columns[i]) return {rows[i], this};
        if (rows.size() == 2 && folded == (inverted(column_a) & column_b))
            return this->gate(table_and_not, {load(rows[1]), load(rows[0]), load(rows[0])});
        const Gate gate = {{rows[0], rows[std::min<std::size_t>(1, rows.size() - 1)], rows.back()}, 0, folded};
        const auto [known, is_new] = known_.try_emplace({gate.in[0], gate.in[1], gate.in[2], folded}, next());
        return is_new ? append(gate) : Wire{known->second, this};
    }

    // What nothing stored needs is left out.
    StraightCode finish() {
        std::uint32_t rows = next();
        for (auto [wire, row] : stored_) rows = std::max(rows, row + 1);
        StraightCode code{{}, std::vector<std::uint8_t>(rows, 0)};
        std::vector<std::uint8_t> needed(gates_.size(), 0);
        for (auto [wire, row] : stored_) needed[wire - first_row_] = 1;
        for (std::size_t n = gates_.size(); n-- > 0;)
            for (const auto row : gates_[n].in)
                if (needed[n] && owned(row)) needed[row - first_row_] = 1;
        const auto home = [&](std::uint32_t row) { return stored_.contains(row) ? stored_[row] : row; };
        for (std::size_t n = 0; n < gates_.size(); ++n) {
            if (!needed[n]) continue;
            Gate& gate = code.gates.emplace_back(gates_[n]);
            gate.out = home(gate.out);
            for (auto& row : gate.in) row = home(row);
        }
        for (auto [wire, row] : stored_) code.kept[row] = 1;
        return code;
    }

private:
    bool owned(std::uint32_t row) const { return row >= first_row_; }
    std::uint32_t next() const { return first_row_ + static_cast<std::uint32_t>(gates_.size()); }

    Wire append(Gate gate) {
        gate.out = next();
        gates_.push_back(gate);
        return {gate.out, this};
    }

    // The table over `rows`, of the function that `table` is of the wires; a row that is not there repeats the last.
    static std::uint8_t fold(std::uint8_t table, const std::array<Wire, 3>& in,
                             const std::vector<std::uint32_t>& rows) {
        std::uint8_t folded = 0;
        for (unsigned i = 0; i < 8; ++i) {
            unsigned index = 0;
            for (const Wire& wire : in) {
                const auto at = static_cast<unsigned>(std::ranges::find(rows, wire.row) - rows.begin());
                index = 2 * index + (wire.row == 0 ? 0 : i >> (2 - at) & 1);
            }
            folded |= static_cast<std::uint8_t>((table >> index & 1) << i);
        }
        return folded;
    }

    const std::uint32_t first_row_;
    const GateSet set_;
    std::vector<Gate> gates_;
    std::map<std::array<std::uint32_t, 4>, std::uint32_t> known_;  // gates, by inputs and table, → rows
    std::unordered_map<std::uint32_t, std::uint32_t> stored_;      // rows of gates → rows in which they are wanted
};

// Every operation must give zero for zeros, for nobody knows then who records.
inline Recorder* recorder_of(Wire a, Wire b, Wire c) {
    for (const Wire& wire : {a, b, c})
        if (wire.recorder) return wire.recorder;
    return nullptr;
}

template <std::uint8_t Table> Wire gate(Wire a, Wire b, Wire c) {
    static_assert((Table & 1) == 0);
    Recorder* recorder = recorder_of(a, b, c);
    return recorder ? recorder->gate(Table, {a, b, c}) : Wire{};
}

// Whether a function of these is a single gate.
template <std::uint8_t Table> bool is_gate(Wire a, Wire b, Wire c) {
    const Recorder* recorder = recorder_of(a, b, c);
    return !recorder || recorder->gate_set().has(Table);
}

inline Wire operator&(Wire a, Wire b) { return gate<table_and>(a, b, b); }
inline Wire operator|(Wire a, Wire b) { return gate<table_or>(a, b, b); }
inline Wire operator^(Wire a, Wire b) { return gate<table_xor>(a, b, b); }
inline Wire and_not(Wire a, Wire b) { return gate<table_and_not>(a, b, b); }

constexpr std::uint8_t majority_of(int a, int b, int c) { return static_cast<std::uint8_t>((a & b) | (c & (a | b))); }

constexpr std::uint8_t table_select = select_of(column_a, column_b, column_c),
                       table_xor3 = xor3_of(column_a, column_b, column_c),
                       table_or_and = column_a | (column_b & column_c), table_or3 = column_a | column_b | column_c,
                       table_majority = majority_of(column_a, column_b, column_c),
                       table_borrow = majority_of(inverted(column_a), column_b, column_c);

// Sums, carries and borrows share a ^ b, unless each is a single gate.
inline Wire or_and(Wire a, Wire b, Wire c) {
    return is_gate<table_or_and>(a, b, c) ? gate<table_or_and>(a, b, c) : a | (b & c);
}
inline Wire or3(Wire a, Wire b, Wire c) { return is_gate<table_or3>(a, b, c) ? gate<table_or3>(a, b, c) : (a | b) | c; }
inline Wire xor3(Wire a, Wire b, Wire c) {
    return is_gate<table_majority>(a, b, c) ? gate<table_xor3>(a, b, c) : a ^ b ^ c;
}
inline Wire select(Wire a, Wire b, Wire c) {
    return is_gate<table_select>(a, b, c) ? gate<table_select>(a, b, c) : c ^ (a & (b ^ c));
}
// a | (b & c), where a and b exclude each other.
inline Wire or_and_apart(Wire a, Wire b, Wire c) {
    return is_gate<table_or_and>(a, b, c) || !is_gate<table_select>(a, b, c) ? or_and(a, b, c) : select(b, c, a);
}
inline Wire majority(Wire a, Wire b, Wire c) {
    if (is_gate<table_majority>(a, b, c)) return gate<table_majority>(a, b, c);
    return is_gate<table_select>(a, b, c) ? select(a ^ b, c, a) : (a & b) | ((a ^ b) & c);
}
inline Wire borrow(Wire a, Wire b, Wire c) {
    if (is_gate<table_borrow>(a, b, c)) return gate<table_borrow>(a, b, c);
    return is_gate<table_select>(a, b, c) ? select(a ^ b, b, c) : and_not(b, a) | and_not(c, a ^ b);
}

}  // namespace ludens::network
