#include "network/loop_gates.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

namespace ludens::network {
namespace {

constexpr std::uint8_t table_or_xor = column_a | (column_b ^ column_c);

// A gate some of whose inputs may be the same: then a copy or a gate of two inputs, which every back end has. What is
// always 0 copies `zeros`.
Gate reduced(const Gate& gate) {
    std::array<std::uint32_t, 3> rows = gate.in;
    std::ranges::sort(rows);
    const auto count = rows.size() - std::ranges::unique(rows).size();
    if (count == 3) return gate;
    const std::uint32_t x = rows[0], y = rows[count - 1];
    std::uint8_t table = 0;
    for (int i = 0; i < 8; ++i) {
        int index = 0;
        for (const auto row : gate.in) index = 2 * index + ((row == x ? column_a : column_b) >> i & 1);
        table |= static_cast<std::uint8_t>((gate.table >> index & 1) << i);
    }
    const auto copy = [&](std::uint32_t row) { return Gate{{row, row, row}, gate.out, column_a}; };
    switch (table) {
        case 0: return copy(Program::zeros);
        case column_a: return copy(x);
        case column_b: return copy(y);
        case inverted(column_a) & column_b: return {{y, x, x}, gate.out, table_and_not};
        default: return {{x, y, y}, gate.out, table};
    }
}

class Writer {
public:
    Writer(const Program& program, const Piece& loop, std::vector<std::uint8_t> kept, const GateSet& set)
        : program_(program), set_(set), code_{{}, std::move(kept)}, changed_(Program::zeros) {
        for (auto [input, driver] : loop.feedback) {
            driven_[driver].push_back(input);
            keep(input);
        }
        code_.kept.resize(std::max<std::size_t>(code_.kept.size(), program.rows));
    }

    StraightCode write(const std::vector<Gate>& gates) {
        std::map<std::uint32_t, std::vector<std::uint32_t>> elsewhere(driven_.begin(), driven_.end());
        for (const Gate& gate : gates) elsewhere.erase(gate.out);
        for (const auto& [driver, _] : elsewhere) feed_back(driver);
        for (Gate gate : gates) {
            for (auto& row : gate.in) row = latest(row);
            code_.gates.push_back(reduced(gate));
            if (driven_.contains(gate.out)) feed_back(gate.out);
        }
        code_.gates.push_back({{changed_, changed_, changed_}, program_.changed, column_a});
        keep(program_.changed);
        return std::move(code_);
    }

private:
    void keep(std::uint32_t row) { code_.kept[row] = 1; }

    // The row that holds what a feedback row holds by now, too, without being read from memory.
    std::uint32_t latest(std::uint32_t row) const {
        for (auto found = driver_.find(row); found != driver_.end(); found = driver_.find(row)) row = found->second;
        return row;
    }

    void feed_back(std::uint32_t driver) {
        const std::uint32_t now = latest(driver);
        for (const auto input : driven_.at(driver)) {
            if (input == now) continue;  // it drives itself, and stays what it is
            note_change(input, now);
            code_.gates.push_back({{now, now, now}, input, column_a});
            driver_.emplace(input, now);
        }
    }

    void note_change(std::uint32_t before, std::uint32_t now) {
        if (set_.any) return set_changed({changed_, before, now}, table_or_xor);
        const std::uint32_t difference = fresh();
        code_.gates.push_back({{before, now, now}, difference, table_xor});
        set_changed({changed_, difference, difference}, table_or);
    }

    void set_changed(std::array<std::uint32_t, 3> in, std::uint8_t table) {
        changed_ = fresh();
        code_.gates.push_back({in, changed_, table});
    }

    std::uint32_t fresh() {
        code_.kept.push_back(0);
        return static_cast<std::uint32_t>(code_.kept.size() - 1);
    }

    const Program& program_;
    const GateSet& set_;
    StraightCode code_;
    std::uint32_t changed_;                                                 // row, so far
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> driven_;  // by row that drives, the feedback rows
    std::unordered_map<std::uint32_t, std::uint32_t> driver_;               // of each feedback row that was written
};

}  // namespace

std::vector<std::uint8_t> kept_in_loop(const Piece& loop, std::vector<std::uint8_t> kept) {
    for (auto [input, driver] : loop.feedback) kept[driver] = 1;
    return kept;
}

StraightCode loop_gates(const Program& program, const Piece& loop, const std::vector<Gate>& gates,
                        std::vector<std::uint8_t> kept, const GateSet& set) {
    return Writer(program, loop, std::move(kept), set).write(gates);
}

}  // namespace ludens::network
