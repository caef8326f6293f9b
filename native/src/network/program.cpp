#include "network/program.hpp"

#include <algorithm>
#include <climits>
#include <map>
#include <numeric>

#include "network/guards.hpp"

namespace ludens::network {
namespace {

constexpr std::size_t sorted_together = 1024;  // gates: enough for long runs, few enough to stay in cache

struct Compiler {
    const NetworkArrays& net;
    Program& program;
    std::span<const int> clocks;
    std::uint32_t first_gate;            // variable number of gate 0
    std::vector<std::uint32_t> row;      // of each variable
    std::vector<std::uint8_t> inverted;  // whether that row holds the variable's complement
    std::vector<int> loop_of;            // of each gate, -1 outside loops

    Compiler(const NetworkArrays& n, Program& p, std::span<const int> clocks) : net(n), program(p), clocks(clocks) {
        const auto inputs = net.state_bits + net.legal.size() + net.feedback.size();
        first_gate = static_cast<std::uint32_t>(1 + inputs);
        row.assign(first_gate + net.gates.size(), 0);
        inverted.assign(row.size(), 0);
        for (std::uint32_t v = 1; v < first_gate; ++v) row[v] = v + 1;
        program.move_row = 2 + static_cast<std::uint32_t>(net.state_bits);
        program.rows = first_gate + 1;
        loop_of.assign(net.gates.size(), -1);
        for (std::size_t i = 0; i < net.loops.size(); ++i)
            std::fill(loop_of.begin() + net.loops[i][0], loop_of.begin() + net.loops[i][1], static_cast<int>(i));
        for (std::size_t g = 0; g < net.gates.size(); ++g)
            inverted[first_gate + g] = is_inverted(net.gates[g][0]) && is_inverted(net.gates[g][1]);
    }

    // Whether the literal is the complement of what its row holds.
    bool is_inverted(int literal) const { return (literal & 1) != inverted[static_cast<std::size_t>(literal) / 2]; }

    std::uint32_t feedback_variable(int f) const {
        return first_gate - static_cast<std::uint32_t>(net.feedback.size()) + f;
    }

    // Gates that the literals depend on, less those already `known`.
    std::vector<std::uint8_t> cone(std::span<const int> literals, const std::vector<std::uint8_t>* known) const {
        std::vector<std::uint8_t> needed(net.gates.size(), 0);
        std::vector<std::uint8_t> seen_loop(net.loops.size(), 0);
        std::vector<int> stack(literals.begin(), literals.end());
        while (!stack.empty()) {
            const auto variable = static_cast<std::uint32_t>(stack.back()) / 2;
            stack.pop_back();
            int loop = -1;
            if (variable >= first_gate) {
                const auto gate = variable - first_gate;
                if (needed[gate] || (known && (*known)[gate])) continue;
                needed[gate] = 1;
                stack.insert(stack.end(), {net.gates[gate][0], net.gates[gate][1]});
                loop = loop_of[gate];
            } else if (variable >= feedback_variable(0)) {
                loop = loop_of_feedback(static_cast<int>(variable - feedback_variable(0)));
            }
            if (loop >= 0 && !seen_loop[loop]) {
                seen_loop[loop] = 1;
                for (int f = net.loops[loop][2]; f < net.loops[loop][3]; ++f) stack.push_back(net.feedback[f]);
            }
        }
        return needed;
    }

    int loop_of_feedback(int f) const {
        for (std::size_t i = 0; i < net.loops.size(); ++i)
            if (net.loops[i][2] <= f && f < net.loops[i][3]) return static_cast<int>(i);
        throw Error("a feedback input belongs to no loop");
    }

    struct Typed {
        Op op;
        std::uint32_t a, b, level, variable;
    };

    // Rows are known for everything earlier.
    Typed typed(std::uint32_t gate, const std::vector<std::uint32_t>& level) {
        auto [x, y] = net.gates[gate];
        const std::uint32_t a = static_cast<std::uint32_t>(x) / 2, b = static_cast<std::uint32_t>(y) / 2;
        const bool not_a = is_inverted(x), not_b = is_inverted(y);
        const std::uint32_t depth = 1 + std::max(level[a], level[b]), variable = gate + first_gate;
        if (not_a && not_b) return {Op::Or, a, b, depth, variable};
        if (not_a) return {Op::AndNot, b, a, depth, variable};
        return {not_b ? Op::AndNot : Op::And, a, b, depth, variable};
    }

    void append_gate(Segment& segment, Op op, std::uint32_t row_a, std::uint32_t row_b) {
        segment.operands.push_back({row_a, row_b});
        const auto start = segment.pieces.back().first_run;
        if (segment.runs.size() > start && segment.runs.back().op == op) ++segment.runs.back().count;
        else segment.runs.push_back({op, 1});
        segment.pieces.back().last_run = static_cast<std::uint32_t>(segment.runs.size());
        ++program.rows;
    }

    void open_piece(Segment& segment) {
        const auto run = static_cast<std::uint32_t>(segment.runs.size());
        segment.pieces.push_back({run, run});
    }

    void append_sorted(Segment& segment, std::span<const std::uint32_t> gates, std::vector<std::uint32_t>& level) {
        std::vector<Typed> sorted;
        sorted.reserve(gates.size());
        for (auto gate : gates) {
            sorted.push_back(typed(gate, level));
            level[sorted.back().variable] = sorted.back().level;
        }
        std::ranges::stable_sort(sorted, [](const Typed& l, const Typed& r) {
            return l.level != r.level ? l.level < r.level : l.op < r.op;
        });
        for (const auto& gate : sorted) {
            row[gate.variable] = program.rows;
            append_gate(segment, gate.op, row[gate.a], row[gate.b]);
        }
        for (const auto& gate : sorted) level[gate.variable] = 0;
    }

    // A row that holds the literal itself, not its complement.
    std::uint32_t plain(Segment& segment, int literal) {
        const auto variable = static_cast<std::uint32_t>(literal) / 2;
        const bool complement = (literal & 1) != inverted[variable];
        if (variable == 0) return complement ? Program::ones : Program::zeros;
        if (!complement) return row[variable];
        append_gate(segment, Op::AndNot, Program::ones, row[variable]);
        return program.rows - 1;
    }

    void close_loop(Segment& segment, int loop) {
        for (int f = net.loops[loop][2]; f < net.loops[loop][3]; ++f) {
            const auto driver = plain(segment, net.feedback[f]);
            segment.pieces.back().feedback.push_back({row[feedback_variable(f)], driver});
        }
    }

    void fill(Segment& segment, const std::vector<std::uint8_t>& needed) {
        segment.first_row = program.rows;
        std::vector<std::uint32_t> level(row.size(), 0), unsorted;
        int loop = -1;
        const auto flush = [&](bool end) {
            append_sorted(segment, unsorted, level);
            unsorted.clear();
            if (end && loop >= 0) close_loop(segment, loop);
        };
        open_piece(segment);
        for (std::uint32_t gate = 0; gate < needed.size(); ++gate) {
            if (!needed[gate]) continue;
            if (loop_of[gate] != loop) {
                flush(true);
                open_piece(segment);
                loop = loop_of[gate];
            }
            unsorted.push_back(gate);
            if (unsorted.size() == sorted_together) flush(false);
        }
        flush(true);
        if (loop >= 0) open_piece(segment);
    }

    // Where there are loops, nothing is guarded.
    void fill_step(const std::vector<std::uint8_t>& needed) {
        Guards guards;
        if (!clocks.empty() && net.loops.empty()) guards = find_guards(net, needed, clocks);
        if (guards.groups.empty()) fill(program.step, needed);
        else fill_stages(program.step, needed, guards);
        add_updates(guards);
    }

    // Gates group by group: each stage needs earlier ones only. What keeps propositions as they are comes last.
    void fill_stages(Segment& segment, const std::vector<std::uint8_t>& needed, const Guards& guards) {
        constexpr int last = INT_MAX;
        std::vector<int> stage(net.gates.size(), 0);
        std::map<std::array<int, 2>, std::vector<std::uint32_t>> stages;  // by number and group
        for (std::uint32_t gate = 0; gate < needed.size(); ++gate) {
            if (!needed[gate]) continue;
            const int group = usable(guards, guards.of_gate[gate]);
            for (int literal : net.gates[gate]) {
                const auto in = static_cast<std::uint32_t>(literal) / 2;
                if (in < first_gate || !needed[in - first_gate]) continue;
                const bool same = usable(guards, guards.of_gate[in - first_gate]) == group;
                stage[gate] = std::max(stage[gate], stage[in - first_gate] + !same);
            }
            if (group >= guards.cones) stage[gate] = last;
            stages[{stage[gate], group}].push_back(gate);
        }
        segment.first_row = program.rows;
        std::vector<std::uint32_t> level(row.size(), 0);
        for (const auto& [key, gates] : stages) {
            open_piece(segment);
            if (key[1] != Guards::none) segment.pieces.back().guards = rows_of(guards.groups[key[1]]);
            for (std::span<const std::uint32_t> rest = gates; !rest.empty();) {
                const auto count = std::min(sorted_together, rest.size());
                append_sorted(segment, rest.first(count), level);
                rest = rest.subspan(count);
            }
        }
        open_piece(segment);
    }

    void add_updates(const Guards& guards) {
        program.updates.resize(1 + guards.groups.size());
        for (std::size_t i = 0; i < guards.groups.size(); ++i)
            program.updates[1 + i].guards = rows_of(guards.groups[i]);
        for (int i = 0; i < net.state_bits; ++i) {
            const int group = guards.groups.empty() ? Guards::none : usable(guards, guards.of_proposition[i]);
            add_update(i, program.updates[static_cast<std::size_t>(1 + group)]);
        }
        std::erase_if(program.updates, [](const Update& update) { return update.values.empty(); });
    }

    // The group, if there are rows that hold what its guards say.
    int usable(const Guards& guards, int group) const {
        if (group == Guards::none) return group;
        const auto hidden = [&](int literal) { return is_inverted(literal); };
        return std::ranges::any_of(guards.groups[group], hidden) ? Guards::none : group;
    }

    std::vector<std::uint32_t> rows_of(const std::vector<int>& literals) const {
        std::vector<std::uint32_t> rows;
        for (int literal : literals) rows.push_back(row[static_cast<std::size_t>(literal) / 2]);
        return rows;
    }

    // The next value of a proposition, in a row that the update of other propositions does not overwrite.
    void add_update(int proposition, Update& update) {
        const int literal = net.next[proposition];
        const auto state = program.state_row + static_cast<std::uint32_t>(proposition);
        if (literal / 2 == proposition + 1 && !(literal & 1)) return;
        auto value = plain(program.step, literal);
        if (value > Program::ones && value < program.move_row) {
            append_gate(program.step, Op::And, value, Program::ones);
            value = program.rows - 1;
        }
        update.values.push_back({state, value});
    }

    bool is_move(int literal) const {
        const auto variable = static_cast<std::uint32_t>(literal) / 2;
        return variable + 1 >= program.move_row && variable + 1 < program.move_row + net.legal.size();
    }

    // Legality, what is playable, the end, goals and features are matters of the state alone.
    void refuse_moves(std::span<const int> roots, const std::vector<std::uint8_t>& needed) const {
        bool found = std::ranges::any_of(roots, [&](int literal) { return is_move(literal); });
        for (std::size_t g = 0; g < needed.size(); ++g)
            found = found || (needed[g] && (is_move(net.gates[g][0]) || is_move(net.gates[g][1])));
        if (found) throw Error("network: legal, playable, terminal, a goal or a feature depends on a move");
    }

    // Fills a segment with the gates that the literals depend on, less those already known, and lists the rows that
    // hold the literals. Returns the gates.
    std::vector<std::uint8_t> compile(Segment& segment, const std::vector<int>& literals,
                                      const std::vector<std::uint8_t>* known, std::vector<std::uint32_t>& rows) {
        auto needed = cone(literals, known);
        refuse_moves(literals, needed);
        fill(segment, needed);
        for (int literal : literals) rows.push_back(plain(segment, literal));
        return needed;
    }

    void compile() {
        std::vector<int> roots = net.legal;
        roots.push_back(net.terminal);
        const auto world = compile(program.world, roots, nullptr, program.legal);
        program.terminal = program.legal.back();
        program.legal.pop_back();
        auto known = compile(program.choice, net.playable, &world, program.playable);
        if (net.playable.empty()) program.playable = program.legal;
        for (std::size_t g = 0; g < known.size(); ++g) known[g] |= world[g];
        fill_step(cone(net.next, &known));
        compile(program.goals, net.goal_literal, &world, program.goal);
        compile(program.features, net.features, &world, program.feature);
        list_carried();
        plan_choices();
        program.finished = program.rows++;
        program.over = program.rows++;
        program.changed = program.rows++;
    }

    void list_carried() {
        std::vector<std::uint8_t> written(program.rows, 0), read(written);
        const Segment& world = program.world;
        std::fill_n(written.begin() + world.first_row, world.operands.size(), 1);
        for (const Piece& piece : world.pieces)
            for (const auto& feedback : piece.feedback) written[feedback[0]] = 1;
        for (const Segment* segment : {&program.choice, &program.step}) {
            for (const auto& operands : segment->operands) read[operands[0]] = read[operands[1]] = 1;
            for (const Piece& piece : segment->pieces)
                for (const auto row : piece.guards) read[row] = 1;
        }
        for (const Update& update : program.updates) {
            for (const auto& value : update.values) read[value[1]] = 1;
            for (const auto row : update.guards) read[row] = 1;
        }
        for (const auto* rows : {&program.legal, &program.playable})
            for (const auto row : *rows) read[row] = 1;
        for (std::uint32_t row = 0; row < program.rows; ++row)
            if (written[row] && read[row]) program.carried.push_back(row);
    }

    // Roles choose one after the other, in the same rows.
    void plan_choices() {
        const std::uint32_t preferred_row = program.rows;
        if (!net.machine_policy.empty()) program.rows += static_cast<std::uint32_t>(std::ranges::max(net.moves));
        const std::uint32_t first_row = program.rows;
        std::size_t first = 0;
        for (const int count : net.moves) {
            std::vector<std::uint32_t> playable, moves;
            for (std::size_t m = first; m < first + static_cast<std::size_t>(count); ++m) {
                if (program.legal[m] == Program::zeros) continue;
                playable.push_back(program.playable[m]);
                moves.push_back(program.move_row + static_cast<std::uint32_t>(m));
            }
            first += static_cast<std::size_t>(count);
            std::vector<std::uint32_t> preferable;
            if (!net.machine_policy.empty()) {
                preferable = playable;
                std::iota(playable.begin(), playable.end(), preferred_row);
            }
            auto& plan = program.choices.emplace_back(std::move(playable), std::move(moves), count, first_row);
            plan.preferable = std::move(preferable);
            program.rows = std::max(program.rows, plan.end);
        }
    }
};

}  // namespace

Program::Program(const NetworkArrays& network, std::span<const int> clocks) {
    Compiler(network, *this, clocks).compile();
}

}  // namespace ludens::network
