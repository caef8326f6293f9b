#include "network/straight_code.hpp"

#if defined(LUDENS_JIT)

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "network/x86_assembler.hpp"

namespace ludens::network {
namespace {

constexpr std::uint32_t none = UINT32_MAX;

class Writer {
public:
    Writer(X86Assembler& out, const std::vector<TernaryGate>& nodes, const std::vector<std::uint8_t>& kept,
           std::uint32_t first_slot)
        : out_(out), nodes_(nodes), kept_(kept), uses_(kept.size()), home_(kept.size(), nowhere),
          in_memory_(kept.size(), 1), address_(kept.size()), first_slot_(first_slot) {
        std::iota(address_.begin(), address_.end(), 0);
        held_.fill(none);
        for (std::size_t n = nodes.size(); n-- > 0;) {  // so that the next use is at the back
            in_memory_[nodes[n].out] = 0;
            if (!kept[nodes[n].out]) address_[nodes[n].out] = none;
            for (auto row : distinct(nodes[n])) uses_[row].push_back(static_cast<std::uint32_t>(n));
        }
    }

    void write() {
        for (const TernaryGate& node : nodes_) {
            const auto rows = distinct(node);
            for (auto row : rows) uses_[row].pop_back();
            pinned_ = 0;
            for (auto row : rows)
                if (home_[row] != nowhere) pin(home_[row]);
            const int to = simple(node) ? write_simple(node) : write_ternary(node, rows);
            settle(node.out, to);
            for (auto row : rows)
                if (dead(row)) release_slot(row);
        }
        out_.finish();
    }

    std::uint32_t slots() const { return slots_; }

private:
    static constexpr int nowhere = -1;

    static std::vector<std::uint32_t> distinct(const TernaryGate& node) {
        std::vector<std::uint32_t> rows;
        for (auto row : node.in)
            if (std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
        return rows;
    }

    static bool simple(const TernaryGate& node) {
        constexpr std::uint8_t both = column_a & column_b, either = column_a | column_b, first = column_a & ~column_b;
        return node.in[1] == node.in[2] && node.in[0] != node.in[1] &&
               (node.table == both || node.table == either || node.table == first);
    }

    bool dead(std::uint32_t row) const { return uses_[row].empty(); }
    bool only_in_memory(std::uint32_t row) const { return home_[row] == nowhere; }
    // Best read straight from memory: it is needed this once.
    bool passing(std::uint32_t row) const { return only_in_memory(row) && dead(row); }
    void pin(int reg) { pinned_ |= 1u << reg; }

    // A gate of two inputs, which overwrites neither.
    int write_simple(const TernaryGate& node) {
        auto [a, b, _] = node.in;
        auto op = node.table == (column_a & column_b)   ? X86Assembler::And
                  : node.table == (column_a | column_b) ? X86Assembler::Or
                                                        : X86Assembler::NotAnd;
        if (op == X86Assembler::NotAnd || passing(a)) std::swap(a, b);  // the second may be in memory
        const int first = fetch(a);
        const bool from_memory = passing(b);
        const int second = from_memory ? nowhere : fetch(b);
        for (auto row : {a, b})
            if (dead(row)) forget(row);
        const int to = vacate(first, second);
        if (from_memory) out_.logic_row(op, to, first, address_[b]);
        else out_.logic(op, to, first, second);
        return to;
    }

    // Any function of up to three inputs; the first is overwritten, the last may be in memory.
    int write_ternary(const TernaryGate& node, const std::vector<std::uint32_t>& rows) {
        std::array<std::uint32_t, 3> slots = {rows[0], rows.back(), rows.back()};
        if (rows.size() == 3) slots[1] = rows[1];
        const auto bring = [&](std::size_t slot, auto wanted) {
            for (std::size_t i = 0; i < slot; ++i)
                if (wanted(slots[i])) return std::swap(slots[i], slots[slot]);
        };
        if (rows.size() == 3) {
            if (!passing(slots[2])) bring(2, [&](auto row) { return passing(row); });
            const auto doomed = [&](auto row) { return !only_in_memory(row) && dead(row); };
            if (!doomed(slots[0]) && doomed(slots[1])) std::swap(slots[0], slots[1]);
            if (!doomed(slots[0]) && doomed(slots[2])) std::swap(slots[0], slots[2]);
        } else if (rows.size() == 2 && dead(slots[1]) && !dead(slots[0])) {
            slots = {slots[1], slots[0], slots[0]};
        }
        const bool from_memory = rows.size() == 3 && passing(slots[2]);
        const int second = rows.size() == 1 ? nowhere : fetch(slots[1]);
        const int third = rows.size() == 1 || from_memory ? nowhere : fetch(slots[2]);
        const int to = overwritable(slots[0]);
        const std::uint8_t table = permuted(node, slots);
        if (from_memory) out_.ternary_row(to, second, address_[slots[2]], table);
        else out_.ternary(to, second == nowhere ? to : second, third == nowhere ? to : third, table);
        for (auto row : rows)
            if (dead(row)) forget(row);
        return to;
    }

    static std::uint8_t permuted(const TernaryGate& node, const std::array<std::uint32_t, 3>& slots) {
        std::uint8_t table = 0;
        for (int i = 0; i < 8; ++i) {
            int index = 0;
            for (auto row : node.in) {
                const auto slot = std::ranges::find(slots, row) - slots.begin();
                index = index * 2 + (i >> (2 - slot) & 1);
            }
            table |= static_cast<std::uint8_t>((node.table >> index & 1) << i);
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
        if (passing(row)) {
            const int reg = vacate(nowhere, nowhere);
            out_.load(reg, address_[row]);
            return reg;
        }
        const int from = fetch(row);
        const int reg = vacate(nowhere, nowhere);
        out_.copy(reg, from);
        return reg;
    }

    // A register that holds the row.
    int fetch(std::uint32_t row) {
        if (only_in_memory(row)) {
            const int reg = vacate(nowhere, nowhere);
            out_.load(reg, address_[row]);
            hold(row, reg);
        }
        pin(home_[row]);
        return home_[row];
    }

    // A register for a new value: `one` or `other` if they have come free, else any free one, else that whose
    // row is needed last.
    int vacate(int one, int other) {
        for (int reg : {one, other})
            if (reg != nowhere && held_[static_cast<std::size_t>(reg)] == none) return take(reg);
        int victim = nowhere;
        std::uint32_t furthest = 0;
        for (int reg = 0; reg < X86Assembler::registers; ++reg) {
            if (pinned_ >> reg & 1) continue;
            const auto row = held_[static_cast<std::size_t>(reg)];
            if (row == none) return take(reg);
            if (victim == nowhere || uses_[row].back() > furthest) {
                victim = reg;
                furthest = uses_[row].back();
            }
        }
        const auto row = held_[static_cast<std::size_t>(victim)];
        if (!in_memory_[row]) {
            if (address_[row] == none) address_[row] = slot();
            out_.store(victim, address_[row]);
        }
        in_memory_[row] = 1;
        forget(row);
        return take(victim);
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

    X86Assembler& out_;
    const std::vector<TernaryGate>& nodes_;
    const std::vector<std::uint8_t>& kept_;         // rows that are read outside the unit
    std::vector<std::vector<std::uint32_t>> uses_;  // of each row, last first
    std::vector<int> home_;                         // register of each row
    std::vector<std::uint8_t> in_memory_;
    std::vector<std::uint32_t> address_;  // where each row is in memory, if it is; none: nowhere yet
    const std::uint32_t first_slot_;
    std::uint32_t slots_ = 0;
    std::vector<std::uint32_t> free_slots_;
    std::array<std::uint32_t, X86Assembler::registers> held_;  // row in each register
    std::uint32_t pinned_ = 0;                                 // registers that the instruction at hand uses
};

}  // namespace

ExecutableMemory::ExecutableMemory(const std::vector<std::uint8_t>& code)
    : size_(std::max<std::size_t>(code.size(), 1)) {
    memory_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw Error("out of memory for machine code");
    std::memcpy(memory_, code.data(), code.size());
    if (mprotect(memory_, size_, PROT_READ | PROT_EXEC) != 0) {
        munmap(memory_, size_);
        throw Error("this system does not allow machine code to be made; use the instruction set avx512");
    }
}

ExecutableMemory::~ExecutableMemory() { munmap(memory_, size_); }

bool ExecutableMemory::allowed() {
    try {
        const ExecutableMemory attempt({0xC3});
        return true;
    } catch (const Error&) {
        return false;
    }
}

std::uint32_t write_code(X86Assembler& out, const std::vector<TernaryGate>& gates,
                         const std::vector<std::uint8_t>& kept, std::uint32_t first_slot) {
    Writer writer(out, gates, kept, first_slot);
    writer.write();
    return writer.slots();
}

}  // namespace ludens::network

#endif
