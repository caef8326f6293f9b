// Games of a network side by side, compiled for each instruction set (see base/target.hpp).
//
// Games are in blocks, one in each lane. All blocks are stepped in the same rows, which so stay in the nearest cache; what
// a block needs from one step to the next, its state, what is legal, and little else, lies in slices of its own: one bit
// for each game of the block. With slices as the format these are what the caller sees.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>

#include "base/batch.hpp"
#include "base/random.hpp"
#include "base/target.hpp"
#include "network/choice_code.hpp"
#include "network/game.hpp"
#include "network/turn_plan.hpp"

LUDENS_TARGET_ON

namespace ludens::network {
namespace LUDENS_ISA {

#include "network/lane_vectors.hpp"

#include "network/choice.hpp"

#include "network/evaluator.hpp"
#include "network/turn_steps.hpp"
#include "network/write_rows.hpp"

#include "network/block_writer.hpp"

// Turns by gates one after the other.
template <class V> class InterpretedTurns {
public:
    explicit InterpretedTurns(const TurnPlan& plan) : plan_(plan), turns_(plan) {
        if (plan.merged()) steps_.emplace_back(*plan.choice);
    }

    std::uint32_t rows() const { return plan_.end; }
    void settle(V* rows) {
        Memory memory{rows};
        turns_.settle(memory);
    }
    void count(V* rows) {
        Memory memory{rows};
        turns_.merge(memory);
        steps_[0].count(memory);
    }
    void choose(V* rows) {
        Memory memory{rows};
        steps_[0].choose(memory);
        turns_.spread(memory);
    }

private:
    using Memory = RowMemory<V>;

    const TurnPlan& plan_;
    TurnSteps<V, Rows<V>> turns_;
    std::deque<ChoiceSteps<V, Rows<V>>> steps_;  // of the merged choice, if there is one
};

template <class V, class Gates> struct TurnsOf {
    using type = InterpretedTurns<V>;
};
#if defined(LUDENS_CODE)
// Turns by machine code.
template <class V> class CompiledTurns {
public:
    explicit CompiledTurns(const TurnPlan& plan) : code_(plan, code_set, row_bytes<V>) {}

    std::uint32_t rows() const { return code_.rows(); }
    void settle(V* rows) const { call(code_.settle(), rows); }
    void count(V* rows) const { call(code_.count(), rows); }
    void choose(V* rows) const { call(code_.choose(), rows); }

private:
    static void call(RowFunction function, V* rows) { CompiledGates<V>::call({&function, 1}, rows); }

    const TurnCode code_;
};

template <class V> struct TurnsOf<V, CompiledGates<V>> {
    using type = CompiledTurns<V>;
};
#endif

template <class V, class Gates = InterpretedGates<V>> class NetworkBatch final : public Batch {
public:
    NetworkBatch(const NetworkGame& game, std::uint64_t seed, std::int64_t count, const BatchLayout& layout)
        : game_(game), layout_(layout), part_(game, game.programs().size() - 1), program_(part_.program),
          plan_(program_, layout_.waiting, layout_.by_turns, Gates::rows(game, part_.number)), turns_(plan_),
          state_(static_cast<std::size_t>(game.state_bits())), moves_(static_cast<std::size_t>(game.move_count())),
          roles_(static_cast<std::size_t>(game.roles())), writer_(game, layout_, count) {
        rows_ = Rows<V>(turns_.rows());
        rows_[Program::ones] = all_ones<V>();
        if (plan_.merged()) merged_.emplace_back(*plan_.choice, Merged{turns_});
        list_carried_rows();
        std::uint32_t move = program_.move_row;
        for (const int moves : game.moves()) {
            first_moves_.push_back(move);
            move += static_cast<std::uint32_t>(moves);
        }
        asked_ = Rows<V>(static_cast<std::size_t>(layout_.actions) * (layout_.joint ? roles_ : 1));
        for (std::int64_t first = 0; first < count; first += lanes) {
            const auto used = static_cast<int>(std::min<std::int64_t>(lanes, count - first));
            const std::uint64_t own = mix(seed + golden_ratio * static_cast<std::uint64_t>(blocks_.size() + 1));
            blocks_.push_back(Block{first, used, blocks_.size(), lanes_below(used), V{}, RandomLanes<V>(own)});
        }
        own_slices_ = Rows<V>(blocks_.size() * slices());
        kept_ = Rows<V>(blocks_.size() * kept_rows());
        slices_ = own_slices_.begin();
        begin_all();
        note_initial();
    }

    Shape shape() const override { return {lanes, static_cast<int>(slices())}; }

    void write_to(const BatchArrays& arrays) override {
        if (reinterpret_cast<std::uintptr_t>(arrays.slices) % alignof(V))
            throw Error("slices must begin at a multiple of " + std::to_string(alignof(V)) + " bytes");
        writer_.write_to(arrays);
        V* const slices_now = arrays.slices ? reinterpret_cast<V*>(arrays.slices) : own_slices_.begin();
        if (slices_now != slices_)
            std::memcpy(static_cast<void*>(slices_now), slices_, blocks_.size() * slices() * sizeof(V));
        slices_ = slices_now;
    }

    void reset(const std::uint8_t* rows) override {
        for (Block& block : blocks_) {
            V anew = block.used_lanes;
            for (int lane = 0; rows && lane < block.used; ++lane)
                if (!rows[block.first + lane]) word(&anew, lane / 64) &= ~(Word{1} << (lane % 64));
            restore(block);
            blend_initial(anew);
            look(block);
            keep(block, done_of(block) & ~anew);
            writer_.write(view(block));
            writer_.clear_rewards(view(block), anew);
        }
    }

    void load(const Word* states) override {
        const auto words = static_cast<std::size_t>(game_.state_words());
        for (Block& block : blocks_) {
            for (std::size_t w = 0; w < words; ++w) {
                V m[64] = {};
                for (int lane = 0; lane < block.used; ++lane)
                    word(&m[lane % 64], lane / 64) = states[static_cast<std::size_t>(block.first + lane) * words + w];
                transpose64(m);
                std::copy_n(m, std::min<std::size_t>(64, state_ - w * 64), state_rows() + w * 64);
            }
            look(block);
            keep(block, rows_[plan_.over]);
            writer_.write(view(block));
            writer_.clear_rewards(view(block));
        }
    }

    std::vector<std::int64_t> step(const void* actions, int bytes) override {
        std::vector<std::int64_t> wrong;
        // All actions are looked at before a game is stepped; rows then hold the moves of the last block.
        if (actions) {
            for (Block& block : blocks_) {
                const V bad = propose(block, actions, bytes);
                if (any(bad)) append_rows(block, bad, wrong);
            }
            if (!wrong.empty()) return wrong;
        }
        for (Block& block : blocks_) {
            if (!actions) propose_random(block);
            else if (blocks_.size() > 1) propose(block, actions, bytes);
            play(block);
        }
        return wrong;
    }

private:
    static constexpr int lanes = word_count<V> * 64, forced_action = -1, waiting_action = -2;

    using TurnsType = typename TurnsOf<V, Gates>::type;

    // The steps of the merged choice.
    struct Merged {
        TurnsType& turns;
        void count(V* rows) { turns.count(rows); }
        void choose(V* rows) { turns.choose(rows); }
    };

    struct alignas(sizeof(V)) Block {
        std::int64_t first;  // row of its first lane
        int used;            // lanes
        std::size_t number;
        V used_lanes, waiting;  // lanes; those that wait in this step
        RandomLanes<V> random;
    };

    // ---- What a block keeps ----

    std::size_t slices() const { return state_ + moves_ + roles_ + 1; }
    std::size_t kept_rows() const { return roles_ + 2 + hidden_.size(); }  // forced, over, several, hidden rows
    V* slices_of(const Block& block) { return slices_ + block.number * slices(); }
    V* kept_of(const Block& block) { return kept_.begin() + block.number * kept_rows(); }
    V* state_rows() { return rows_.begin() + program_.state_row; }
    V* open_of(const Block& block) { return slices_of(block) + state_; }
    V* own_of(const Block& block) { return open_of(block) + moves_; }
    V& done_of(const Block& block) { return own_of(block)[roles_]; }
    V* forced_of(const Block& block) { return kept_of(block); }
    V& over_of(const Block& block) { return kept_of(block)[roles_]; }
    V& several_of(const Block& block) { return kept_of(block)[roles_ + 1]; }

    // Lists the rows that are carried from the world to the step: those of legal moves, which slices have, and others.
    void list_carried_rows() {
        std::vector<std::uint8_t> unlisted(program_.rows, 0);  // of each row, whether it is carried and in no list yet
        for (const auto row : program_.carried) unlisted[row] = 1;
        for (std::uint32_t move = 0; move < moves_; ++move) {
            const std::uint32_t row = program_.legal[move];
            if (!unlisted[row]) continue;
            legal_.push_back({row, move});
            unlisted[row] = 0;
        }
        for (const auto row : program_.carried)
            if (unlisted[row]) hidden_.push_back(row);
    }

    void restore(const Block& block) {
        std::copy_n(slices_of(block), state_, state_rows());
        const V *open = open_of(block), *hidden = kept_of(block) + roles_ + 2;
        for (const auto& [row, move] : legal_) rows_[row] = open[move];
        for (std::size_t i = 0; i < hidden_.size(); ++i) rows_[hidden_[i]] = hidden[i];
        std::copy_n(own_of(block), roles_, &rows_[plan_.own]);
        rows_[plan_.used] = block.used_lanes;
    }

    // Works out what holds in the states.
    void look(const Block& block) {
        rows_[plan_.used] = block.used_lanes;
        part_.world(rows_.begin());
        turns_.settle(rows_.begin());
    }

    void keep(const Block& block, V done) {
        std::copy_n(state_rows(), state_, slices_of(block));
        std::copy_n(&rows_[plan_.open], moves_ + roles_, open_of(block));
        done_of(block) = done;
        std::copy_n(&rows_[plan_.forced], roles_ + 2, kept_of(block));
        V* const hidden = kept_of(block) + roles_ + 2;
        for (std::size_t i = 0; i < hidden_.size(); ++i) hidden[i] = rows_[hidden_[i]];
    }

    // ---- Beginnings ----

    void begin_all() {
        for (std::size_t i = 0; i < state_; ++i)
            state_rows()[i] = V{} - Word{is_set(game_.initial(), static_cast<int>(i))};
        for (Block& block : blocks_) {
            look(block);
            keep(block, rows_[plan_.over]);
        }
    }

    // What is kept of a block in which all games begin, all ones or zeros for each row.
    void note_initial() {
        const Block& block = blocks_[0];  // of which the first lane is always in use
        const auto note = [&](V* rows, std::size_t count) {
            for (std::size_t i = 0; i < count; ++i) initial_.push_back(Word{0} - (word(&rows[i], 0) & 1));
        };
        note(slices_of(block), slices() - 1);
        note(kept_of(block), kept_rows());
    }

    void blend_initial(V lanes) { blend(state_rows(), state_, initial_.data(), lanes); }

    // Rows take these values in the lanes.
    static void blend(V* rows, std::size_t count, const Word* values, V lanes) {
        for (std::size_t i = 0; i < count; ++i) rows[i] = select<V>(lanes, V{} + values[i], rows[i]);
    }

    // As if the world had been looked at once more.
    void begin_kept(const Block& block, V anew) {
        blend(slices_of(block), slices() - 1, initial_.data(), anew);
        blend(kept_of(block), kept_rows(), initial_.data() + slices() - 1, anew);
    }

    // ---- Moves ----

    void propose_random(Block& block) {
        restore(block);
        block.waiting = V{};
        part_.choice(rows_.begin());
        const V active = block.used_lanes & ~over_of(block);
        if (plan_.merged() && !any(several_of(block))) {
            merged_[0](rows_.begin(), active, block.random);
            return;
        }
        for (auto& choice : part_.choices) choice(rows_.begin(), active, block.random);
    }

    // Notes what every lane that plays is to do, and returns those in which it is not legal.
    V propose(Block& block, const void* actions, int bytes) {
        restore(block);
        const std::size_t width = layout_.joint ? roles_ : 1;
        V waiting{}, all_forced = all_ones<V>(), illegal{};
        for (std::size_t i = 0; i < width; ++i) {
            V forced, waits;
            read_actions(block, actions, bytes, i, forced, waits);
            waiting |= waits;
            all_forced &= forced;
            illegal |= layout_.joint ? make_joint(block, i, forced) : make_by_turns(block, forced);
        }
        block.waiting = waiting & block.used_lanes;
        V bad = illegal & ~over_of(block) & ~waiting;
        if (layout_.autoreset == Autoreset::never) bad |= over_of(block) & ~(waiting | all_forced);
        return bad & block.used_lanes;
    }

    // The role to move makes its move, the others the only one they have.
    V make_by_turns(const Block& block, V forced) {
        V legal{}, alone = all_ones<V>();
        const V *own = own_of(block), *only = forced_of(block);
        for (std::size_t r = 0; r < roles_; ++r) {
            const TurnPlan::Role& role = plan_.roles[r];
            const V chooses = own[r] & ~forced;
            alone &= chooses | only[r];
            legal |= own[r] & forced;
            for (std::size_t i = 0; i < role.move.size(); ++i) {
                const V able = rows_[role.legal[i]], made = asked_[role.move[i] - first_moves_[r]] & chooses;
                legal |= made & able;
                rows_[role.move[i]] = made | (able & ~chooses);
            }
        }
        return ~(legal & alone);
    }

    V make_joint(const Block& block, std::size_t r, V forced) {
        V legal = forced & forced_of(block)[r];
        const TurnPlan::Role& role = plan_.roles[r];
        V* const asked = asked_.begin() + r * static_cast<std::size_t>(layout_.actions);
        for (std::size_t i = 0; i < role.move.size(); ++i) {
            const V able = rows_[role.legal[i]], made = asked[role.move[i] - first_moves_[r]];
            legal |= made & able;
            rows_[role.move[i]] = made | (able & forced);
        }
        return ~legal;
    }

    // Sorts the i-th action of every game into lanes by what it is.
    void read_actions(const Block& block, const void* actions, int bytes, std::size_t i, V& forced, V& waits) {
        const std::size_t width = layout_.joint ? roles_ : 1;
        const std::size_t first = static_cast<std::size_t>(block.first) * width + i;
        switch (bytes) {
            case 1: widen(static_cast<const std::int8_t*>(actions) + first, width, block.used); break;
            case 2: widen(static_cast<const std::int16_t*>(actions) + first, width, block.used); break;
            default: widen(static_cast<const std::int32_t*>(actions) + first, width, block.used);
        }
        V* const asked = asked_.begin() + i * static_cast<std::size_t>(layout_.actions);
        const auto lanes_with = [&](int action) {
            V equal;
            for (int w = 0; w < word_count<V>; ++w) word(&equal, w) = equal_bits(wide_ + w * 64, action);
            return equal;
        };
        forced = lanes_with(forced_action);
        waits = lanes_with(waiting_action);
        if (layout_.actions <= block.used / 16) {  // so few are compared faster than lanes are visited
            for (int action = 0; action < layout_.actions; ++action) asked[action] = lanes_with(action);
            return;
        }
        std::memset(static_cast<void*>(asked), 0, static_cast<std::size_t>(layout_.actions) * sizeof(V));
        for (int lane = 0; lane < block.used; ++lane)
            if (static_cast<std::uint32_t>(wide_[lane]) < static_cast<std::uint32_t>(layout_.actions))
                word(&asked[wide_[lane]], lane / 64) |= Word{1} << (lane % 64);
    }

    template <class Number> void widen(const Number* numbers, std::size_t stride, int used) {
        if (stride == 1) std::copy_n(numbers, used, wide_);
        else
            for (int lane = 0; lane < used; ++lane) wide_[lane] = numbers[static_cast<std::size_t>(lane) * stride];
        std::fill(wide_ + used, wide_ + lanes, waiting_action);
    }

    void append_rows(const Block& block, V set, std::vector<std::int64_t>& rows) {
        each_bit(words_of<V>(set), [&](int lane) { rows.push_back(block.first + lane); });
    }

    // ---- A step ----

    void play(Block& block) {
        const V over = over_of(block);
        const V anew = layout_.autoreset == Autoreset::next_step ? over & ~block.waiting : V{};
        const V still = over | block.waiting;
        const V moving = block.used_lanes & ~still;
        part_.step(rows_.begin(), moving);
        writer_.write_played(view(block), moving,
                             [this](std::uint32_t move) { return rows_[program_.move_row + move]; });
        update(moving);
        if (any(anew)) blend_initial(anew);
        look(block);
        const V over_now = rows_[plan_.over], ended = over_now & ~(over & ~anew);
        keep(block, over_now);
        end(block, ended);
        writer_.write(view(block));
    }

    // Writes how games have ended, and has them begin anew if that is to be at once.
    void end(const Block& block, V ended) {
        writer_.clear_rewards(view(block));
        if (!any(ended)) return;
        part_.goals(rows_.begin());
        writer_.write_rewards(view(block), ended, [this](std::size_t goal) { return rows_[program_.goal[goal]]; });
        writer_.write_final_observations(view(block), ended);
        if (layout_.autoreset == Autoreset::same_step) begin_kept(block, ended);
    }

    // Guards are propositions, too: all are looked at before any of them changes.
    void update(V moving) {
        wanted_.clear();
        for (const Update& update : program_.updates) wanted_.push_back(wanted(update.guards, rows_.begin(), moving));
        rows_[program_.finished] = ~moving;
        for (std::size_t i = 0; i < wanted_.size(); ++i)
            if (wanted_[i]) part_.states.update(rows_.begin(), i);
    }

    BlockView<V> view(const Block& block) {
        return {block.first,      block.used,     block.number,  block.used_lanes,
                slices_of(block), open_of(block), own_of(block), &done_of(block)};
    }

    static V lanes_below(int used) {
        V set{};
        for (int lane = 0; lane < used; ++lane) word(&set, lane / 64) |= Word{1} << (lane % 64);
        return set;
    }

    const NetworkGame& game_;
    const BatchLayout layout_;
    Part<V, Gates> part_;  // the one for any state: games side by side are at different steps
    const Program& program_;
    const TurnPlan plan_;
    TurnsType turns_;
    std::deque<Choice<V, Merged>> merged_;  // of all roles, if there is one
    const std::size_t state_, moves_, roles_;
    Rows<V> rows_, asked_;                    // of each role or of the one to move, the lanes that ask for each action
    std::vector<std::uint32_t> first_moves_;  // row of each role's first move
    std::vector<std::pair<std::uint32_t, std::uint32_t>> legal_;  // {row, move}
    std::vector<std::uint32_t> hidden_;                           // rows
    std::vector<Word> initial_;
    std::vector<Block> blocks_;
    Rows<V> own_slices_, kept_;  // of each block: slices, unless the caller has them; what else it keeps
    V* slices_ = nullptr;
    BlockWriter<V> writer_;
    std::vector<std::uint8_t> wanted_;  // which updates
    alignas(64) std::int32_t wide_[lanes];
};

std::unique_ptr<Batch> make_batch(const NetworkGame& game, [[maybe_unused]] InstructionSet set, int lanes,
                                  std::uint64_t seed, std::int64_t count, const BatchLayout& layout) {
#if defined(LUDENS_CODE)
    if (set == code_set) {
        return with_code_lanes(lanes, [&]<class V>() -> std::unique_ptr<Batch> {
            return std::make_unique<NetworkBatch<V, CompiledGates<V>>>(game, seed, count, layout);
        });
    }
#endif
    switch (lanes) {
        case 64: return std::make_unique<NetworkBatch<Lanes<1>>>(game, seed, count, layout);
        case 128: return std::make_unique<NetworkBatch<Lanes<2>>>(game, seed, count, layout);
        case 256: return std::make_unique<NetworkBatch<Lanes<4>>>(game, seed, count, layout);
        case 512: return std::make_unique<NetworkBatch<Lanes<8>>>(game, seed, count, layout);
        default: throw Error("lanes must be 64, 128, 256 or 512, not " + std::to_string(lanes));
    }
}

}  // namespace LUDENS_ISA
}  // namespace ludens::network

LUDENS_TARGET_OFF
