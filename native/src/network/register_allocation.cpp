#include "network/register_allocation.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace ludens::network {
namespace {

constexpr std::uint32_t none = UINT32_MAX;

// The rows that a gate reads, each once.
struct Inputs {
    explicit Inputs(const Gate& gate) {
        for (const auto row : gate.in)
            if (std::find(begin(), end(), row) == end()) rows[count++] = row;
    }
    const std::uint32_t* begin() const { return rows.data(); }
    const std::uint32_t* end() const { return rows.data() + count; }

    std::array<std::uint32_t, 3> rows;
    std::size_t count = 0;
};

class Allocator {
public:
    Allocator(Encoder& out, std::span<const Gate> gates, const std::vector<std::uint8_t>& kept,
              std::uint32_t first_slot)
        : out_(out), can_(out.abilities()), gates_(gates), kept_(kept), later_(gates.size()), next_(kept.size(), none),
          home_(kept.size(), nowhere), in_memory_(kept.size(), 1), address_(kept.size()), first_slot_(first_slot) {
        held_.fill(none);
        std::iota(address_.begin(), address_.end(), 0);
        for (std::size_t n = gates.size(); n-- > 0;) {
            in_memory_[gates[n].out] = 0;
            if (!kept[gates[n].out]) address_[gates[n].out] = none;
            const Inputs inputs(gates[n]);
            for (const auto row : inputs) in_memory_[row] = 1;  // unless an earlier gate writes it
            for (std::size_t i = 0; i < inputs.count; ++i)
                later_[n][i] = std::exchange(next_[inputs.rows[i]], static_cast<std::uint32_t>(n));
        }
    }

    void write() {
        out_.begin(first_slot_);
        for (std::size_t n = 0; n < gates_.size(); ++n) {
            const Gate& gate = gates_[n];
            const Inputs inputs(gate);
            for (std::size_t i = 0; i < inputs.count; ++i) next_[inputs.rows[i]] = later_[n][i];
            pinned_ = 0;
            for (const auto row : inputs)
                if (!only_in_memory(row)) pin(home_[row]);
            settle(gate.out, write(gate, inputs));
            for (const auto row : inputs)
                if (dead(row)) release_slot(row);
        }
        out_.finish();
    }

    std::uint32_t slots() const { return slots_; }

private:
    static constexpr int nowhere = -1;

    bool dead(std::uint32_t row) const { return next_[row] == none; }
    bool only_in_memory(std::uint32_t row) const { return home_[row] == nowhere; }
    // Best read straight from memory: it is needed this once, or later than all that is in registers.
    bool passing(std::uint32_t row) const {
        return only_in_memory(row) && (dead(row) || (can_.memory_inputs && next_[row] >= furthest_use()));
    }
    void pin(int reg) { pinned_ |= 1u << reg; }

    // Returns the register of the result.
    int write(const Gate& gate, const Inputs& inputs) {
        if (gate.table == column_a && inputs.count == 1) return write_copy(gate.in[0], gate.out);
        if (gate.in[1] == gate.in[2]) {
            const auto [a, b, _] = gate.in;
            switch (gate.table) {
                case table_and: return write_logic(Encoder::Logic::And, a, b);
                case table_or: return write_logic(Encoder::Logic::Or, a, b);
                case table_xor: return write_logic(Encoder::Logic::Xor, a, b);
                case table_and_not: return write_logic(Encoder::Logic::NotAnd, b, a);
                default: break;
            }
        }
        return write_ternary(gate, inputs);
    }

    // No second register is needed for a copy that goes to memory alone.
    int write_copy(std::uint32_t row, std::uint32_t out) {
        const int to = dead(out) ? fetch(row) : overwritable(row);
        if (dead(row)) forget(row);
        return to;
    }

    // A gate of two inputs, which overwrites neither; the second may be in memory.
    int write_logic(Encoder::Logic op, std::uint32_t a, std::uint32_t b) {
        if (op != Encoder::Logic::NotAnd && passing(a)) std::swap(a, b);
        const bool from_memory = can_.memory_inputs && passing(b);
        const int second = from_memory ? nowhere : fetch(b);
        const int first = fetch(a);
        for (const auto row : {a, b})
            if (dead(row)) forget(row);
        const int to = vacate(first, second);
        if (from_memory) out_.logic_row(op, to, first, address_[b]);
        else out_.logic(op, to, first, second);
        return to;
    }

    // Any function of up to three inputs; the first is overwritten, the last may be in memory.
    int write_ternary(const Gate& gate, const Inputs& inputs) {
        const std::size_t count = inputs.count;
        std::array<std::uint32_t, 3> slots = {inputs.rows[0], inputs.rows[count - 1], inputs.rows[count - 1]};
        if (count == 3) slots[1] = inputs.rows[1];
        const auto bring = [&](std::size_t slot, auto wanted) {
            for (std::size_t i = 0; i < slot; ++i)
                if (wanted(slots[i])) return std::swap(slots[i], slots[slot]);
        };
        if (count == 3) {
            if (!passing(slots[2])) bring(2, [&](auto row) { return passing(row); });
            const auto doomed = [&](auto row) { return !only_in_memory(row) && dead(row); };
            if (!doomed(slots[0]) && doomed(slots[1])) std::swap(slots[0], slots[1]);
            if (!doomed(slots[0]) && doomed(slots[2])) std::swap(slots[0], slots[2]);
        } else if (count == 2 && dead(slots[1]) && !dead(slots[0])) {
            slots = {slots[1], slots[0], slots[0]};
        }
        const bool from_memory = count == 3 && can_.memory_inputs && passing(slots[2]);
        const int second = count == 1 ? nowhere : fetch(slots[1]);
        const int third = count == 1 || from_memory ? nowhere : fetch(slots[2]);
        const int to = overwritable(slots[0]);
        const std::uint8_t table = permuted(gate, slots);
        if (from_memory) out_.ternary_row(to, second, address_[slots[2]], table);
        else out_.ternary(to, second == nowhere ? to : second, third == nowhere ? to : third, table);
        for (const auto row : inputs)
            if (dead(row)) forget(row);
        return to;
    }

    static std::uint8_t permuted(const Gate& gate, const std::array<std::uint32_t, 3>& slots) {
        std::uint8_t table = 0;
        for (int i = 0; i < 8; ++i) {
            int index = 0;
            for (const auto row : gate.in) {
                const auto slot = std::ranges::find(slots, row) - slots.begin();
                index = index * 2 + (i >> (2 - slot) & 1);
            }
            table |= static_cast<std::uint8_t>((gate.table >> index & 1) << i);
        }
        return table;
    }

    // A register that holds the row and may be overwritten.
    int overwritable(std::uint32_t row) {
        if (!only_in_memory(row) && dead(row)) {
            const int reg = home_[row];
            forget(row);
            pin(reg);
            return reg;
        }
        if (passing(row)) return load(row);
        const int from = fetch(row);
        const int reg = vacate(nowhere, nowhere);
        out_.copy(reg, from);
        return reg;
    }

    // A register that holds the row for this gate.
    int fetch(std::uint32_t row) {
        if (only_in_memory(row)) {
            const bool once = passing(row);
            const int reg = load(row);
            if (once) return reg;
            hold(row, reg);
        }
        pin(home_[row]);
        return home_[row];
    }

    int load(std::uint32_t row) {
        const int reg = vacate(nowhere, nowhere);
        out_.load(reg, address_[row]);
        return reg;
    }

    // The free register that may be taken, or else that whose row is needed last.
    int least_needed() const {
        int victim = nowhere;
        for (int reg = 0; reg < can_.registers; ++reg) {
            if (pinned_ >> reg & 1) continue;
            const auto row = held_[static_cast<std::size_t>(reg)];
            if (row == none) return reg;
            if (victim == nowhere || next_[row] > next_[held_[static_cast<std::size_t>(victim)]]) victim = reg;
        }
        return victim;
    }

    // When the least needed of the registers is needed next; none: it is free.
    std::uint32_t furthest_use() const {
        const auto row = held_[static_cast<std::size_t>(least_needed())];
        return row == none ? none : next_[row];
    }

    // A register for a new value: `one` or `other` if nothing needs them any more, else the least needed.
    int vacate(int one, int other) {
        for (const int reg : {one, other})
            if (reg != nowhere && held_[static_cast<std::size_t>(reg)] == none) return take(reg);
        const int reg = least_needed();
        const auto row = held_[static_cast<std::size_t>(reg)];
        if (row == none) return take(reg);
        if (!in_memory_[row]) {
            if (address_[row] == none) address_[row] = slot();
            out_.store(reg, address_[row]);
        }
        in_memory_[row] = 1;
        forget(row);
        return take(reg);
    }

    std::uint32_t slot() {
        if (free_slots_.empty()) free_slots_.push_back(first_slot_ + slots_++);
        const auto row = free_slots_.back();
        free_slots_.pop_back();
        return row;
    }

    void release_slot(std::uint32_t row) {
        if (address_[row] < first_slot_ || address_[row] == none) return;
        free_slots_.push_back(address_[row]);
        address_[row] = none;
    }

    int take(int reg) {
        pin(reg);
        return reg;
    }

    void hold(std::uint32_t row, int reg) {
        home_[row] = reg;
        held_[static_cast<std::size_t>(reg)] = row;
    }

    void forget(std::uint32_t row) {
        if (only_in_memory(row)) return;
        held_[static_cast<std::size_t>(home_[row])] = none;
        home_[row] = nowhere;
    }

    // The new value is in register `to`.
    void settle(std::uint32_t row, int to) {
        if (kept_[row]) out_.store(to, address_[row]);
        in_memory_[row] = kept_[row];
        if (!dead(row)) hold(row, to);
    }

    Encoder& out_;
    const Encoder::Abilities& can_;
    const std::span<const Gate> gates_;
    const std::vector<std::uint8_t>& kept_;
    std::vector<std::array<std::uint32_t, 3>> later_;  // of each gate, when each of its inputs is read next
    std::vector<std::uint32_t> next_;                  // of each row, the gate that reads it next; none: dead
    std::vector<int> home_;                            // register of each row
    std::vector<std::uint8_t> in_memory_;
    std::vector<std::uint32_t> address_;  // where each row is in memory, if it is; none: nowhere yet
    const std::uint32_t first_slot_;
    std::uint32_t slots_ = 0;
    std::vector<std::uint32_t> free_slots_;
    std::array<std::uint32_t, Encoder::most_registers> held_;  // row in each register
    std::uint32_t pinned_ = 0;                                 // registers that the instruction at hand uses
};

}  // namespace

std::uint32_t write_code(Encoder& out, std::span<const Gate> gates, const std::vector<std::uint8_t>& kept,
                         std::uint32_t first_slot) {
    Allocator allocator(out, gates, kept, first_slot);
    allocator.write();
    return allocator.slots();
}

}  // namespace ludens::network
