// The bit-sliced machine of a propositional network, compiled for each instruction set (see base/target.hpp), so that
// one build holds all of them and the best is chosen at run time.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <string>

#include "base/target.hpp"
#include "network/game.hpp"
#include "network/playout_policy.hpp"

LUDENS_TARGET_ON

namespace ludens::network {
namespace LUDENS_ISA {

#include "network/lane_vectors.hpp"

#include "network/choice.hpp"

#include "network/evaluator.hpp"

#include "base/stopwatch.hpp"

template <class V, class Gates = InterpretedGates<V>> class alignas(sizeof(V)) NetworkMachine final : public Machine {
public:
    NetworkMachine(const NetworkGame& game, InstructionSet set, std::uint64_t seed)
        : game_(game), instruction_set_(set), random_(seed), finished_(all_ones<V>()) {
        std::uint32_t rows = 0;
        for (std::size_t i = 0; i < game.programs().size(); ++i) {
            parts_.emplace_back(game, i);
            rows = std::max(rows, Gates::rows(game, i));
        }
        rows_ = Rows<V>(rows);
        rows_[Program::ones] = all_ones<V>();
        part_ = moved_ = &parts_.back();
        in_phase_ = Rows<V>(phases());
        std::uint32_t first_move = part_->program.move_row;
        for (int count : game.moves()) {
            first_moves_.push_back(first_move);
            first_move += static_cast<std::uint32_t>(count);
        }
        written_.resize(static_cast<std::size_t>(game.move_count()));
        for (const auto& choice : part_->program.choices)
            for (auto row : choice.move) written_[row - part_->program.move_row] = true;
        const std::string& policy = game.network().machine_policy;
        if (!policy.empty()) policy_ = make_playout_policy(policy, game.moves(), seed);
        note_moves(false);
    }

    const Game& game() const override { return game_; }
    int lanes() const override { return word_count<V> * 64; }
    const char* instruction_set() const override { return name_of(instruction_set_); }
    std::span<const Word> finished() const override {
        return {reinterpret_cast<const Word*>(&finished_), word_count<V>};
    }
    double evaluation_seconds() const override { return evaluation_seconds_; }
    double choice_seconds() const override { return choice_seconds_; }

    void advance() override {
        ++round_;
        choose();
        const Stopwatch watch(evaluation_seconds_, round_);
        part_->step(rows_.begin(), ~finished_);
        update();
        turn();
        forced_.clear();
        forced_lanes_ = V{};
    }

    void load(std::span<const Start> starts) override {
        V mask{};
        for (const Start& start : starts) word(&mask, start.lane / 64) |= Word{1} << (start.lane % 64);
        release(mask);
        for (const Start& start : starts)
            if (start.moves) force(start);
        for (int block = 0; block < game_.state_words(); ++block) {
            V m[64] = {};
            for (const Start& start : starts) word(&m[start.lane % 64], start.lane / 64) = start.state[block];
            transpose64(m);
            const int bits = std::min(64, game_.state_bits() - block * 64);
            V* row = rows_.begin() + part_->program.state_row + block * 64;
            for (int i = 0; i < bits; ++i) row[i] = select<V>(mask, m[i], row[i]);
        }
        finished_ &= ~mask;
        for (std::size_t p = 0; p < phases(); ++p) in_phase_[p] &= ~mask;
        for (const Start& start : starts) {
            const auto phase = static_cast<std::size_t>(game_.control().phase(start.state));
            if (phase < phases()) word(&in_phase_[phase], start.lane / 64) |= Word{1} << (start.lane % 64);
        }
    }

    void restart(std::span<const Word> lanes, const Word* state) override {
        const V mask = vector_of(lanes);
        release(mask);
        V* row = rows_.begin() + part_->program.state_row;
        for (int i = 0; i < game_.state_bits(); ++i) {
            const V bit = V{} - (state[i / 64] >> (i % 64) & 1);
            row[i] = select<V>(mask, bit, row[i]);
        }
        finished_ &= ~mask;
        const auto phase = static_cast<std::size_t>(game_.control().phase(state));
        for (std::size_t p = 0; p < phases(); ++p)
            in_phase_[p] = p == phase ? in_phase_[p] | mask : in_phase_[p] & ~mask;
    }

    void evaluate() override {
        const Stopwatch watch(evaluation_seconds_, round_);
        part_ = &part_of_active();
        part_->world(rows_.begin());
        part_->states.over(rows_.begin());
        finished_ |= rows_[part_->program.over];
    }

    void read_states(std::span<const int> lanes, Word* out) override {
        const std::uint32_t first = part_->program.state_row;
        read(lanes, game_.state_bits(), [=](int i) { return first + static_cast<std::uint32_t>(i); }, out);
    }

    void read_features(std::span<const int> lanes, Word* out) override {
        expose(lanes);
        {
            const Stopwatch watch(evaluation_seconds_, round_);
            part_->features(rows_.begin());
        }
        const auto state = static_cast<std::uint32_t>(game_.state_bits());
        const auto row = [this, state](int i) {
            const auto n = static_cast<std::uint32_t>(i);
            return n < state ? part_->program.state_row + n : part_->program.feature[n - state];
        };
        read(lanes, game_.feature_bits(), row, out);
    }

    void read_legal(std::span<const int> lanes, Word* out) override {
        expose(lanes);
        read(lanes, game_.move_count(), [this](int i) { return part_->program.legal[i]; }, out);
    }

    void read_terminal(std::span<const int> lanes, std::uint8_t* out) override {
        expose(lanes);
        for (int lane : lanes) *out++ = bit(part_->program.terminal, lane);
    }

    void read_goals(std::span<const int> lanes, int* out) override {
        expose(lanes);
        evaluate_goals();
        const auto& network = game_.network();
        const int roles = game_.roles();
        const int count = static_cast<int>(part_->program.goal.size()), words = words_for(count);
        goal_bits_.resize(lanes.size() * static_cast<std::size_t>(words));
        read(lanes, count, [this](int k) { return part_->program.goal[k]; }, goal_bits_.data());
        const Word* bits = goal_bits_.data();
        for (std::size_t n = 0; n < lanes.size(); ++n, bits += words, out += roles) {
            std::fill(out, out + roles, no_goal);
            for (int w = 0; w < words; ++w)
                for (Word rest = bits[w]; rest; rest &= rest - 1) {
                    const auto k = static_cast<std::size_t>(w * 64 + std::countr_zero(rest));
                    int& goal = out[network.goal_role[k]];
                    goal = goal == no_goal || goal == network.goal_value[k] ? network.goal_value[k] : several_goals;
                }
            for (int r = 0; r < roles; ++r) out[r] = std::max(out[r], -1);
        }
    }

    // Goals are counted value by value, where only one of them holds.
    void add_endings(std::span<const Word> lanes, Endings& endings) override {
        const V ended = vector_of(lanes);
        expose(ended);
        evaluate_goals();
        const int games = count(ended);
        endings.games += games;
        endings.stuck += count(ended & ~rows_[part_->program.terminal]);
        for (std::size_t r = 0; r < game_.goal_values().size(); ++r) {
            const auto& values = game_.goal_values()[r];
            V one{}, several{};
            for (const GoalValue& goal : values) {
                const V holds = value_holds(goal);
                several |= one & holds;
                one |= holds;
            }
            for (const GoalValue& goal : values)
                endings.add(r, goal.value, count(ended & ~several & value_holds(goal)));
            endings.add(r, -1, count(ended & (several | ~one)));
        }
    }

    void read_moves(std::span<const int> lanes, int* out) override {
        for (int lane : lanes) {
            for (std::size_t r = 0; r < first_moves_.size(); ++r) {
                const auto& rows = moved_->program.choices[r].move;
                const auto made = std::ranges::find_if(rows, [&](auto row) { return bit(row, lane); });
                *out++ = made == rows.end() ? -1 : static_cast<int>(*made - first_moves_[r]);
            }
        }
    }

    void note_moves(bool wanted) override {
        notes_ = wanted || policy_;
        if (notes_) noted_ = Rows<V>(static_cast<std::size_t>(game_.move_count()));
    }

    // Lanes are counted goal by goal, a move at a time.
    void learn(std::span<const int> lanes, const int* goals) override {
        if (!policy_) return;
        const auto roles = static_cast<std::size_t>(game_.roles());
        for (std::size_t role = 0; role < roles; ++role) {
            const std::size_t first = first_moves_[role] - part_->program.move_row;
            const std::size_t last = first + static_cast<std::size_t>(game_.moves()[role]);
            std::map<int, std::vector<int>> lanes_with;
            for (std::size_t i = 0; i < lanes.size(); ++i) lanes_with[goals[i * roles + role]].push_back(lanes[i]);
            for (const auto& [goal, equals] : lanes_with) {
                const V ended = set_of(equals);
                for (std::size_t move = first; move < last; ++move)
                    if (const int games = count(noted_[move] & ended))
                        policy_->add(move, games, std::int64_t{goal} * games);
            }
        }
        policy_->played(static_cast<int>(lanes.size()));
    }

    void read_noted(std::span<const int> lanes, Word* out) override {
        read(lanes, game_.move_count(), [](int i) { return static_cast<std::size_t>(i); }, out, noted_);
    }

private:
    static constexpr int no_goal = -1, several_goals = -2;

    struct Forced {
        std::uint32_t row;
        int lane;
    };

    V value_holds(const GoalValue& goal) {
        V holds{};
        for (auto k : goal.goals) holds |= rows_[part_->program.goal[k]];
        return holds;
    }

    void force(const Start& start) {
        word(&forced_lanes_, start.lane / 64) |= Word{1} << (start.lane % 64);
        for (std::size_t r = 0; r < first_moves_.size(); ++r) {
            if (start.moves[r] < 0) continue;
            const std::uint32_t row = first_moves_[r] + static_cast<std::uint32_t>(start.moves[r]);
            forced_.push_back({row, start.lane});
            std::uint8_t& written = written_[row - part_->program.move_row];
            if (!written) never_chosen_.push_back(row);
            written = true;
        }
    }

    // Forgets the moves that the lanes were to make, and what was noted of them.
    void release(V lanes) {
        for (int move = 0; notes_ && move < game_.move_count(); ++move) noted_[move] &= ~lanes;
        std::erase_if(forced_, [&](const Forced& f) { return word(&lanes, f.lane / 64) >> (f.lane % 64) & 1; });
        forced_lanes_ &= ~lanes;
    }

    void choose() {
        {
            const Stopwatch watch(evaluation_seconds_, round_);
            part_->choice(rows_.begin());
        }
        const Stopwatch watch(choice_seconds_, round_);
        const V free = ~finished_ & ~forced_lanes_;
        moved_ = part_;
        std::span<const std::uint8_t> preferred;
        if (policy_) preferred = policy_->preferred();
        for (std::size_t role = 0; role < part_->choices.size(); ++role) {
            if (policy_) prefer(part_->program.choices[role], preferred);
            part_->choices[role](rows_.begin(), free, random_);
        }
        for (const std::uint32_t row : never_chosen_) rows_[row] = V{};
        for (auto [row, lane] : forced_) word(&rows_[row], lane / 64) |= Word{1} << (lane % 64);
        if (notes_) note();
    }

    // Leaves a role the preferred moves alone, in the lanes in which it has any.
    void prefer(const ChoicePlan& plan, std::span<const std::uint8_t> preferred) {
        const auto is_good = [&](std::size_t i) {
            return V{} - Word{preferred[plan.move[i] - part_->program.move_row] != 0};
        };
        V some{};
        for (std::size_t i = 0; i < plan.preferable.size(); ++i) some |= rows_[plan.preferable[i]] & is_good(i);
        for (std::size_t i = 0; i < plan.preferable.size(); ++i)
            rows_[plan.playable[i]] = rows_[plan.preferable[i]] & (is_good(i) | ~some);
    }

    // A disjunction for each move, in all lanes at once.
    void note() {
        const std::uint32_t first = part_->program.move_row;
        for (const auto& choice : part_->program.choices)
            for (auto row : choice.move) noted_[row - first] |= rows_[row];
    }

    // Guards are propositions, too: all are looked at before any of them changes.
    void update() {
        wanted_.clear();
        for (const Update& update : part_->program.updates)
            wanted_.push_back(wanted(update.guards, rows_.begin(), ~finished_));
        rows_[part_->program.finished] = finished_;
        for (std::size_t i = 0; i < wanted_.size(); ++i)
            if (wanted_[i]) part_->states.update(rows_.begin(), i);
    }

    std::size_t phases() const { return parts_.size() - 1; }

    // Lanes that have moved come into their next phase.
    void turn() {
        V last = phases() > 0 ? in_phase_[phases() - 1] : V{};
        for (std::size_t p = 0; p < phases(); ++p) {
            const V here = in_phase_[p];
            in_phase_[p] = select<V>(finished_, here, last);
            last = here;
        }
    }

    // Where all games that go on are in one phase, its part does.
    Part<V, Gates>& part_of_active() {
        V rest = ~finished_;
        std::size_t found = phases();
        for (std::size_t p = 0; p < phases(); ++p) {
            if (!any(rest & in_phase_[p])) continue;
            if (found != phases()) return parts_.back();
            rest &= ~in_phase_[p];
            found = p;
        }
        return any(rest) ? parts_.back() : parts_[found];
    }

    // Makes sure that what holds in these lanes has been worked out: those finished earlier may be in another phase.
    void expose(V lanes) {
        if (part_->number == phases() || !any(lanes & ~in_phase_[part_->number])) return;
        const Stopwatch watch(evaluation_seconds_, round_);
        part_ = &parts_.back();
        part_->world(rows_.begin());
    }

    void expose(std::span<const int> lanes) { expose(set_of(lanes)); }

    void evaluate_goals() {
        const Stopwatch watch(evaluation_seconds_, round_);
        part_->goals(rows_.begin());
    }

    static V set_of(std::span<const int> lanes) {
        V set{};
        for (int lane : lanes) word(&set, lane / 64) |= Word{1} << (lane % 64);
        return set;
    }

    static V vector_of(std::span<const Word> lanes) {
        V v;
        for (int i = 0; i < word_count<V>; ++i) word(&v, i) = lanes[i];
        return v;
    }

    static int count(V lanes) {
        int sum = 0;
        for (int i = 0; i < word_count<V>; ++i) sum += std::popcount(word(&lanes, i));
        return sum;
    }

    bool bit(std::uint32_t row, int lane) { return word(&rows_[row], lane / 64) >> (lane % 64) & 1; }

    // Transposes `count` rows into one bit string a lane.
    template <class RowOf> void read(std::span<const int> lanes, int count, RowOf row_of, Word* out) {
        read(lanes, count, row_of, out, rows_);
    }

    template <class RowOf> void read(std::span<const int> lanes, int count, RowOf row_of, Word* out, Rows<V>& rows) {
        const int words = words_for(count);
        for (int block = 0; block < words; ++block) {
            V m[64] = {};
            const int bits = std::min(64, count - block * 64);
            for (int i = 0; i < bits; ++i) m[i] = rows[row_of(block * 64 + i)];
            transpose64(m);
            for (std::size_t n = 0; n < lanes.size(); ++n)
                out[n * static_cast<std::size_t>(words) + block] = word(&m[lanes[n] % 64], lanes[n] / 64);
        }
    }

    const NetworkGame& game_;
    const InstructionSet instruction_set_;
    Rows<V> rows_;
    std::deque<Part<V, Gates>> parts_;                  // one for each phase, if any; the last one does for all lanes
    Part<V, Gates>*part_ = nullptr, *moved_ = nullptr;  // of the last evaluate() and of the last advance()
    Rows<V> in_phase_;                                  // of each phase, the lanes
    Rows<V> noted_;                                     // of each move, the lanes that have made it
    bool notes_ = false;
    std::unique_ptr<PlayoutPolicy> policy_;   // null: random games prefer nothing
    std::vector<std::uint32_t> first_moves_;  // row of each role's first move
    RandomLanes<V> random_;
    V forced_lanes_{}, finished_;
    std::vector<Forced> forced_;
    std::vector<std::uint32_t> never_chosen_;  // rows of moves that are never legal, but somebody was made to make
    std::vector<std::uint8_t> written_;        // moves whose rows are written in every step
    std::vector<Word> goal_bits_;
    std::vector<std::uint8_t> wanted_;  // which updates
    unsigned round_ = 0;
    double evaluation_seconds_ = 0, choice_seconds_ = 0;
};

std::unique_ptr<Machine> make(const NetworkGame& game, InstructionSet set, int lanes, std::uint64_t seed) {
#if defined(LUDENS_CODE)
    if (set == code_set) {
        return with_code_lanes(lanes, [&]<class V>() -> std::unique_ptr<Machine> {
            return std::make_unique<NetworkMachine<V, CompiledGates<V>>>(game, set, seed);
        });
    }
#endif
    switch (lanes) {
        case 64: return std::make_unique<NetworkMachine<Lanes<1>>>(game, set, seed);
        case 128: return std::make_unique<NetworkMachine<Lanes<2>>>(game, set, seed);
        case 256: return std::make_unique<NetworkMachine<Lanes<4>>>(game, set, seed);
        case 512: return std::make_unique<NetworkMachine<Lanes<8>>>(game, set, seed);
        default: throw Error("lanes must be 64, 128, 256 or 512, not " + std::to_string(lanes));
    }
}

}  // namespace LUDENS_ISA
}  // namespace ludens::network

LUDENS_TARGET_OFF
