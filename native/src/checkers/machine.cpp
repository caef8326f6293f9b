// The machine of the checkers family, for one instruction set: a game in every 32-bit lane of a few vectors.
//
// evaluate() finds for each direction the set of pieces that can step or jump that way; a piece has at most one of the
// two, since what is beside it is empty or not. advance() counts them, draws a number below the count and looks for the
// move that has it: direction, then piece. There are no lists of moves and no branches on what a lane does.
// Only actions of two or three jumps are enumerated, for all lanes that have some together; they come last in the
// count.
//
// Boards are in the diagonal layout and from the side of who moves. Compiled for each instruction set, see
// base/target.hpp; avx512 is that of Ice Lake and Zen 4, with counting of bits and permutation of bytes.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>

#include "base/noted_moves.hpp"
#include "base/target.hpp"
#include "checkers/game.hpp"

LUDENS_TARGET_ON

#include "checkers/perft.inl"

namespace ludens::checkers {
inline namespace LUDENS_ISA {

#include "checkers/directions.hpp"

#include "checkers/chains.hpp"

#include "base/stopwatch.hpp"

// Positions side by side, an array of lanes for everything that is known of them.
struct alignas(sizeof(V)) Boards {
    V own, others, king, chain, turn;  // turn: all ones if red moves
    V step, idle;

    State read(int lane) const {
        return {.own = own[lane],
                .others = others[lane],
                .king = king[lane],
                .chain = chain[lane],
                .turn = turn[lane] ? red : black,
                .step = static_cast<int>(step[lane]),
                .idle = static_cast<int>(idle[lane])};
    }
    void write(Mask lanes, const State& s) {
        each_field(s, [&](V& field, std::uint32_t value) { field = pick(lanes, all(value), field); });
    }
    void write(int lane, const State& s) {
        each_field(s, [&](V& field, std::uint32_t value) { field[lane] = value; });
    }

private:
    // Calls set(field, value of a state in it) for all fields.
    template <class Set> [[gnu::always_inline]] void each_field(const State& s, Set set) {
        set(own, s.own);
        set(others, s.others);
        set(king, s.king);
        set(chain, s.chain);
        set(turn, s.turn == red ? ~0u : 0u);
        set(step, static_cast<std::uint32_t>(s.step));
        set(idle, static_cast<std::uint32_t>(s.idle));
    }
};

// So many games of a machine, which works on one such block after the other.
struct alignas(sizeof(V)) Block : Boards {
    // What evaluate() found: the pieces that can go in each direction, and lanes that may have actions of several jumps.
    V going[direction_count];
    unsigned waiting;
    unsigned finished, forced;
    // What advance() did: the piece, if it was drawn, and its way: two bits a direction, from the first, and from
    // `jumps_at` on the number of jumps. For what was forced see CheckersMachine::numbers_.
    Mask down, right, jumped;  // the way, unless it is of several jumps
    Mask chained;              // lanes in which it is
    V from, mover;
    V way;            // the one of several jumps, as seen by the mover
    V rank, doubles;  // which one, of those that there are, and how many of these are of two jumps
};

template <bool WrapFiles> class alignas(sizeof(V)) CheckersMachine final : public Machine {
public:
    CheckersMachine(const CheckersGame& game, const char* instruction_set, int lanes, std::uint64_t seed)
        : game_(game), rules_(game.rules()), instruction_set_(instruction_set), lanes_(lanes),
          blocks_(static_cast<std::size_t>(lanes / lane_count)),
          finished_(static_cast<std::size_t>(lanes / 64), ~Word{0}), numbers_(static_cast<std::size_t>(lanes), -1),
          chains_(game.actions().geometry(), game.rules().width, lanes),
          drawn_(static_cast<std::size_t>(lanes + lane_count)) {
        for (Block& b : blocks_) b.finished = all_lanes;
        random_.seed(seed);
        for (const Colour colour : {black, red}) crown_[colour] = all(game.actions().geometry().crown(colour));
    }

    const Game& game() const override { return game_; }
    int lanes() const override { return lanes_; }
    const char* instruction_set() const override { return instruction_set_; }
    std::span<const Word> finished() const override { return finished_; }
    double evaluation_seconds() const override { return evaluation_seconds_; }
    double choice_seconds() const override { return choice_seconds_; }

    void advance() override {
        ++round_;
        {
            const Stopwatch watch(choice_seconds_, round_);
            choose();
        }
        if (noted_.wanted()) note();
    }

    void load(std::span<const Start> starts) override {
        const Word* decoded = nullptr;  // playouts start many lanes from one state
        State state{};
        for (const Start& start : starts) {
            Block& b = block_of(start.lane);
            const unsigned lane = 1u << (start.lane % lane_count);
            b.finished &= ~lane;
            noted_.forget(start.lane);
            if (b.forced & lane) std::erase_if(forced_, [&](const Forced& f) { return f.lane == start.lane; });
            b.forced &= ~lane;
            if (start.state != decoded) {
                decoded = start.state;
                state = game_.decode(decoded);
            }
            write(start.lane, state);
            if (!start.moves) continue;
            b.forced |= lane;
            forced_.push_back({start.lane, start.moves[rules_.role(read(start.lane).turn)]});
        }
    }

    void restart(std::span<const Word> lanes, const Word* state) override {
        const State s = game_.decode(state);
        noted_.forget(lanes);
        std::erase_if(forced_, [&](const Forced& f) { return is_set(lanes, f.lane); });
        each_block(lanes, [&](Block& b, unsigned chosen) {
            b.finished &= ~chosen;
            b.forced &= ~chosen;
            b.write(mask_of(chosen), s);
        });
    }

    void evaluate() override {
        {
            const Stopwatch watch(evaluation_seconds_, round_);
            for (Block& b : blocks_) {
                b.waiting = 0;
                if (b.finished != all_lanes) find_moves(b);
            }
            if (rules_.jumps == Jumps::up_to_three) chains_.count_all();
        }
        for (std::size_t w = 0; w < finished_.size(); ++w) {
            finished_[w] = 0;
            for (int i = 0; i < 64 / lane_count; ++i)
                finished_[w] |= Word{blocks_[w * (64 / lane_count) + i].finished} << (i * lane_count);
        }
    }

    void read_states(std::span<const int> lanes, Word* out) override {
        for (const int lane : lanes) {
            game_.encode(read(lane), out);
            out += game_.state_words();
        }
    }

    void read_legal(std::span<const int> lanes, Word* out) override {
        const auto set = [&](int role, int number) { set_bit(out, role * game_.moves()[0] + number); };
        for (const int lane : lanes) {
            std::fill_n(out, game_.move_words(), 0);
            const State s = read(lane);
            const int role = rules_.role(s.turn);
            set(1 - role, game_.waiting());
            game_.actions().each(s, [&](const Action& action) { set(role, game_.number(action)); });
            out += game_.move_words();
        }
    }

    void read_terminal(std::span<const int> lanes, std::uint8_t* out) override {
        for (const int lane : lanes) *out++ = block_of(lane).finished >> (lane % lane_count) & 1;
    }

    void read_goals(std::span<const int> lanes, int* out) override {
        for (const int lane : lanes) {
            const Goals goals = goals_of(block_of(lane), lane % lane_count);
            out = std::copy(goals.begin(), goals.end(), out);
        }
    }

    void add_endings(std::span<const Word> lanes, Endings& endings) override {
        each_block(lanes, [&](const Block& b, unsigned ended) {
            endings.games += std::popcount(ended);
            endings.stuck += std::popcount(ended & ~b.finished);
            for (; ended; ended &= ended - 1) {
                const Goals goals = goals_of(b, std::countr_zero(ended));
                for (std::size_t role = 0; role < goals.size(); ++role) endings.add(role, goals[role], 1);
            }
        });
    }

    void read_moves(std::span<const int> lanes, int* out) override {
        for (const int lane : lanes) {
            Block& b = block_of(lane);
            const int at = lane % lane_count, role = rules_.role(b.mover[at] ? red : black);
            out[role] = b.from[at] ? number(b, at) : numbers_[lane];
            out[1 - role] = game_.waiting();
            out += 2;
        }
    }

    void note_moves(bool wanted) override { noted_.note(game_, lanes_, wanted); }
    void read_noted(std::span<const int> lanes, Word* out) override { noted_.read(lanes, out); }

private:
    static constexpr unsigned all_lanes = static_cast<unsigned>((std::uint64_t{1} << lane_count) - 1);
    // A lane's place is so often this as there are blocks before it, and its number there: how far its entries are from
    // those of lane 0 of the first block.
    static constexpr std::uint32_t block_size = sizeof(Block) / sizeof(std::uint32_t);

    using Goals = std::array<int, 2>;  // by role

    struct Forced {
        int lane, number;
    };

    // ---- One lane ----------------------------------------------------------------------------------------------

    // What the lanes that were not finished have just made.
    void note() {
        for (int lane = 0; lane < lanes_; ++lane) {
            if (is_set(finished_, lane)) continue;
            int moves[2];
            read_moves({&lane, 1}, moves);
            noted_.add(lane, moves);
        }
    }

    Block& block_of(int lane) { return blocks_[lane / lane_count]; }

    State read(int lane) { return block_of(lane).read(lane % lane_count); }
    void write(int lane, const State& s) { block_of(lane).write(lane % lane_count, s); }

    Goals goals_of(const Block& b, int lane) const {
        const Colour turn = b.turn[lane] ? red : black;
        const int own = std::popcount(b.own[lane]), others = std::popcount(b.others[lane]);
        if (std::max(own, others) > most_pieces) throw Error("checkers: a side has too many pieces");
        const bool stuck = rules_.stuck_goals[0] >= 0 && !can_go(b, lane);
        const auto& table = turn == red ? rules_.goals[others][own] : rules_.goals[own][others];
        const auto goal = [&](Colour side) -> int { return stuck ? rules_.stuck_goals[side != turn] : table[side]; };
        return {goal(rules_.side(0)), goal(rules_.side(1))};
    }
    static bool can_go(const Block& b, int lane) {
        return (b.going[0][lane] | b.going[1][lane] | b.going[2][lane] | b.going[3][lane]) != 0;
    }

    // act(block, which of its lanes) for the blocks that have some of these lanes.
    template <class Act> void each_block(std::span<const Word> lanes, Act act) {
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            const std::size_t first = i * lane_count;
            const auto chosen = static_cast<unsigned>(lanes[first / 64] >> (first % 64)) & all_lanes;
            if (chosen) act(blocks_[i], chosen);
        }
    }

    void play(int lane, const Action& action) {
        const State s = read(lane);
        block_of(lane).mover[lane % lane_count] = s.turn == red ? ~0u : 0u;
        write(lane, game_.actions().play(s, action));
    }

    void play_forced(int lane, int number) {
        if (block_of(lane).finished >> (lane % lane_count) & 1) return;
        numbers_[lane] = number;
        play(lane, game_.action(number));
    }

    // The number of the move that was drawn in a lane.
    int number(const Block& b, int lane) const {
        if (!holds(b.chained, lane)) {
            const auto direction = static_cast<std::uint8_t>(2 * holds(b.down, lane) + holds(b.right, lane));
            return game_.number({b.from[lane], {direction}, holds(b.jumped, lane)});
        }
        const std::uint32_t way = b.way[lane], turned = b.mover[lane] ? 3 : 0;
        const auto direction = [&](int jump) { return static_cast<std::uint8_t>((way >> 2 * jump & 3) ^ turned); };
        const int jumps = static_cast<int>(way >> jumps_at);
        return game_.number({b.from[lane], {direction(0), direction(1), direction(2)}, jumps});
    }

    // ---- What can move -----------------------------------------------------------------------------------------

    // The pieces that may go on in a direction: all of these kings, and the others where it is forward.
    template <int D> static V going(V pieces, V kings, V turn) { return kings | (pieces & (D < 2 ? ~turn : turn)); }

    // Per direction the pieces that can step and that can jump, and where the squares are from which a piece could.
    struct Reach {
        V steps[direction_count], jumps[direction_count], origins[direction_count];

        V jumpers() const { return jumps[0] | jumps[1] | jumps[2] | jumps[3]; }
    };

    [[gnu::always_inline]] Reach reach(V own, V movers, V others, V king, V turn) const {
        Reach r;
        const V empty = ~(own | others), kings = movers & king;
        const V up = going<0>(movers, kings, turn), down = going<2>(movers, kings, turn);
        each_direction([&]<int D>() {
            const V before = ways_.template back<D>(empty), pieces = D < 2 ? up : down;
            r.origins[D] = ways_.template back<D>(before & others);
            r.steps[D] = before & pieces;
            r.jumps[D] = r.origins[D] & pieces;
        });
        return r;
    }

    [[gnu::always_inline]] void find_moves(Block& b) {
        V own = b.own;
        if (rules_.jumps == Jumps::by_plies) own = pick(meets(b.chain, b.chain), b.chain, own);
        const Reach r = reach(b.own, own, b.others, b.king, b.turn);
        const V jumpers = r.jumpers();
        // Where captures are by choice, a chain that was begun goes on all the same.
        const Mask captures = rules_.forcing == Forcing::none ? meets(b.chain, b.chain) : meets(jumpers, jumpers);
        for (int d = 0; d < direction_count; ++d) b.going[d] = pick(captures, r.jumps[d], r.steps[d] | r.jumps[d]);
        if (rules_.jumps == Jumps::up_to_three) {
            b.waiting = may_chain(b, r) & ~b.finished;
            chains_.add(mask_of(b.waiting), b.waiting, b.own, b.others, b.king, b.turn);
        }
        find_finished(b);
    }

    // Lanes in which some jump lands on a square from which its piece could jump; where a king jumps, any piece.
    [[gnu::always_inline]] unsigned may_chain(const Block& b, const Reach& r) const {
        V land{};
        each_direction([&]<int D>() { land |= ways_.template landing<D>(r.jumps[D]); });
        const V kings = keep(meets(r.jumpers(), b.king), land);
        const V up = r.origins[0] | r.origins[1], down = r.origins[2] | r.origins[3];
        const V further = (going<0>(land, kings, b.turn) & up) | (going<2>(land, kings, b.turn) & down);
        return bits_of(meets(further, further));
    }

    // ---- The end -----------------------------------------------------------------------------------------------

    [[gnu::always_inline]] void find_finished(Block& b) {
        const V any = b.going[0] | b.going[1] | b.going[2] | b.going[3];
        unsigned over = bits_of(without(mask_of(all_lanes), meets(any, any)));
        if (rules_.step_limit) over |= bits_of(at_least(b.step, all(static_cast<unsigned>(rules_.step_limit))));
        if (rules_.idle_limit) over |= bits_of(at_least(b.idle, all(static_cast<unsigned>(rules_.idle_limit))));
        if (rules_.stuck_either) {
            const Reach r = reach(b.others, b.others, b.own, b.king, ~b.turn);
            const V able = r.jumpers() | r.steps[0] | r.steps[1] | r.steps[2] | r.steps[3];
            over |= all_lanes & ~bits_of(meets(able, able));
        }
        b.finished |= over;
    }

    // ---- Choosing and moving -----------------------------------------------------------------------------------

    // Makes the moves of all lanes.
    void choose() {
        passed_ = drawn_count_ = 0;
        RandomLanes random = random_;
        V places = lane_numbers();
        for (std::size_t i = 0; i < blocks_.size(); i += 2) {
            const V bits = random();  // two numbers of 16 bits for every lane
            choose(blocks_[i], places, bits);
            choose(blocks_[i + 1], places + block_size, bits >> 16);
            places += 2 * block_size;
        }
        random_ = random;
        for (auto [lane, number] : forced_) play_forced(lane, number);
        forced_.clear();
        if (drawn_count_) move_chains();
    }

    // Makes the move of every lane but those that are finished or forced, except that the pieces of lanes that make one
    // of several jumps wait for move_chains().
    [[gnu::always_inline]] void choose(Block& b, V places, V drawn) {
        const Mask active = mask_of(all_lanes & ~(b.finished | b.forced));
        b.forced = 0;
        b.chained = mask_of(0);
        b.mover = b.turn;
        const V first = count(b.going[0]), third = count(b.going[2]);
        const V upwards = first + count(b.going[1]), single = upwards + third + count(b.going[3]);
        V rank;
        if (rules_.jumps == Jumps::up_to_three) rank = choose_chains(b, places, drawn, single, active);
        else rank = high_product(drawn, single);
        b.down = at_least(rank, upwards);
        rank -= keep(b.down, upwards);
        const V left = pick(b.down, third, first);
        b.right = at_least(rank, left);
        rank -= keep(b.right, left);
        const V set = pick(b.right, pick(b.down, b.going[3], b.going[1]), pick(b.down, b.going[2], b.going[0]));
        b.from = keep(without(active, b.chained), member(set, rank));
        const V beside = ways_.beside(b.from, b.down, b.right), captured = beside & b.others;
        b.jumped = meets(captured, captured);
        const V to = pick(b.jumped, ways_.beside(beside, b.down, b.right), beside);
        settle(b, active, b.jumped, b.from, to, captured);
    }

    // The same where an action may be of several jumps.
    [[gnu::always_inline]] V choose_chains(Block& b, V places, V drawn, V single, Mask active) {
        const Mask waiting = mask_of(b.waiting);
        V doubles = spread(waiting, chains_.doubles(passed_));
        const V triples = spread(waiting, chains_.triples(passed_));
        passed_ += std::popcount(b.waiting);
        if (rules_.forcing == Forcing::longest) {
            doubles = pick(meets(triples, triples), V{}, doubles);
            const V chains = doubles | triples;
            single = pick(meets(chains, chains), V{}, single);
        }
        const V rank = high_product(drawn, single + doubles + triples);
        b.chained = both(at_least(rank, single), active);
        b.rank = rank - single;
        b.doubles = doubles;
        append(b.chained, places, &drawn_[drawn_count_]);
        drawn_count_ += std::popcount(bits_of(b.chained));
        return rank;
    }

    [[gnu::noinline]] void move_chains() {
        for (int done = 0; done < drawn_count_; done += lane_count)
            move_chains(&drawn_[done], std::min(drawn_count_ - done, lane_count));
    }

    // Up to a vector of lanes, by their places. The turn has passed there already, and the counters are right.
    void move_chains(const std::uint32_t* drawn, int size) {
        Block& b = blocks_[0];
        const Mask lanes = mask_of((1u << size) - 1);
        const V places = load_lanes(drawn), red = gather(lanes, &b.mover, places);
        const Mask turns = meets(red, red);
        const auto seen = [&](const V* boards) { return chains_.turned(turns, gather(lanes, boards, places)); };
        V own = seen(&b.others), others = seen(&b.own), king = seen(&b.king);
        const V rank = gather(lanes, &b.rank, places), doubles = gather(lanes, &b.doubles, places);
        const Mask three = both(at_least(rank, doubles), lanes);
        const Chain chain = chains_.nth(own, others, king, rank - keep(three, doubles), three);
        const V royal = pick(meets(king, chain.from), chain.to, rules_.kings ? chain.to & crown_[black] : V{});
        own = own ^ chain.from ^ chain.to;
        others = others & ~chain.captured;
        king = (king & ~(chain.from | chain.captured)) | royal;
        scatter(size, chains_.turned(turns, others), &b.own, drawn);
        scatter(size, chains_.turned(turns, own), &b.others, drawn);
        scatter(size, chains_.turned(turns, king), &b.king, drawn);
        scatter(size, chains_.turned(turns, chain.from), &b.from, drawn);
        scatter(size, chain.way, &b.way, drawn);
    }

    // Moves a piece of the lanes that are moving, where `from` is not empty.
    [[gnu::always_inline]] void settle(Boards& b, Mask moving, Mask jumping, V from, V to, V captured) const {
        const Mask was_king = meets(b.king, from);
        Mask crowned = mask_of(0);
        if (rules_.kings) {
            const V far = (b.turn & crown_[red]) | (~b.turn & crown_[black]);
            crowned = without(meets(to, far), was_king);
        }
        const V own = b.own ^ from ^ to, others = b.others & ~captured;
        const V king = (b.king & ~(from | captured)) | keep(either(was_king, crowned), to);
        if (rules_.step_limit) b.step += keep(moving, all(1));
        if (rules_.idle_limit) b.idle = pick(moving, keep(without(was_king, jumping), b.idle + 1), b.idle);
        Mask passes = moving;
        if (rules_.jumps == Jumps::by_plies) {
            const V empty = ~(own | others), piece = keep(without(jumping, crowned), to), kings = piece & king;
            V again{};
            each_direction([&]<int D>() {
                const V origins = ways_.template back<D>(ways_.template back<D>(empty) & others);
                again |= origins & going<D>(piece, kings, b.turn);
            });
            passes = without(moving, meets(again, again));
            b.chain = pick(moving, again, b.chain);
        }
        b.own = pick(passes, others, own);
        b.others = pick(passes, own, others);
        b.king = king;
        b.turn = b.turn ^ keep(passes, all(~0u));
    }

    const CheckersGame& game_;
    const Rules& rules_;
    const char* const instruction_set_;
    const int lanes_;
    std::vector<Block> blocks_;
    std::vector<Word> finished_;
    std::vector<Forced> forced_;
    std::vector<int> numbers_;  // of the last move of a lane, where it was not drawn from the sets
    Chains<WrapFiles> chains_;
    const Ways<WrapFiles>& ways_ = chains_.ways();
    V crown_[2];      // where men of a colour become kings
    int passed_ = 0;  // lanes of the blocks so far that may have chains
    NotedMoves noted_;
    std::vector<std::uint32_t> drawn_;  // the places of the lanes that make an action of several jumps
    int drawn_count_ = 0;
    RandomLanes random_;
    unsigned round_ = 0;
    double evaluation_seconds_ = 0, choice_seconds_ = 0;
};

std::unique_ptr<Machine> make(const CheckersGame& game, const char* name, int lanes, std::uint64_t seed) {
    if (game.rules().wrap_files) return std::make_unique<CheckersMachine<true>>(game, name, lanes, seed);
    return std::make_unique<CheckersMachine<false>>(game, name, lanes, seed);
}

}  // namespace LUDENS_ISA
}  // namespace ludens::checkers

LUDENS_TARGET_OFF
