#include "network/machine_code.hpp"

#if defined(LUDENS_JIT)

#include <algorithm>

#include "network/choice_code.hpp"
#include "network/x86_assembler.hpp"

namespace ludens::network {
namespace {

constexpr std::uint32_t none = UINT32_MAX;

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

    std::vector<TernaryGate> nodes() {
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

    TernaryGate node(std::uint32_t row) const {
        const Gate& gate = unit_.of(row);
        const std::uint32_t inner = inner_[row - unit_.first_row];
        if (inner == none) return {{gate.a, gate.b, gate.b}, row, apply(gate.op, column_a, column_b)};
        const Gate& first = unit_.of(inner);
        const std::uint8_t table = apply(first.op, column_a, column_b);
        const bool left = gate.a == inner;
        const std::uint32_t other = left ? gate.b : gate.a;
        return {
            {first.a, first.b, other}, row, left ? apply(gate.op, table, column_c) : apply(gate.op, column_c, table)};
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
            const TernaryGate here = node(row);
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
    std::vector<TernaryGate> nodes_;
};

// Returns for every row whether it is read outside the unit that writes it.
std::vector<std::uint8_t> kept_rows(const Program& program) {
    std::vector<std::uint8_t> kept(program.rows, 0);
    const auto keep = [&](const std::vector<std::uint32_t>& rows) {
        for (auto row : rows) kept[row] = 1;
    };
    for (const Segment* segment : program.segments()) {
        for (const Unit& unit : units(*segment))
            for (const Gate& gate : unit.gates)
                for (auto row : {gate.a, gate.b})
                    if (!unit.holds(row)) kept[row] = 1;
        for (const Piece& piece : segment->pieces) {
            for (auto [input, driver] : piece.feedback) kept[driver] = 1;
            keep(piece.guards);
        }
    }
    for (const Update& update : program.updates) {
        for (auto [state, next] : update.values) kept[next] = 1;
        keep(update.guards);
    }
    for (const auto* rows : {&program.legal, &program.playable, &program.goal, &program.feature}) keep(*rows);
    kept[program.terminal] = 1;
    return kept;
}

}  // namespace

NetworkCode::NetworkCode(const Program& program, std::uint32_t row_bytes) : program_(program), rows_(program.rows) {
    if (program.rows > INT32_MAX / 128) throw Error("the network is too large for machine code");
    const auto kept = kept_rows(program);
    X86Assembler out(row_bytes);
    std::vector<std::size_t> starts;
    const auto write = [&](const std::vector<TernaryGate>& gates, const std::vector<std::uint8_t>& kept_of_gates) {
        starts.push_back(out.code().size());
        rows_ = std::max(rows_, program.rows + write_code(out, gates, kept_of_gates, program.rows));
    };
    for (const Segment* segment : program.segments())
        for (const Unit& unit : units(*segment)) write(Selector(unit, kept).nodes(), kept);
    for (const ChoicePlan& plan : program.choices)
        for (const StraightCode& steps : choice_gates(plan, program.rows)) write(steps.gates, steps.kept);
    memory_ = std::make_unique<ExecutableMemory>(out.code());
    auto start = starts.begin();
    const auto next = [&] {
        return reinterpret_cast<Function>(const_cast<std::uint8_t*>(memory_->begin()) + *start++);
    };
    for (std::size_t i = 0; i < functions_.size(); ++i)
        for (std::size_t piece = 0; piece < program.segments()[i]->pieces.size(); ++piece)
            functions_[i].push_back(next());
    for (const ChoicePlan& plan : program.choices) {
        auto& [count, choose] = choices_.emplace_back();
        if (plan.needed()) {
            count = next();
            choose = next();
        }
    }
}

std::span<const NetworkCode::Function> NetworkCode::functions(const Segment& segment) const {
    const auto segments = program_.segments();
    return functions_[static_cast<std::size_t>(std::ranges::find(segments, &segment) - segments.begin())];
}

}  // namespace ludens::network

#endif
