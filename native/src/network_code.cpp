#include "network_code.hpp"

#if defined(LUDENS_JIT)

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "x86_assembler.hpp"

namespace ludens {
namespace {

constexpr std::uint32_t none = UINT32_MAX;

// One instruction to be: out = table(a, b, c); c repeats b for a gate of two inputs.
struct Node {
    std::array<std::uint32_t, 3> in;
    std::uint32_t out;
    std::uint8_t table;
};

// Tables are indexed by 4 a + 2 b + c, so these are the columns of a, b and c.
constexpr std::uint8_t column_a = 0xF0, column_b = 0xCC, column_c = 0xAA;

std::uint8_t apply(Op op, std::uint8_t x, std::uint8_t y) {
    switch (op) {
        case Op::And: return x & y;
        case Op::AndNot: return x & static_cast<std::uint8_t>(~y);
        case Op::Or: return x | y;
    }
    return 0;
}

struct Gate {
    Op op;
    std::uint32_t a, b;
};

// The gates of one piece, the first of which writes row `first_row`.
struct Unit {
    std::uint32_t first_row;
    std::vector<Gate> gates;

    bool holds(std::uint32_t row) const { return row >= first_row && row - first_row < gates.size(); }
    const Gate& of(std::uint32_t row) const { return gates[row - first_row]; }
};

std::vector<Unit> units(const Segment& segment) {
    std::vector<Unit> list;
    std::size_t gate = 0;
    for (const Piece& piece : segment.pieces) {
        Unit unit{segment.first_row + static_cast<std::uint32_t>(gate), {}};
        for (auto r = piece.first_run; r < piece.last_run; ++r)
            for (std::uint32_t i = 0; i < segment.runs[r].count; ++i, ++gate)
                unit.gates.push_back({segment.runs[r].op, segment.operands[gate][0], segment.operands[gate][1]});
        list.push_back(std::move(unit));
    }
    return list;
}

// Chooses instructions for a unit and puts them in order.
class Selector {
public:
    Selector(const Unit& unit, const std::vector<std::uint8_t>& kept) : unit_(unit), kept_(kept) {
        readers_.assign(unit.gates.size(), 0);
        swallowed_.assign(unit.gates.size(), 0);
        inner_.assign(unit.gates.size(), none);
        for (const Gate& gate : unit.gates)
            for (auto row : {gate.a, gate.b})
                if (unit.holds(row)) ++readers_[row - unit.first_row];
        fuse();
    }

    std::vector<Node> nodes() {
        placed_.assign(unit_.gates.size(), 0);
        for (std::size_t g = 0; g < unit_.gates.size(); ++g)
            if (kept_[unit_.first_row + g]) place(unit_.first_row + static_cast<std::uint32_t>(g));
        return std::move(nodes_);
    }

private:
    // Last gates first, so that a chain is cut into pairs from its end.
    void fuse() {
        for (std::size_t g = unit_.gates.size(); g-- > 0;) {
            if (swallowed_[g]) continue;
            for (auto row : {unit_.gates[g].a, unit_.gates[g].b}) {
                if (!unit_.holds(row) || kept_[row] || readers_[row - unit_.first_row] != 1) continue;
                swallowed_[row - unit_.first_row] = 1;
                inner_[g] = row;
                break;
            }
        }
    }

    Node node(std::uint32_t row) const {
        const Gate& gate = unit_.of(row);
        const std::uint32_t inner = inner_[row - unit_.first_row];
        if (inner == none) return {{gate.a, gate.b, gate.b}, row, apply(gate.op, column_a, column_b)};
        const Gate& first = unit_.of(inner);
        const std::uint8_t table = apply(first.op, column_a, column_b);
        const bool left = gate.a == inner;
        const std::uint32_t other = left ? gate.b : gate.a;
        return {{first.a, first.b, other}, row, left ? apply(gate.op, table, column_c) : apply(gate.op, column_c, table)};
    }

    // Depth first, without recursion: circuits can be deep.
    void place(std::uint32_t root) {
        std::vector<std::uint32_t> stack{root};
        while (!stack.empty()) {
            const std::uint32_t row = stack.back();
            auto& state = placed_[row - unit_.first_row];
            if (state == done) {
                stack.pop_back();
                continue;
            }
            const Node here = node(row);
            if (state == open) {
                nodes_.push_back(here);
                state = done;
                stack.pop_back();
                continue;
            }
            state = open;
            for (auto in : here.in)
                if (unit_.holds(in) && placed_[in - unit_.first_row] == 0) stack.push_back(in);
        }
    }

    static constexpr std::uint8_t open = 1, done = 2;

    const Unit& unit_;
    const std::vector<std::uint8_t>& kept_;
    std::vector<std::uint32_t> readers_;   // in the unit, of each gate
    std::vector<std::uint8_t> swallowed_;  // by the only gate that reads it
    std::vector<std::uint32_t> inner_;     // the gate that a gate has swallowed
    std::vector<std::uint8_t> placed_;
    std::vector<Node> nodes_;
};

// Gives registers to straight-line code and writes it.
class Writer {
public:
    Writer(X86Assembler& out, const std::vector<Node>& nodes, const std::vector<std::uint8_t>& kept)
        : out_(out), nodes_(nodes), kept_(kept), uses_(kept.size()), home_(kept.size(), nowhere),
          in_memory_(kept.size(), 1) {
        held_.fill(none);
        for (std::size_t n = nodes.size(); n-- > 0;) {  // so that the next use is at the back
            in_memory_[nodes[n].out] = 0;
            for (auto row : distinct(nodes[n])) uses_[row].push_back(static_cast<std::uint32_t>(n));
        }
    }

    void write() {
        for (const Node& node : nodes_) {
            const auto rows = distinct(node);
            for (auto row : rows) uses_[row].pop_back();
            pinned_ = 0;
            for (auto row : rows)
                if (home_[row] != nowhere) pin(home_[row]);
            const int to = simple(node) ? write_simple(node) : write_ternary(node, rows);
            settle(node.out, to);
        }
        out_.finish();
    }

private:
    static constexpr int nowhere = -1;

    static std::vector<std::uint32_t> distinct(const Node& node) {
        std::vector<std::uint32_t> rows;
        for (auto row : node.in)
            if (std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
        return rows;
    }

    static bool simple(const Node& node) {
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
    int write_simple(const Node& node) {
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
        if (from_memory)
            out_.logic_row(op, to, first, b);
        else
            out_.logic(op, to, first, second);
        return to;
    }

    // Any function of up to three inputs; the first is overwritten, the last may be in memory.
    int write_ternary(const Node& node, const std::vector<std::uint32_t>& rows) {
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
        if (from_memory)
            out_.ternary_row(to, second, slots[2], table);
        else
            out_.ternary(to, second == nowhere ? to : second, third == nowhere ? to : third, table);
        for (auto row : rows)
            if (dead(row)) forget(row);
        return to;
    }

    static std::uint8_t permuted(const Node& node, const std::array<std::uint32_t, 3>& slots) {
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
            out_.load(reg, row);
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
            out_.load(reg, row);
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
        if (!in_memory_[row]) out_.store(victim, row);
        in_memory_[row] = 1;
        forget(row);
        return take(victim);
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
        if (kept_[row]) out_.store(to, row);
        in_memory_[row] = kept_[row];
        if (!dead(row)) hold(row, to);
    }

    X86Assembler& out_;
    const std::vector<Node>& nodes_;
    const std::vector<std::uint8_t>& kept_;          // rows that are read outside the unit
    std::vector<std::vector<std::uint32_t>> uses_;   // of each row, last first
    std::vector<int> home_;                          // register of each row
    std::vector<std::uint8_t> in_memory_;
    std::array<std::uint32_t, X86Assembler::registers> held_;  // row in each register
    std::uint32_t pinned_ = 0;                       // registers that the instruction at hand uses
};

// Rows that somebody outside the unit that writes them reads.
class Kept {
public:
    explicit Kept(const Program& program) : rows_(program.rows, 0), owner_(program.rows, none) {
        for (const Segment* segment : program.segments()) own(*segment);
        for (const Segment* segment : program.segments()) keep_foreign(*segment);
        for (auto row : program.legal) rows_[row] = 1;
        for (auto row : program.playable) rows_[row] = 1;
        for (auto row : program.goal) rows_[row] = 1;
        for (auto row : program.feature) rows_[row] = 1;
        for (const Update& update : program.updates) {
            for (auto [state, next] : update.values) rows_[next] = 1;
            for (auto row : update.guards) rows_[row] = 1;
        }
        for (const Segment* segment : program.segments())
            for (const Piece& piece : segment->pieces)
                for (auto row : piece.guards) rows_[row] = 1;
        rows_[program.terminal] = 1;
    }

    const std::vector<std::uint8_t>& rows() const { return rows_; }

private:
    void own(const Segment& segment) {
        for (const Unit& unit : units(segment)) {
            for (std::size_t g = 0; g < unit.gates.size(); ++g) owner_[unit.first_row + g] = count_;
            ++count_;
        }
    }

    void keep_foreign(const Segment& segment) {
        for (const Unit& unit : units(segment)) {
            for (const Gate& gate : unit.gates)
                for (auto row : {gate.a, gate.b})
                    if (owner_[row] != current_) rows_[row] = 1;
            ++current_;
        }
        for (const Piece& piece : segment.pieces)
            for (auto [input, driver] : piece.feedback) rows_[driver] = 1;
    }

    std::vector<std::uint8_t> rows_;
    std::vector<std::uint32_t> owner_;
    std::uint32_t count_ = 0, current_ = 0;
};

}  // namespace

ExecutableMemory::ExecutableMemory(const std::vector<std::uint8_t>& code) : size_(std::max<std::size_t>(code.size(), 1)) {
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
        ExecutableMemory({0xC3});
        return true;
    } catch (const Error&) {
        return false;
    }
}

NetworkCode::NetworkCode(const Program& program) : program_(program) {
    if (program.rows > INT32_MAX / 64) throw Error("the network is too large for machine code");
    const Kept kept(program);
    X86Assembler out;
    std::vector<std::size_t> starts;
    for (const Segment* segment : program.segments())
        for (const Unit& unit : units(*segment)) {
            starts.push_back(out.code().size());
            const auto nodes = Selector(unit, kept.rows()).nodes();
            Writer(out, nodes, kept.rows()).write();
        }
    memory_ = std::make_unique<ExecutableMemory>(out.code());
    auto start = starts.begin();
    const auto take = [&](const Segment& segment, std::vector<Function>& functions) {
        for (std::size_t i = 0; i < segment.pieces.size(); ++i)
            functions.push_back(reinterpret_cast<Function>(const_cast<std::uint8_t*>(memory_->begin()) + *start++));
    };
    for (std::size_t i = 0; i < functions_.size(); ++i) take(*program.segments()[i], functions_[i]);
}

std::span<const NetworkCode::Function> NetworkCode::functions(const Segment& segment) const {
    const auto segments = program_.segments();
    return functions_[static_cast<std::size_t>(std::ranges::find(segments, &segment) - segments.begin())];
}

}  // namespace ludens

#endif
