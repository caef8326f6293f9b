#include "network/choice_code.hpp"

#if defined(LUDENS_JIT)

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "network/x86_assembler.hpp"

namespace ludens::network {
namespace {

class Recorder;

// What a row holds, of a circuit that is being written down; at first, zero.
struct Wire {
    std::uint32_t row = 0;
    Recorder* recorder = nullptr;
};

// Writes gates down in the order in which they are asked for.
class Recorder {
public:
    explicit Recorder(std::uint32_t first_row) : first_row_(first_row) {}

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
        if (rows.size() == 1 && folded == column_a) return {rows[0], this};
        return append({{rows[0], rows[std::min<std::size_t>(1, rows.size() - 1)], rows.back()}, 0, folded});
    }

    StraightCode finish() {
        std::uint32_t rows = next();
        for (auto [wire, row] : stored_) rows = std::max(rows, row + 1);
        StraightCode code{std::move(gates_), std::vector<std::uint8_t>(rows, 0)};
        const auto home = [&](std::uint32_t row) { return stored_.contains(row) ? stored_[row] : row; };
        for (TernaryGate& gate : code.gates) {
            gate.out = home(gate.out);
            for (auto& row : gate.in) row = home(row);
        }
        for (auto [wire, row] : stored_) code.kept[row] = 1;
        return code;
    }

private:
    bool owned(std::uint32_t row) const { return row >= first_row_; }
    std::uint32_t next() const { return first_row_ + static_cast<std::uint32_t>(gates_.size()); }

    Wire append(TernaryGate gate) {
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
    std::vector<TernaryGate> gates_;
    std::unordered_map<std::uint32_t, std::uint32_t> stored_;  // rows of gates → rows in which they are wanted
};

// Every operation must give zero for zeros, for nobody knows then who records.
template <std::uint8_t Table> Wire gate(Wire a, Wire b, Wire c) {
    static_assert((Table & 1) == 0);
    for (const Wire& wire : {a, b, c})
        if (wire.recorder) return wire.recorder->gate(Table, {a, b, c});
    return {};
}

constexpr std::uint8_t not_(int table) { return static_cast<std::uint8_t>(~table); }

Wire operator&(Wire a, Wire b) { return gate<column_a & column_b>(a, b, b); }
Wire operator^(Wire a, Wire b) { return gate<column_a ^ column_b>(a, b, b); }
Wire and_not(Wire a, Wire b) { return gate<column_a & not_(column_b)>(a, b, b); }
Wire or_and(Wire a, Wire b, Wire c) { return gate<column_a | (column_b & column_c)>(a, b, c); }
Wire xor3(Wire a, Wire b, Wire c) { return gate<column_a ^ column_b ^ column_c>(a, b, c); }
Wire select(Wire a, Wire b, Wire c) { return gate<(column_a & column_b) | (not_(column_a) & column_c)>(a, b, c); }

constexpr std::uint8_t majority_of(int a, int b, int c) { return static_cast<std::uint8_t>((a & b) | (c & (a | b))); }
Wire majority(Wire a, Wire b, Wire c) { return gate<majority_of(column_a, column_b, column_c)>(a, b, c); }
Wire borrow(Wire a, Wire b, Wire c) { return gate<majority_of(not_(column_a), column_b, column_c)>(a, b, c); }

#include "network/choice_steps.hpp"
#include "network/turn_steps.hpp"

}  // namespace

std::vector<StraightCode> choice_gates(const ChoicePlan& plan, std::uint32_t first_row) {
    if (!plan.needed()) return {};
    ChoiceSteps<Wire, std::vector<Wire>> steps(plan);
    Recorder counting(first_row), choosing(first_row);
    steps.count(counting);
    steps.choose(choosing);
    return {counting.finish(), choosing.finish()};
}

std::vector<StraightCode> turn_gates(const TurnPlan& plan, std::uint32_t first_row) {
    TurnSteps<Wire, std::vector<Wire>> turns(plan);
    std::vector<StraightCode> codes;
    Recorder settling(first_row);
    turns.settle(settling);
    codes.push_back(settling.finish());
    if (!plan.merged()) return codes;
    ChoiceSteps<Wire, std::vector<Wire>> steps(*plan.choice);
    Recorder counting(first_row), choosing(first_row);
    turns.merge(counting);
    steps.count(counting);
    codes.push_back(counting.finish());
    steps.choose(choosing);
    turns.spread(choosing);
    codes.push_back(choosing.finish());
    return codes;
}

TurnCode::TurnCode(const TurnPlan& plan, std::uint32_t row_bytes) : rows_(plan.end) {
    X86Assembler out(row_bytes);
    std::vector<std::size_t> starts;
    for (const StraightCode& code : turn_gates(plan, plan.end)) {
        starts.push_back(out.code().size());
        rows_ = std::max(rows_, plan.end + write_code(out, code.gates, code.kept, plan.end));
    }
    memory_ = std::make_unique<ExecutableMemory>(out.code());
    for (const std::size_t start : starts)
        functions_.push_back(reinterpret_cast<Function>(const_cast<std::uint8_t*>(memory_->begin()) + start));
}

}  // namespace ludens::network

#endif
