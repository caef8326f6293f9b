#include "network/game.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/batch.hpp"
#include "base/instruction_set.hpp"
#include "network/network_gates.hpp"
#include "network/playout_policy.hpp"

namespace ludens::network {

// network/machine.cpp and network/batch.cpp define one for each instruction set.
using Maker = std::unique_ptr<Machine>(const NetworkGame&, InstructionSet, int lanes, std::uint64_t seed);
using BatchMaker = std::unique_ptr<Batch>(const NetworkGame&, InstructionSet, int lanes, std::uint64_t seed,
                                          std::int64_t count, const BatchLayout& layout);
// clang-format off
#define DECLARE(set) namespace set { Maker make; BatchMaker make_batch; }
LUDENS_COMPILED_SETS(DECLARE)
// clang-format on

namespace {

struct MachineKind {
    InstructionSet set;
    Maker* make;
    BatchMaker* make_batch;
    std::vector<int> lanes;  // that it offers: the best first, the last for no more games than that
    int lanes_for_few_rows;  // which of them are the best for a network with few rows and no loops; 0: as `lanes` says

    const char* name() const { return name_of(set); }
    bool offers(int wanted) const { return wanted == 0 || std::ranges::find(lanes, wanted) != lanes.end(); }
};

// Whether this system lets machine code be made. Throws Error if it does not, but an instruction set with it is forced.
bool code_allowed() {
#if defined(LUDENS_JIT)
    if (ExecutableMemory::allowed()) return true;
#endif
    const std::string& forced = forced_instruction_set();
    if (forced.ends_with("-jit"))
        throw Error("LUDENS_INSTRUCTION_SET is \"" + forced + "\", but this system allows no machine code to be made");
    return false;
}

const std::vector<MachineKind>& available() {
    static const std::vector<MachineKind> kinds = [] {
        std::vector<MachineKind> found;
        const auto add = [&](InstructionSet set, Maker* make, BatchMaker* make_batch, std::vector<int> lanes,
                             int lanes_for_few_rows = 0) {
            if (may_use(set)) found.push_back({set, make, make_batch, std::move(lanes), lanes_for_few_rows});
        };
#if defined(__x86_64__)
        if (code_allowed()) add(InstructionSet::avx512_jit, avx512::make, avx512::make_batch, {512, 128});
        add(InstructionSet::avx512, avx512::make, avx512::make_batch, {512, 256, 128, 64});
        if (code_allowed()) add(InstructionSet::avx2_jit, avx2::make, avx2::make_batch, {256, 512, 128}, 512);
        add(InstructionSet::avx2, avx2::make, avx2::make_batch, {256, 512, 128, 64});
#endif
#if defined(__aarch64__)
        if (code_allowed()) add(InstructionSet::neon_jit, baseline::make, baseline::make_batch, {128});
#endif
        add(InstructionSet::baseline, baseline::make, baseline::make_batch, {128, 512, 256, 64});
        return found;
    }();
    return kinds;
}

// The best kind that is asked for.
const MachineKind& kind_for(const MachineOptions& options) {
    for (const auto& kind : available()) {
        if (options.instruction_set.empty() ? !kind.offers(options.lanes) : options.instruction_set != kind.name())
            continue;
        if (!kind.offers(options.lanes))
            throw Error(std::string(kind.name()) + " does not have " + std::to_string(options.lanes) + " lanes");
        return kind;
    }
    if (options.instruction_set.empty())
        throw Error("lanes must be 64, 128, 256 or 512, not " + std::to_string(options.lanes));
    throw Error("instruction set \"" + options.instruction_set + "\" is not available here");
}

int literal_limit(const NetworkArrays& n, std::size_t gates) {
    return static_cast<int>(2 * (1 + n.state_bits + n.legal.size() + n.feedback.size() + gates));
}

void check_literals(std::span<const int> literals, int limit, const char* what) {
    for (int literal : literals)
        if (literal < 0 || literal >= limit)
            throw Error(std::string("network: a literal of ") + what + " is out of range");
}

// Returns the network, or throws Error: gates may read what comes before them; what legality and the end depend on may
// not depend on moves; loops have gates.
const NetworkArrays& checked(const NetworkArrays& n) {
    for (std::size_t g = 0; g < n.gates.size(); ++g) check_literals(n.gates[g], literal_limit(n, g), "a gate");
    const int limit = literal_limit(n, n.gates.size());
    check_literals(n.next, limit, "next");
    check_literals(n.legal, limit, "legal");
    check_literals(n.playable, limit, "playable");
    check_literals({&n.terminal, 1}, limit, "terminal");
    check_literals(n.goal_literal, limit, "goal");
    check_literals(n.features, limit, "a feature");
    const int gates = static_cast<int>(n.gates.size()), feedback = static_cast<int>(n.feedback.size());
    int gate = 0, input = 0;
    for (auto [first_gate, last_gate, first_input, last_input] : n.loops) {
        if (first_gate < gate || last_gate < first_gate || last_gate > gates || first_input != input ||
            last_input < first_input || last_input > feedback)
            throw Error("network: loops overlap or are out of range");
        if (first_gate == last_gate && first_input < last_input)
            throw Error("network: a loop has no gates");  // where its inputs would be set
        const auto drivers = std::span(n.feedback).subspan(first_input, last_input - first_input);
        check_literals(drivers, literal_limit(n, last_gate), "feedback");
        gate = last_gate;
        input = last_input;
    }
    if (input != feedback) throw Error("network: a feedback input belongs to no loop");
    for (int role : n.goal_role)
        if (role < 0 || role >= static_cast<int>(n.moves.size())) throw Error("network: a goal names an unknown role");
    for (int value : n.goal_value)
        if (value < 0 || value > 100) throw Error("network: a goal is not from 0 to 100");
    if (!n.machine_policy.empty()) make_playout_policy(n.machine_policy, n.moves, 0);
    return n;
}

std::vector<std::vector<GoalValue>> by_value(const NetworkArrays& network) {
    std::vector<std::vector<GoalValue>> roles(network.moves.size());
    for (std::size_t k = 0; k < network.goal_value.size(); ++k) {
        auto& values = roles[static_cast<std::size_t>(network.goal_role[k])];
        auto known = std::ranges::find(values, network.goal_value[k], &GoalValue::value);
        if (known == values.end()) known = values.insert(known, {network.goal_value[k], {}});
        known->goals.push_back(k);
    }
    return roles;
}

// Instructions for one step of all lanes, roughly: gates, and ten a move that may be chosen.
double work(const Program& program) {
    const auto moves =
        program.legal.size() - static_cast<std::size_t>(std::ranges::count(program.legal, Program::zeros));
    return static_cast<double>(program.world.operands.size() + program.choice.operands.size() +
                               program.step.operands.size() + 10 * moves);
}

std::deque<Program> programs_for(const NetworkArrays& network, const Control& control) {
    constexpr double worth_it = 0.9;
    std::deque<Program> programs;
    double sum = 0;
    for (int phase = 0; control.phases() > 1 && phase < control.phases(); ++phase)
        sum += work(programs.emplace_back(control.network_in(network, phase), control.clocks()));
    const Program whole(network, control.clocks());
    if (sum > worth_it * work(whole) * static_cast<double>(programs.size())) programs.clear();
    programs.push_back(whole);
    return programs;
}

// Whether rows of two registers are faster: code is then fetched once for both, as long as rows stay near. 1,408 rows of
// 64 bytes are 88 kB; measured, see docs/experiments/simulator.md. The code of a loop is fetched once for many passes
// anyway.
bool has_few_rows(const NetworkArrays& network, const std::deque<Program>& programs) {
    constexpr std::uint32_t most_rows = 1408;
    const auto own = std::max<std::ptrdiff_t>(std::ssize(programs) - 1, 1);  // of phases, or the only one
    const auto has_few = [](const Program& program) { return rows_in_memory(program) <= most_rows; };
    return network.loops.empty() && std::all_of(programs.begin(), programs.begin() + own, has_few);
}

}  // namespace

std::span<const char* const> instruction_sets() {
    static const std::vector<const char*> names = [] {
        std::vector<const char*> list;
        for (const auto& kind : available()) list.push_back(kind.name());
        return list;
    }();
    return names;
}

NetworkGame::NetworkGame(NetworkArrays network, std::vector<Word> initial)
    : network_(std::move(network)), initial_(std::move(initial)), control_(checked(network_), initial_),
      goal_values_(by_value(network_)), programs_(programs_for(network_, control_)),
      has_few_rows_(has_few_rows(network_, programs_)) {}

// Most gates are guarded by clocks.
bool NetworkGame::lockstep() const {
    std::size_t guarded = 0, all = 0;
    for (const Segment* segment : programs_.back().segments()) {
        all += segment->operands.size();
        for (const Piece& piece : segment->pieces)
            for (auto run = piece.first_run; !piece.guards.empty() && run < piece.last_run; ++run)
                guarded += segment->runs[run].count;
    }
    return 2 * guarded > all;
}

// Where each goal v of one role is the same literal as 100 - v of the other, as many goals of either hold in any state:
// one each, which sum to 100, or none or several, when both count as 50.
bool NetworkGame::constant_sum() const {
    if (roles() != 2) return false;
    std::array<std::vector<std::array<int, 2>>, 2> goals;  // first role's value, literal
    for (std::size_t i = 0; i < network_.goal_literal.size(); ++i) {
        if (network_.goal_literal[i] == 0) continue;  // never holds
        const int role = network_.goal_role[i], value = network_.goal_value[i];
        goals[static_cast<std::size_t>(role)].push_back({role == 0 ? value : 100 - value, network_.goal_literal[i]});
    }
    for (auto& of_role : goals) std::ranges::sort(of_role);
    return goals[0] == goals[1];
}

#if defined(LUDENS_JIT)
const NetworkCode& NetworkGame::code(InstructionSet set, RowBytes bytes, std::size_t program) const {
    const std::lock_guard lock(code_mutex_);
    auto& codes = codes_[{set, bytes}];
    while (codes.size() < programs_.size()) codes.emplace_back(programs_[codes.size()], set, bytes);
    return codes[program];
}
#endif

std::unique_ptr<Machine> NetworkGame::machine(const MachineOptions& options) const {
    const MachineKind& kind = kind_for(options);
    const int best = kind.lanes_for_few_rows && has_few_rows_ ? kind.lanes_for_few_rows : kind.lanes.front();
    return kind.make(*this, kind.set, options.lanes ? options.lanes : best, options.seed);
}

std::unique_ptr<Batch> NetworkGame::batch(std::int64_t count, const MachineOptions& options,
                                          const BatchLayout& layout) const {
    if (!network_.machine_policy.empty())
        throw Error("games stepped side by side have no policy that learns: make them of a network without one");
    const MachineKind& kind = kind_for(options);
    // Never those for few rows: steps in slices are up to 8 % slower with them, those in bytes 6 to 14 % faster.
    const int best = count <= kind.lanes.back() ? kind.lanes.back() : kind.lanes.front();
    return kind.make_batch(*this, kind.set, options.lanes ? options.lanes : best, options.seed, count, layout);
}

}  // namespace ludens::network
