#include "network/guards.hpp"

#include <algorithm>
#include <map>

namespace ludens::network {
namespace {

constexpr std::size_t least_gates = 32, least_propositions = 16;  // that are worth a group

class Finder {
public:
    Finder(const NetworkArrays& network, const std::vector<std::uint8_t>& among, std::span<const int> clocks)
        : net_(network), among_(among),
          first_gate_(static_cast<int>(1 + net_.state_bits + net_.legal.size() + net_.feedback.size())),
          readers_(static_cast<std::size_t>(first_gate_) + net_.gates.size(), 0), unseen_(readers_.size(), 0),
          clock_(readers_.size(), 0) {
        for (int clock : clocks) clock_[1 + clock] = 1;
        for (const auto& gate : net_.gates)
            for (int literal : gate) ++readers_[literal / 2];
        for (const auto* roots :
             {&net_.next, &net_.legal, &net_.playable, &net_.goal_literal, &net_.features, &net_.feedback})
            for (int literal : *roots) ++readers_[literal / 2];
        ++readers_[net_.terminal / 2];
        found_.of_gate.assign(net_.gates.size(), Guards::none);
        found_.of_proposition.assign(static_cast<std::size_t>(net_.state_bits), Guards::none);
    }

    Guards operator()() {
        find_cones();
        found_.cones = static_cast<int>(found_.groups.size());
        find_frames();
        return std::move(found_);
    }

private:
    using Gate = std::array<int, 2>;

    // The gate whose value, not complement, the literal is; null if it is none.
    const Gate* gate(int literal) const {
        return literal / 2 >= first_gate_ && !(literal & 1) ? &net_.gates[literal / 2 - first_gate_] : nullptr;
    }

    bool is_clock(int literal) const { return clock_[literal / 2] && !(literal & 1); }

    void find_cones() {
        std::map<int, std::vector<int>> hidden;  // by clock, the variables that are ANDed with it
        for (std::size_t g = 0; g < net_.gates.size(); ++g) {
            auto [a, b] = net_.gates[g];
            if (is_clock(b)) std::swap(a, b);
            if (among_[g] && is_clock(a)) hidden[a].push_back(b / 2);
        }
        for (const auto& [clock, variables] : hidden) {
            const auto gates = unseen_without(variables);
            if (gates.size() < least_gates) continue;
            group(gates, {clock});
        }
    }

    void find_frames() {
        std::map<std::vector<int>, std::vector<int>> kept;  // by guards, the propositions
        for (int i = 0; i < net_.state_bits; ++i)
            if (auto guards = frame_guards(i); !guards.empty()) kept[std::move(guards)].push_back(i);
        for (const auto& [guards, propositions] : kept) {
            if (propositions.size() < least_propositions) continue;
            for (int guard : guards) ++readers_[guard / 2];
            std::vector<int> variables;
            for (int i : propositions) {
                variables.push_back(net_.next[i] / 2);
                found_.of_proposition[i] = static_cast<int>(found_.groups.size());
            }
            group(unseen_without(variables), guards);
        }
    }

    // Literals such that a proposition keeps its value while all of them are false; none if the rules do not say so
    // in the form a ∨ (p ∧ ¬r), or p ∧ ¬r, or a ∨ p.
    std::vector<int> frame_guards(int proposition) const {
        const int p = 2 * (1 + proposition), next = net_.next[proposition];
        if (const Gate* both = gate(next)) return kept_by(*both, p);
        const Gate* neither = gate(next ^ 1);
        if (!neither) return {};
        for (int side : {0, 1}) {
            const int hold = (*neither)[side] ^ 1, set = (*neither)[1 - side] ^ 1;
            std::vector<int> guards;
            if (hold != p) {
                const Gate* both = gate(hold);
                if (both) guards = kept_by(*both, p);
                if (guards.empty()) continue;
            }
            guards.push_back(enabled_by(set));
            std::ranges::sort(guards);
            return guards;
        }
        return {};
    }

    static std::vector<int> kept_by(const Gate& both, int p) {
        if (both[0] == p) return {both[1] ^ 1};
        if (both[1] == p) return {both[0] ^ 1};
        return {};
    }

    // A clock without which a literal is false, if there is one: it serves more propositions.
    int enabled_by(int literal) const {
        if (const Gate* both = gate(literal))
            for (int input : *both)
                if (is_clock(input)) return input;
        return literal;
    }

    // The gates that nothing sees once these variables are each read once less.
    std::vector<int> unseen_without(const std::vector<int>& variables) {
        std::vector<int> pending = variables, touched, gates;
        while (!pending.empty()) {
            const int variable = pending.back();
            pending.pop_back();
            touched.push_back(variable);
            if (++unseen_[variable] < readers_[variable] || variable < first_gate_) continue;
            const int number = variable - first_gate_;
            if (!among_[number] || found_.of_gate[number] != Guards::none) continue;
            gates.push_back(number);
            for (int literal : net_.gates[number]) pending.push_back(literal / 2);
        }
        for (int variable : touched) unseen_[variable] = 0;
        return gates;
    }

    void group(const std::vector<int>& gates, const std::vector<int>& guards) {
        for (int number : gates) found_.of_gate[number] = static_cast<int>(found_.groups.size());
        found_.groups.push_back(guards);
    }

    const NetworkArrays& net_;
    const std::vector<std::uint8_t>& among_;
    const int first_gate_;
    std::vector<int> readers_, unseen_;  // of each variable: how many read it, and how many of these are at rest
    std::vector<std::uint8_t> clock_;    // [variables]
    Guards found_;
};

}  // namespace

Guards find_guards(const NetworkArrays& network, const std::vector<std::uint8_t>& among, std::span<const int> clocks) {
    return Finder(network, among, clocks)();
}

}  // namespace ludens::network
