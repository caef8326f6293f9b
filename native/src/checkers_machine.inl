// The machine of the checkers family, for one instruction set: a game in every 32-bit lane of a few vectors.
//
// evaluate() finds for each direction the set of pieces that can step or jump that way, and counts them; advance()
// draws a number below the count and looks for the move that has it: kind, then direction, then the piece. There
// are no lists of moves and no branches on what a lane does. Only actions of two or three jumps, which few
// positions have, are enumerated lane by lane; they come last in the count.
//
// Boards are in the diagonal layout and from the side of who moves. Included after a target is switched on.

namespace ludens::checkers {
inline namespace LUDENS_CHECKERS_ISA {

#include "checkers_lanes.hpp"

// Positions side by side, an array of lanes for everything that is known of them.
struct alignas(sizeof(V)) Boards {
    V own, others, king, chain, turn;  // turn: all ones if red moves
    V step, idle;

    State read(int lane) const {
        return {.own = own[lane], .others = others[lane], .king = king[lane], .chain = chain[lane],
                .turn = turn[lane] ? red : black, .step = static_cast<int>(step[lane]), .idle = static_cast<int>(idle[lane])};
    }
    void write(int lane, const State& s) {
        own[lane] = s.own, others[lane] = s.others, king[lane] = s.king, chain[lane] = s.chain;
        turn[lane] = s.turn == red ? ~0u : 0u;
        step[lane] = static_cast<std::uint32_t>(s.step), idle[lane] = static_cast<std::uint32_t>(s.idle);
    }
    void copy(int lane, const Boards& from, int its_lane) {
        for (V Boards::* part : {&Boards::own, &Boards::others, &Boards::king, &Boards::chain, &Boards::turn,
                                 &Boards::step, &Boards::idle})
            (this->*part)[lane] = (from.*part)[its_lane];
    }
};

// So many games of a machine, which works on one such block after the other.
struct alignas(sizeof(V)) Block : Boards {
    // What evaluate() found: pieces that can step or jump, by direction; where captures are forced `steps` has
    // already what is legal, and `jumping` says of which kind it is.
    V steps[direction_count], jumps[direction_count];
    V moves;     // how many actions there are
    V stepping;  // how many of them are steps, where captures are optional
    V chains;    // how many of them are enumerated
    V least;     // jumps of those
    unsigned jumping;
    unsigned waiting;  // lanes whose chains are to be counted
    unsigned parked, forced;
    // What advance() did: the piece, if it was drawn, and its way: two bits a direction, from the first, and from
    // `jumps_at` on the number of jumps. For what was forced see CheckersMachine::numbers_.
    V from, way, mover;
    RandomLanes random;
};

template <bool WrapFiles>
class alignas(sizeof(V)) CheckersMachine final : public Machine {
public:
    CheckersMachine(const CheckersGame& game, const char* instruction_set, int lanes, std::uint64_t seed)
        : game_(game), rules_(game.rules()), instruction_set_(instruction_set), lanes_(lanes),
          blocks_(static_cast<std::size_t>(lanes / lane_count)), parked_(static_cast<std::size_t>(lanes / 64), ~Word{0}),
          numbers_(static_cast<std::size_t>(lanes), -1),
          waiting_(lanes), drawn_(lanes) {
        for (int i = 0; i < lane_count; ++i) places_[i] = static_cast<std::uint32_t>(i);
        for (int i = 0; i < lanes / lane_count; ++i) {
            blocks_[i].parked = all_lanes;
            blocks_[i].random.seed(seed, i * lane_count);
        }
        for (int d = 0; d < direction_count; ++d)
            for (const auto& shift : game.actions().geometry().shifts(d))
                (shift.by == diagonal_step[d] ? inner_ : outer_)[d] |= shift.from;
    }

    const Game& game() const override { return game_; }
    int lanes() const override { return lanes_; }
    const char* instruction_set() const override { return instruction_set_; }
    std::span<const Word> parked() const override { return parked_; }
    double evaluation_seconds() const override { return evaluation_.seconds(); }
    double choice_seconds() const override { return choice_.seconds(); }

    void advance() override {
        choice_.start();
        for (auto [lane, number] : forced_) play_forced(lane, number);
        forced_.clear();
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            Block& b = blocks_[i];
            choose(b, static_cast<int>(i), all_lanes & ~(b.parked | b.forced));
            b.forced = 0;
        }
        if (drawn_.size) move_chains();
        choice_.stop();
    }

    void load(std::span<const Start> starts) override {
        for (const Start& start : starts) {
            Block& b = block_of(start.lane);
            const unsigned lane = 1u << (start.lane % lane_count);
            b.parked &= ~lane;
            if (b.forced & lane) std::erase_if(forced_, [&](const Forced& f) { return f.lane == start.lane; });
            b.forced &= ~lane;
            write(start.lane, game_.decode(start.state));
            if (!start.moves) continue;
            b.forced |= lane;
            forced_.push_back({start.lane, start.moves[rules_.role(read(start.lane).turn)]});
        }
    }

    void evaluate() override {
        evaluation_.start();
        for (Block& b : blocks_) {
            b.waiting = 0;
            if (b.parked != all_lanes) find_moves(b);
        }
        if (rules_.jumps == Jumps::up_to_three) count_chains();
        evaluation_.stop();
        for (std::size_t w = 0; w < parked_.size(); ++w) {
            parked_[w] = 0;
            for (int i = 0; i < 64 / lane_count; ++i)
                parked_[w] |= Word{blocks_[w * (64 / lane_count) + i].parked} << (i * lane_count);
        }
    }

    void read_states(std::span<const int> lanes, Word* out) override {
        for (const int lane : lanes) game_.encode(read(lane), out), out += game_.state_words();
    }

    void read_legal(std::span<const int> lanes, Word* out) override {
        const auto set = [&](int role, int number) {
            const int i = role * game_.moves()[0] + number;
            out[i / 64] |= Word{1} << (i % 64);
        };
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
        for (const int lane : lanes) *out++ = block_of(lane).parked >> (lane % lane_count) & 1;
    }

    void read_goals(std::span<const int> lanes, int* out) override {
        for (const int lane : lanes) {
            const State s = read(lane);
            const int own = std::popcount(s.own), others = std::popcount(s.others);
            if (std::max(own, others) > most_pieces) throw Error("checkers: a side has too many pieces");
            const bool stuck = block_of(lane).moves[lane % lane_count] == 0 && rules_.stuck_goals[0] >= 0;
            const auto& table = s.turn == red ? rules_.goals[others][own] : rules_.goals[own][others];
            for (int role = 0; role < 2; ++role) {
                const Colour side = rules_.side(role);
                *out++ = stuck ? rules_.stuck_goals[side != s.turn] : table[side];
            }
        }
    }

    void read_moves(std::span<const int> lanes, int* out) override {
        for (const int lane : lanes) {
            Block& b = block_of(lane);
            const int at = lane % lane_count, role = rules_.role(b.mover[at] ? red : black);
            out[role] = b.from[at] ? number(b.from[at], b.way[at]) : numbers_[lane];
            out[1 - role] = game_.waiting();
            out += 2;
        }
    }

private:
    static constexpr int jumps_at = 2 * longest_chain;
    static constexpr unsigned all_lanes = static_cast<unsigned>((std::uint64_t{1} << lane_count) - 1);

    struct Forced {
        int lane, number;
    };

    // Looks at the clock one time in sixteen, which stands for all: a round takes but a microsecond.
    class Stopwatch {
    public:
        void start() {
            if (++calls_ % sample == 0) start_ = std::chrono::steady_clock::now();
        }
        void stop() {
            if (calls_ % sample == 0)
                seconds_ += sample * std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
        }
        double seconds() const { return seconds_; }

    private:
        static constexpr unsigned sample = 16;
        unsigned calls_ = 0;
        double seconds_ = 0;
        std::chrono::steady_clock::time_point start_;
    };

    // ---- One lane ----------------------------------------------------------------------------------------------

    Block& block_of(int lane) { return blocks_[lane / lane_count]; }

    State read(int lane) { return block_of(lane).read(lane % lane_count); }
    void write(int lane, const State& s) { block_of(lane).write(lane % lane_count, s); }

    void play(int lane, const Action& action) {
        const State s = read(lane);
        block_of(lane).mover[lane % lane_count] = s.turn == red ? ~0u : 0u;
        write(lane, game_.actions().play(s, action));
    }

    void play_forced(int lane, int number) {
        if (block_of(lane).parked >> (lane % lane_count) & 1) return;
        numbers_[lane] = number;
        play(lane, game_.action(number));
    }

    int number(Squares from, std::uint32_t way) const {
        const auto direction = [&](int jump) { return static_cast<std::uint8_t>(way >> 2 * jump & 3); };
        return game_.number({from, {direction(0), direction(1), direction(2)}, static_cast<int>(way >> jumps_at)});
    }

    // ---- What can move -----------------------------------------------------------------------------------------

    // The rotation of a step across the edge of files.
    template <int D>
    static constexpr int wrapped = (diagonal_step[D] + (D % 2 ? 24 : 8)) % 32;

    // The squares from which a step in this direction leads into `to`.
    template <int D>
    V back(V to) const {
        const V near = rotate<32 - diagonal_step[D]>(to) & inner_[D];
        if constexpr (!WrapFiles) return near;
        return near | (rotate<32 - wrapped<D>>(to) & outer_[D]);
    }

    // Calls look.operator()<D>() for every direction.
    template <class Look>
    [[gnu::always_inline]] static void each_direction(Look look) {
        look.template operator()<0>();
        look.template operator()<1>();
        look.template operator()<2>();
        look.template operator()<3>();
    }

    // Where jumps of these pieces in this direction end; all of them can jump, so no edge is in their way.
    template <int D>
    V landing(V from) const {
        if constexpr (WrapFiles) return ahead<D>(ahead<D>(from));
        return rotate<2 * diagonal_step[D] % 32>(from);
    }
    template <int D>
    V ahead(V from) const {
        const V near = rotate<diagonal_step[D]>(from & inner_[D]);
        if constexpr (!WrapFiles) return near;
        return near | rotate<wrapped<D>>(from & outer_[D]);
    }

    // The pieces that may go on in a direction: all of these kings, and the others where it is forward.
    template <int D>
    static V going(V pieces, V kings, V turn) {
        return kings | (pieces & (D < 2 ? ~turn : turn));
    }

    // Per direction: pieces that can step and that can jump, and the squares from which a piece could jump.
    struct Reach {
        V steps[direction_count], jumps[direction_count], origins[direction_count];

        V jumpers() const { return jumps[0] | jumps[1] | jumps[2] | jumps[3]; }
    };

    [[gnu::always_inline]] Reach reach(V own, V others, V king, V turn) const {
        Reach r;
        const V empty = ~(own | others), up = going<0>(own, own & king, turn), down = going<2>(own, own & king, turn);
        each_direction([&]<int D>() {
            const V before = back<D>(empty), pieces = D < 2 ? up : down;
            r.origins[D] = back<D>(before & others);
            r.steps[D] = before & pieces;
            r.jumps[D] = r.origins[D] & pieces;
        });
        return r;
    }

    [[gnu::always_inline]] void find_moves(Block& b) {
        Reach r = reach(b.own, b.others, b.king, b.turn);
        if (rules_.jumps == Jumps::by_plies) {
            const V allowed = pick(meets(b.chain, b.chain), b.chain, all(~0u));
            for (V& set : r.jumps) set &= allowed;
        }
        const V jumpers = r.jumpers();
        const Mask jumping = meets(jumpers, jumpers);
        V moves{};
        if (rules_.forcing == Forcing::none) {
            V jumps{};
            for (int d = 0; d < direction_count; ++d) {
                moves += count(r.steps[d]), jumps += count(r.jumps[d]);
                b.steps[d] = r.steps[d], b.jumps[d] = r.jumps[d];
            }
            b.stepping = moves;
            moves += jumps;
        } else {
            for (int d = 0; d < direction_count; ++d) {
                b.steps[d] = pick(jumping, r.jumps[d], r.steps[d]);
                moves += count(b.steps[d]);
            }
            b.jumping = bits_of(jumping);
        }
        b.moves = moves;
        if (rules_.jumps == Jumps::up_to_three) {
            b.chains = V{};
            b.waiting = may_chain(b, r) & ~b.parked;
            waiting_.add(b.waiting, b);
        }
        park(b);
    }

    // ---- Actions of two or three jumps -------------------------------------------------------------------------

    // Lanes in which some jump lands on a square from which its piece could jump; where a king jumps, any piece.
    [[gnu::always_inline]] unsigned may_chain(const Block& b, const Reach& r) const {
        V land{};
        each_direction([&]<int D>() { land |= landing<D>(r.jumps[D]); });
        const V kings = keep(meets(r.jumpers(), b.king), land);
        const V up = r.origins[0] | r.origins[1], down = r.origins[2] | r.origins[3];
        const V further = (going<0>(land, kings, b.turn) & up) | (going<2>(land, kings, b.turn) & down);
        return bits_of(meets(further, further));
    }

    // Few lanes have such actions, so these are brought together from all blocks and treated a vector at a time, when
    // all blocks are done: a call between two blocks would cost them their registers. First those to be counted.
    struct Waiting {
        std::vector<std::uint32_t> own, others, king, turn, doubles, triples;
        int size = 0;

        explicit Waiting(int lanes)
            : own(static_cast<std::size_t>(lanes + lane_count)), others(own), king(own), turn(own), doubles(own), triples(own) {}

        [[gnu::always_inline]] void add(unsigned lanes, const Boards& b) {
            const Mask m = mask_of(lanes);
            append(m, b.own, own.data() + size), append(m, b.others, others.data() + size);
            append(m, b.king, king.data() + size), append(m, b.turn, turn.data() + size);
            size += std::popcount(lanes);
        }
    };

    // Then those that are about to make one: which, of those of at least so many jumps.
    struct Drawn {
        std::vector<std::uint32_t> rank, lane;
        int size = 0;

        explicit Drawn(int lanes) : rank(static_cast<std::size_t>(lanes + lane_count)), lane(rank) {}

        [[gnu::always_inline]] void add(unsigned lanes, V ranks, V places) {
            const Mask m = mask_of(lanes);
            append(m, ranks, rank.data() + size), append(m, places, lane.data() + size);
            size += std::popcount(lanes);
        }
    };

    V places(int index) const { return places_ + static_cast<std::uint32_t>(index * lane_count); }

    // visit.operator()<First, Second, Third>(the squares from which the last jump starts); Third is -1 for chains
    // of two jumps.
    template <class Visit>
    [[gnu::always_inline]] void each_chain(const Boards& b, Visit visit) const {
        const Reach r = reach(b.own, b.others, b.king, b.turn);
        each_direction([&]<int First>() {
            const V pieces = landing<First>(r.jumps[First]), kings = landing<First>(r.jumps[First] & b.king);
            each_direction([&]<int Second>() {
                if constexpr (Second != opposite(First)) {
                    const V again = going<Second>(pieces, kings, b.turn) & r.origins[Second];
                    if (!bits_of(meets(again, again))) return;
                    visit.template operator()<First, Second, -1>(again);
                    const V then = landing<Second>(again), kings_then = landing<Second>(again & kings);
                    each_direction([&]<int Third>() {
                        if constexpr (Third != opposite(Second))
                            visit.template operator()<First, Second, Third>(
                                going<Third>(then, kings_then, b.turn) & r.origins[Third]);
                    });
                }
            });
        });
    }

    [[gnu::noinline]] void count_chains() {
        for (int done = 0; done < waiting_.size; done += lane_count) {
            Boards b{};
            std::memcpy(&b.own, &waiting_.own[done], sizeof(V)), std::memcpy(&b.others, &waiting_.others[done], sizeof(V));
            std::memcpy(&b.king, &waiting_.king[done], sizeof(V)), std::memcpy(&b.turn, &waiting_.turn[done], sizeof(V));
            V doubles{}, triples{};
            each_chain(b, [&]<int, int, int Third>(V last) { (Third < 0 ? doubles : triples) += count(last); });
            std::memcpy(&waiting_.doubles[done], &doubles, sizeof(V));
            std::memcpy(&waiting_.triples[done], &triples, sizeof(V));
        }
        waiting_.size = 0;
        int done = 0;
        for (Block& b : blocks_) {
            if (!b.waiting) continue;
            const Mask m = mask_of(b.waiting);
            note_chains(b, spread(m, &waiting_.doubles[done]), spread(m, &waiting_.triples[done]));
            done += std::popcount(b.waiting);
        }
    }

    [[gnu::always_inline]] void note_chains(Block& b, V doubles, V triples) {
        b.chains = doubles + triples;
        b.least = all(2);
        if (rules_.forcing == Forcing::longest) {
            const Mask three = meets(triples, triples), none = without(mask_of(all_lanes), meets(doubles, doubles));
            b.chains = pick(three, triples, doubles);
            b.least = pick(three, all(3), b.least);
            for (V& set : b.steps) set = keep(none, set);
            b.moves = keep(none, b.moves);
        }
        b.moves += b.chains;
    }

    [[gnu::noinline]] void move_chains() {
        for (int done = 0; done < drawn_.size; done += lane_count)
            move_chains(done, std::min(drawn_.size - done, lane_count));
        drawn_.size = 0;
    }

    void move_chains(int start, int size) {
        Boards movers{};
        V rank{}, least{};
        for (int i = 0; i < size; ++i) {
            const int lane = static_cast<int>(drawn_.lane[start + i]);
            movers.copy(i, block_of(lane), lane % lane_count);
            rank[i] = drawn_.rank[start + i];
            least[i] = block_of(lane).least[lane % lane_count];
        }
        V set{}, before{}, passed{}, path{};
        each_chain(movers, [&]<int First, int Second, int Third>(V last) {
            const V more = Third < 0 ? keep(at_least(all(2), least), count(last)) : count(last);
            const Mask here = without(at_least(rank, passed), at_least(rank, passed + more));
            set = pick(here, last, set);
            before = pick(here, passed, before);
            constexpr int way = First | Second << 2 | (Third < 0 ? 2 << jumps_at : Third << 4 | 3 << jumps_at);
            path = pick(here, all(way), path);
            passed += more;
        });
        const Mask longer = at_least(path, all(3 << jumps_at));
        const V first = path & 3, second = path >> 2 & 3, third = path >> 4 & 3;
        const V at = member(set, rank - before);
        // From there the last jump goes on, and the ones before it lead back.
        const V ahead = pick(longer, third, second), behind = pick(longer, second, first) ^ 3;
        const V over = neighbour(at, ahead), to = neighbour(over, ahead);
        V captured = over | neighbour(at, behind), from = neighbour(neighbour(at, behind), behind);
        captured |= keep(longer, neighbour(from, first ^ 3));
        from = pick(longer, neighbour(neighbour(from, first ^ 3), first ^ 3), from);
        const Mask everywhere = mask_of(all_lanes);
        settle(movers, everywhere, everywhere, from, to, captured);
        for (int i = 0; i < size; ++i) {
            const int lane = static_cast<int>(drawn_.lane[start + i]), at = lane % lane_count;
            Block& b = block_of(lane);
            b.copy(at, movers, i);
            b.from[at] = from[i], b.way[at] = path[i];
        }
    }

    // ---- The end -----------------------------------------------------------------------------------------------

    [[gnu::always_inline]] void park(Block& b) {
        unsigned over = bits_of(without(mask_of(all_lanes), meets(b.moves, b.moves)));
        if (rules_.step_limit) over |= bits_of(at_least(b.step, all(static_cast<unsigned>(rules_.step_limit))));
        if (rules_.idle_limit) over |= bits_of(at_least(b.idle, all(static_cast<unsigned>(rules_.idle_limit))));
        if (rules_.stuck_either) {
            const Reach r = reach(b.others, b.own, b.king, ~b.turn);
            const V able = r.jumpers() | r.steps[0] | r.steps[1] | r.steps[2] | r.steps[3];
            over |= all_lanes & ~bits_of(meets(able, able));
        }
        b.parked |= over;
    }

    // ---- Choosing and moving -----------------------------------------------------------------------------------

    [[gnu::always_inline]] void choose(Block& b, int index, unsigned active) {
        V rank = high_product(b.random(), b.moves);
        if (rules_.jumps == Jumps::up_to_three) {
            const V others = b.moves - b.chains;
            const unsigned enumerated = active & bits_of(at_least(rank, others));
            drawn_.add(enumerated, rank - others, places(index));
            b.mover = pick(mask_of(enumerated), b.turn, b.mover);
            active &= ~enumerated;
        }
        const Mask moving = mask_of(active);
        Mask jumping;
        V sets[direction_count];
        if (rules_.forcing == Forcing::none) {
            jumping = at_least(rank, b.stepping);
            rank -= keep(jumping, b.stepping);
            for (int d = 0; d < direction_count; ++d) sets[d] = pick(jumping, b.jumps[d], b.steps[d]);
        } else {
            jumping = mask_of(b.jumping);
            for (int d = 0; d < direction_count; ++d) sets[d] = b.steps[d];
        }
        V set = sets[0], before{}, direction{}, passed = count(sets[0]);
        for (int d = 1; d < direction_count; ++d) {
            const Mask later = at_least(rank, passed);
            set = pick(later, sets[d], set);
            before = pick(later, passed, before);
            direction = pick(later, all(static_cast<std::uint32_t>(d)), direction);
            passed += count(sets[d]);
        }
        b.from = keep(moving, member(set, rank - before));
        b.way = direction + keep(jumping, all(1 << jumps_at));
        b.mover = pick(moving, b.turn, b.mover);
        const V beside = neighbour(b.from, direction);
        const V to = pick(jumping, neighbour(beside, direction), beside);
        settle(b, moving, jumping, b.from, to, keep(jumping, beside));
    }

    // The neighbour of one square in a direction for each lane.
    [[gnu::always_inline]] V neighbour(V at, V direction) const {
        const Mask right = meets(direction, all(1));
        const V up = pick(right, all(diagonal_step[1]), all(diagonal_step[0]));
        const V down = pick(right, all(diagonal_step[3]), all(diagonal_step[2]));
        const V to = rotate(at, pick(meets(direction, all(2)), down, up));
        if constexpr (!WrapFiles) return to;
        const Mask crosses = meets(at, pick(right, all(outer_[1] | outer_[3]), all(outer_[0] | outer_[2])));
        return pick(crosses, rotate(to, pick(right, all(24), all(8))), to);
    }

    // Moves a piece of every lane, where `from` is not empty.
    [[gnu::always_inline]] void settle(Boards& b, Mask moving, Mask jumping, V from, V to, V captured) const {
        const Geometry& g = game_.actions().geometry();
        const Mask was_king = meets(b.king, from);
        Mask crowned = mask_of(0);
        if (rules_.kings) {
            const V far = (b.turn & g.crown(red)) | (~b.turn & g.crown(black));
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
                again |= back<D>(back<D>(empty) & others) & going<D>(piece, kings, b.turn);
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
    V places_;  // 0, 1, 2 ... in the lanes
    std::vector<Word> parked_;
    std::vector<Forced> forced_;
    std::vector<int> numbers_;                  // of the last move of a lane, where it was not drawn from the sets
    std::array<Squares, direction_count> inner_{}, outer_{};  // from where a step stays on the board, or wraps
    Waiting waiting_;
    Drawn drawn_;
    Stopwatch evaluation_, choice_;
};

inline std::unique_ptr<Machine> make(const CheckersGame& game, const char* name, int lanes, std::uint64_t seed) {
    if (game.rules().wrap_files) return std::make_unique<CheckersMachine<true>>(game, name, lanes, seed);
    return std::make_unique<CheckersMachine<false>>(game, name, lanes, seed);
}

}  // namespace LUDENS_CHECKERS_ISA
}  // namespace ludens::checkers
