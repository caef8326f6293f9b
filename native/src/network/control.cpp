#include "network/control.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

namespace ludens::network {
namespace {

constexpr int most_phases = 8;  // there is a network for each
constexpr int trial_steps = 4 * most_phases;

// What depends on nothing but itself, and how it goes on from the initial state.
class AutonomousCycles {
public:
    AutonomousCycles(const NetworkArrays& network, std::span<const Word> initial)
        : net_(network), first_gate_(1 + net_.state_bits + net_.legal.size() + net_.feedback.size()),
          foreign_(first_gate_ + net_.gates.size(), 0) {
        exclude();
        run(initial);
    }

    // The period of each proposition of a set that depends on nothing else, and 0 for the others.
    std::vector<int> periods() const {
        std::vector<int> period(static_cast<std::size_t>(net_.state_bits), 0);
        for (int i = 0; i < net_.state_bits; ++i)
            if (!foreign_[1 + i]) period[i] = apparent_period(i);
        exclude_unsteady(period);
        int cycle = 1;
        for (int p : period)
            if (p > 0 && std::lcm(cycle, p) <= most_phases) cycle = std::lcm(cycle, p);
        for (int& p : period)
            if (p > 0 && cycle % p != 0) p = 0;
        exclude_unsteady(period);  // after `cycle` steps the rest is as it was, hence so for ever
        return period;
    }

    bool depends_on_moves(int proposition) const { return foreign_[1 + proposition]; }

    const std::vector<std::uint8_t>& at(int step) const { return history_[step]; }

private:
    // Spreads from moves and feedback to all that depends on them.
    void exclude() {
        std::vector<std::vector<std::uint32_t>> readers(foreign_.size());
        for (std::size_t g = 0; g < net_.gates.size(); ++g)
            for (int literal : net_.gates[g])
                readers[literal / 2].push_back(static_cast<std::uint32_t>(first_gate_ + g));
        for (int i = 0; i < net_.state_bits; ++i)
            readers[net_.next[i] / 2].push_back(static_cast<std::uint32_t>(1 + i));
        std::vector<std::uint32_t> pending;
        const auto mark = [&](std::uint32_t variable) {
            if (!foreign_[variable]) foreign_[variable] = 1, pending.push_back(variable);
        };
        for (auto v = static_cast<std::uint32_t>(1 + net_.state_bits); v < first_gate_; ++v) mark(v);
        while (!pending.empty()) {
            const auto variable = pending.back();
            pending.pop_back();
            for (auto reader : readers[variable]) mark(reader);
        }
    }

    void run(std::span<const Word> initial) {
        std::vector<std::uint8_t> value(foreign_.size(), 0);
        for (int i = 0; i < net_.state_bits; ++i) value[1 + i] = is_set(initial, i);
        const auto of = [&](int literal) { return static_cast<std::uint8_t>(value[literal / 2] ^ (literal & 1)); };
        for (int step = 0; step < trial_steps; ++step) {
            history_.emplace_back(value.begin() + 1, value.begin() + 1 + net_.state_bits);
            for (std::size_t g = 0; g < net_.gates.size(); ++g)
                if (!foreign_[first_gate_ + g]) value[first_gate_ + g] = of(net_.gates[g][0]) & of(net_.gates[g][1]);
            std::vector<std::uint8_t> next;
            for (int i = 0; i < net_.state_bits; ++i) next.push_back(foreign_[1 + i] ? 0 : of(net_.next[i]));
            std::ranges::copy(next, value.begin() + 1);
        }
    }

    int apparent_period(int proposition) const {
        for (int period = 1; period <= most_phases; ++period) {
            int step = period;
            while (step < trial_steps && history_[step][proposition] == history_[step - period][proposition]) ++step;
            if (step == trial_steps) return period;
        }
        return 0;
    }

    void exclude_unsteady(std::vector<int>& period) const {
        std::vector<std::vector<int>> read(period.size());
        for (std::size_t i = 0; i < period.size(); ++i)
            if (period[i] > 0) read[i] = propositions_read(net_.next[i]);
        const auto unsteady = [&](int proposition) { return period[proposition] == 0; };
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t i = 0; i < period.size(); ++i) {
                if (period[i] == 0 || !std::ranges::any_of(read[i], unsteady)) continue;
                period[i] = 0;
                changed = true;
            }
        }
    }

    std::vector<int> propositions_read(int literal) const {
        std::vector<std::size_t> stack{static_cast<std::size_t>(literal) / 2};
        std::unordered_set<std::size_t> seen;
        std::vector<int> read;
        while (!stack.empty()) {
            const auto variable = stack.back();
            stack.pop_back();
            if (variable == 0 || !seen.insert(variable).second) continue;
            if (variable < first_gate_) {
                read.push_back(static_cast<int>(variable) - 1);
            } else {
                for (int l : net_.gates[variable - first_gate_]) stack.push_back(static_cast<std::size_t>(l) / 2);
            }
        }
        return read;
    }

    const NetworkArrays& net_;
    const std::size_t first_gate_;
    std::vector<std::uint8_t> foreign_;               // [variables]
    std::vector<std::vector<std::uint8_t>> history_;  // [trial_steps][state_bits]
};

// The network with some variables constant: x∧1 = x, x∧0 = 0, x∧x = x, x∧¬x = 0.
class Folding {
public:
    explicit Folding(const NetworkArrays& network)
        : net_(network), first_gate_(1 + net_.state_bits + net_.legal.size() + net_.feedback.size()),
          literal_(first_gate_ + net_.gates.size()) {
        for (std::size_t v = 0; v < literal_.size(); ++v) literal_[v] = static_cast<int>(2 * v);
    }

    void set(std::size_t variable, bool value) { literal_[variable] = value; }

    // Moves that cannot be legal are not made: once more, now that legality is known.
    NetworkArrays operator()() {
        fold();
        for (std::size_t m = 0; m < net_.legal.size(); ++m)
            if (of(net_.legal[m]) == 0) set(1 + net_.state_bits + m, false);
        return without_ended_loops(fold());
    }

private:
    int of(int literal) const { return literal_[static_cast<std::size_t>(literal) / 2] ^ (literal & 1); }

    NetworkArrays fold() {
        NetworkArrays out = net_;
        out.gates.clear();
        std::vector<int> made(net_.gates.size() + 1);  // how many gates there are before each
        for (std::size_t g = 0; g < net_.gates.size(); ++g) {
            made[g] = static_cast<int>(out.gates.size());
            int a = of(net_.gates[g][0]), b = of(net_.gates[g][1]);
            if (a > b) std::swap(a, b);
            int& here = literal_[first_gate_ + g];
            if (a == 0 || a == (b ^ 1)) {
                here = 0;
            } else if (a == 1 || a == b) {
                here = b;
            } else {
                here = static_cast<int>(2 * (first_gate_ + out.gates.size()));
                out.gates.push_back({a, b});
            }
        }
        made.back() = static_cast<int>(out.gates.size());
        for (auto* literals : {&out.next, &out.legal, &out.playable, &out.goal_literal, &out.features, &out.feedback})
            for (int& literal : *literals) literal = of(literal);
        out.terminal = of(out.terminal);
        for (auto& loop : out.loops) {
            loop[0] = made[loop[0]];
            loop[1] = made[loop[1]];
        }
        return out;
    }

    // Takes out loops of which folding has left nothing, since none of their gates drives any of their inputs: what drives
    // an input takes its place. Inputs that drive each other are false, as in the least fixpoint.
    NetworkArrays without_ended_loops(NetworkArrays out) const {
        std::unordered_map<std::size_t, int> drivers;  // by variable
        const auto takes_out = [&](const std::array<int, 4>& loop) {
            const auto [first, last, first_input, last_input] = loop;
            for (int f = first_input; f < last_input; ++f) {
                const int gate = out.feedback[f] / 2 - static_cast<int>(first_gate_);
                if (first <= gate && gate < last) return false;
            }
            for (int f = first_input; f < last_input; ++f)
                drivers[first_gate_ - out.feedback.size() + f] = out.feedback[f];
            return true;
        };
        if (std::erase_if(out.loops, takes_out) == 0) return out;
        const auto follow = [&](int& literal) {
            for (std::size_t steps = 0; steps <= drivers.size(); ++steps) {
                const auto found = drivers.find(static_cast<std::size_t>(literal) / 2);
                if (found == drivers.end()) return;
                literal = found->second ^ (literal & 1);
            }
            literal &= 1;
        };
        for (auto& gate : out.gates) std::ranges::for_each(gate, follow);
        for (auto* literals : {&out.next, &out.legal, &out.playable, &out.goal_literal, &out.features, &out.feedback})
            std::ranges::for_each(*literals, follow);
        follow(out.terminal);
        return Folding(out)();
    }

    const NetworkArrays& net_;
    const std::size_t first_gate_;
    std::vector<int> literal_;  // that each variable has become
};

}  // namespace

Control::Control(const NetworkArrays& network, std::span<const Word> initial) : mask_(initial.size(), 0) {
    const AutonomousCycles cycles(network, initial);
    const auto periods = cycles.periods();
    int cycle = 1;
    for (int i = 0; i < network.state_bits; ++i) {
        if (periods[i] == 0) {
            if (!cycles.depends_on_moves(i)) clocks_.push_back(i);
            continue;
        }
        cycle = std::lcm(cycle, periods[i]);
        mask_[i / 64] |= Word{1} << (i % 64);
    }
    for (int step = 0; step < cycle; ++step) {
        values_.emplace_back(mask_.size(), 0);
        for (int i = 0; i < network.state_bits; ++i)
            if (is_set(mask_, i) && cycles.at(step)[i]) set_bit(values_.back().data(), i);
    }
}

int Control::phase(const Word* state) const {
    const auto agrees = [&](const std::vector<Word>& values) {
        for (std::size_t w = 0; w < mask_.size(); ++w)
            if ((state[w] & mask_[w]) != values[w]) return false;
        return true;
    };
    return static_cast<int>(std::ranges::find_if(values_, agrees) - values_.begin());
}

NetworkArrays Control::network_in(const NetworkArrays& network, int phase) const {
    Folding folding(network);
    for (int i = 0; i < network.state_bits; ++i)
        if (is_set(mask_, i)) folding.set(static_cast<std::size_t>(1 + i), is_set(values_[phase], i));
    return folding();
}

}  // namespace ludens::network
