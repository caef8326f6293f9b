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

// So many games side by side, an array of lanes for everything that is known of them.
struct alignas(sizeof(V)) Block {
    V own, others, king, chain, turn;  // turn: all ones if red moves
    V step, idle;
    // What evaluate() found: pieces that can step or jump, by direction; where captures are forced `steps` has
    // already what is legal, and `jumping` says of which kind it is.
    V steps[direction_count], jumps[direction_count];
    V moves;   // how many actions there are
    V chains;  // how many of them are enumerated
    unsigned jumping;
    unsigned parked, forced;
    // What advance() did: pieces that moved and by how much; for the others see CheckersMachine::numbers_.
    V from, rotation, mover;
    RandomLanes random;
};

template <bool WrapFiles>
class CheckersMachine final : public Machine {
public:
    CheckersMachine(const CheckersGame& game, const char* instruction_set, int lanes, std::uint64_t seed)
        : game_(game), rules_(game.rules()), instruction_set_(instruction_set), lanes_(lanes),
          blocks_(static_cast<std::size_t>(lanes / lane_count)), parked_(static_cast<std::size_t>(lanes / 64), ~Word{0}),
          numbers_(static_cast<std::size_t>(lanes), -1), least_(static_cast<std::size_t>(lanes), 0) {
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
    double evaluation_seconds() const override { return evaluation_seconds_; }
    double choice_seconds() const override { return choice_seconds_; }

    void advance() override {
        const Stopwatch watch(choice_seconds_);
        for (auto [lane, number] : forced_) play_forced(lane, number);
        forced_.clear();
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            Block& b = blocks_[i];
            if (const unsigned active = all_lanes & ~(b.parked | b.forced)) choose(b, static_cast<int>(i), active);
            else b.from = V{};
            b.forced = 0;
        }
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
        const Stopwatch watch(evaluation_seconds_);
        for (std::size_t i = 0; i < blocks_.size(); ++i)
            if (blocks_[i].parked != all_lanes) find_moves(blocks_[i], static_cast<int>(i));
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
            out[role] = b.from[at] ? number(b.from[at], b.rotation[at]) : numbers_[lane];
            out[1 - role] = game_.waiting();
            out += 2;
        }
    }

private:
    static constexpr unsigned all_lanes = static_cast<unsigned>((std::uint64_t{1} << lane_count) - 1);

    struct Forced {
        int lane, number;
    };

    class Stopwatch {
    public:
        explicit Stopwatch(double& total) : total_(total), start_(std::chrono::steady_clock::now()) {}
        ~Stopwatch() { total_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

    private:
        double& total_;
        std::chrono::steady_clock::time_point start_;
    };

    // ---- One lane ----------------------------------------------------------------------------------------------

    Block& block_of(int lane) { return blocks_[lane / lane_count]; }

    State read(int lane) {
        Block& b = block_of(lane);
        const auto at = [&](V& v) { return v[lane % lane_count]; };
        return {.own = at(b.own), .others = at(b.others), .king = at(b.king), .chain = at(b.chain),
                .turn = at(b.turn) ? red : black, .step = static_cast<int>(at(b.step)), .idle = static_cast<int>(at(b.idle))};
    }

    void write(int lane, const State& s) {
        Block& b = block_of(lane);
        const auto set = [&](V& v, std::uint32_t value) { v[lane % lane_count] = value; };
        set(b.own, s.own), set(b.others, s.others), set(b.king, s.king), set(b.chain, s.chain);
        set(b.turn, s.turn == red ? ~0u : 0u);
        set(b.step, static_cast<std::uint32_t>(s.step)), set(b.idle, static_cast<std::uint32_t>(s.idle));
    }

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

    // The number of the step or single jump that took a piece around by so much.
    int number(Squares from, unsigned rotation) const {
        for (int d = 0; d < direction_count; ++d)
            for (int jumps = 0; jumps < 2; ++jumps)
                if ((diagonal_step[d] * (jumps + 1) - rotation) % square_limit == 0)
                    return game_.number({from, {static_cast<std::uint8_t>(d)}, jumps});
        return -1;
    }

    // ---- What can move -----------------------------------------------------------------------------------------

    // The squares from which a step in this direction leads into `to`.
    template <int D>
    V back(V to) const {
        const V near = rotate<32 - diagonal_step[D]>(to) & inner_[D];
        if constexpr (!WrapFiles) return near;
        constexpr int wrapped = diagonal_step[D] + (D % 2 ? -8 : 8);
        return near | (rotate<(64 - wrapped) % 32>(to) & outer_[D]);
    }

    // Calls look.operator()<D>() for every direction.
    template <class Look>
    static void each_direction(Look look) {
        look.template operator()<0>();
        look.template operator()<1>();
        look.template operator()<2>();
        look.template operator()<3>();
    }

    void find_moves(Block& b, int index) {
        const V empty = ~(b.own | b.others);
        V up = b.own & (b.king | ~b.turn), down = b.own & (b.king | b.turn);
        if (rules_.jumps == Jumps::by_plies) {
            const V allowed = pick(meets(b.chain, b.chain), b.chain, all(~0u));
            up &= allowed, down &= allowed;
        }
        V steps[direction_count], jumps[direction_count], origins[direction_count];
        each_direction([&]<int D>() {
            const V before = back<D>(empty), mover = D < 2 ? up : down;
            origins[D] = back<D>(before & b.others);
            steps[D] = before & mover;
            jumps[D] = origins[D] & mover;
        });
        V can_jump = jumps[0] | jumps[1] | jumps[2] | jumps[3];
        const Mask jumping = meets(can_jump, can_jump);
        V moves{};
        if (rules_.forcing == Forcing::none) {
            for (int d = 0; d < direction_count; ++d) {
                moves += count(steps[d]) + count(jumps[d]);
                b.steps[d] = steps[d], b.jumps[d] = jumps[d];
            }
        } else {
            for (int d = 0; d < direction_count; ++d) {
                const V legal = pick(jumping, jumps[d], steps[d]);
                moves += count(legal);
                b.steps[d] = legal;
            }
            b.jumping = bits_of(jumping);
        }
        b.moves = moves;
        if (rules_.jumps == Jumps::up_to_three) count_chains(b, index, jumps, origins);
        park(b, empty);
    }

    // Counts the actions of two or more jumps in the lanes that may have some: where a jump lands on a square from
    // which its piece could jump, taking every jumping piece for a king where one is.
    void count_chains(Block& b, int index, const V* jumps, const V* origins) {
        V land{};
        each_direction([&]<int D>() { land |= ahead<D>(ahead<D>(jumps[D])); });
        const V jumpers = jumps[0] | jumps[1] | jumps[2] | jumps[3];
        const V kings = pick(meets(jumpers, b.king), all(~0u), V{});
        const V further = ((origins[0] | origins[1]) & (kings | ~b.turn)) | ((origins[2] | origins[3]) & (kings | b.turn));
        b.chains = V{};
        for (unsigned rest = bits_of(meets(land, further)) & ~b.parked; rest; rest &= rest - 1) {
            const int at = std::countr_zero(rest), lane = index * lane_count + at;
            const State s = read(lane);
            int chains = 0, longest = 0;
            game_.actions().chains(s, 2, [&](const Action& a) { ++chains, longest = std::max(longest, a.jumps); });
            least_[lane] = 2;
            if (rules_.forcing == Forcing::longest && longest == longest_chain) {
                chains = 0;
                least_[lane] = longest_chain;
                game_.actions().chains(s, longest_chain, [&](const Action&) { ++chains; });
            }
            if (chains && rules_.forcing == Forcing::longest) {
                for (V& set : b.steps) set[at] = 0;
                b.moves[at] = 0;
            }
            b.chains[at] = static_cast<std::uint32_t>(chains);
            b.moves[at] += static_cast<std::uint32_t>(chains);
        }
    }

    template <int D>
    V ahead(V from) const {
        V to = rotate<diagonal_step[D]>(from & inner_[D]);
        if constexpr (WrapFiles) {
            constexpr int wrapped = diagonal_step[D] + (D % 2 ? -8 : 8);
            to |= rotate<(wrapped + 32) % 32>(from & outer_[D]);
        }
        return to;
    }

    void park(Block& b, V empty) {
        unsigned over = bits_of(without(mask_of(all_lanes), meets(b.moves, b.moves)));
        if (rules_.step_limit) over |= bits_of(at_least(b.step, all(static_cast<unsigned>(rules_.step_limit))));
        if (rules_.idle_limit) over |= bits_of(at_least(b.idle, all(static_cast<unsigned>(rules_.idle_limit))));
        if (rules_.stuck_either) {
            V can_move{};
            const V up = b.others & (b.king | b.turn), down = b.others & (b.king | ~b.turn);
            each_direction([&]<int D>() {
                const V before = back<D>(empty);
                can_move |= (before | back<D>(before & b.own)) & (D < 2 ? up : down);
            });
            over |= all_lanes & ~bits_of(meets(can_move, can_move));
        }
        b.parked |= over;
    }

    // ---- Choosing and moving -----------------------------------------------------------------------------------

    void choose(Block& b, int index, unsigned active) {
        V rank = high_product(b.random(), b.moves);
        if (rules_.jumps == Jumps::up_to_three) {
            const unsigned enumerated = active & bits_of(at_least(rank, b.moves - b.chains));
            for (unsigned rest = enumerated; rest; rest &= rest - 1) {
                const int at = std::countr_zero(rest);
                play_chain(index * lane_count + at, static_cast<int>(rank[at] - b.moves[at] + b.chains[at]));
            }
            active &= ~enumerated;
        }
        const Mask moving = mask_of(active);
        Mask jumping;
        V sets[direction_count];
        if (rules_.forcing == Forcing::none) {
            const V steps = count(b.steps[0]) + count(b.steps[1]) + count(b.steps[2]) + count(b.steps[3]);
            jumping = at_least(rank, steps);
            rank -= keep(jumping, steps);
            for (int d = 0; d < direction_count; ++d) sets[d] = pick(jumping, b.jumps[d], b.steps[d]);
        } else {
            jumping = mask_of(b.jumping);
            for (int d = 0; d < direction_count; ++d) sets[d] = b.steps[d];
        }
        V set = sets[0], before{}, direction{}, passed = count(sets[0]), rotation = all(diagonal_step[0]);
        for (int d = 1; d < direction_count; ++d) {
            const Mask later = at_least(rank, passed);
            set = pick(later, sets[d], set);
            before = pick(later, passed, before);
            rotation = pick(later, all(diagonal_step[d]), rotation);
            if constexpr (WrapFiles) direction = pick(later, all(d), direction);
            passed += count(sets[d]);
        }
        const V from = keep(moving, member(set, rank - before));
        move(b, moving, jumping, from, rotation, direction);
    }

    void play_chain(int lane, int rank) {
        Action chosen{};
        game_.actions().chains(read(lane), least_[lane], [&](const Action& a) {
            if (rank-- == 0) chosen = a;
        });
        numbers_[lane] = game_.number(chosen);
        play(lane, chosen);
    }

    // The neighbour of one square in the direction of its lane.
    V neighbour(V at, V rotation, V direction) const {
        V to = rotate(at, rotation);
        if constexpr (WrapFiles) {
            const Mask right = meets(direction, all(1));
            const Mask crosses = meets(at, pick(right, all(outer_[1] | outer_[3]), all(outer_[0] | outer_[2])));
            to = pick(crosses, rotate(to, pick(right, all(24), all(8))), to);
        }
        return to;
    }

    void move(Block& b, Mask moving, Mask jumping, V from, V rotation, V direction) {
        V to = neighbour(from, rotation, direction);
        const V captured = keep(jumping, to);
        to = pick(jumping, neighbour(to, rotation, direction), to);
        const Geometry& g = game_.actions().geometry();
        const Mask was_king = meets(b.king, from);
        Mask crowned = without(mask_of(all_lanes), mask_of(all_lanes));
        if (rules_.kings) {
            const V far = (b.turn & g.crown(red)) | (~b.turn & g.crown(black));
            crowned = without(meets(to, far), was_king);
        }
        V own = b.own ^ from ^ to, others = b.others & ~captured;
        const V king = (b.king & ~(from | captured)) | keep(either(was_king, crowned), to);
        if (rules_.step_limit) b.step += keep(moving, all(1));
        if (rules_.idle_limit) {
            const V idle = keep(without(was_king, jumping), b.idle + 1);
            b.idle = pick(moving, idle, b.idle);
        }
        Mask passes = moving;
        if (rules_.jumps == Jumps::by_plies) {
            const V empty = ~(own | others), piece = keep(without(jumping, crowned), to);
            const V up = piece & (king | ~b.turn), down = piece & (king | b.turn);
            V again{};
            each_direction([&]<int D>() { again |= back<D>(back<D>(empty) & others) & (D < 2 ? up : down); });
            passes = without(moving, meets(again, again));
            b.chain = pick(moving, again, b.chain);
        }
        b.from = from;
        b.rotation = pick(jumping, rotation + rotation, rotation);
        b.mover = pick(moving, b.turn, b.mover);
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
    std::vector<Word> parked_;
    std::vector<Forced> forced_;
    std::vector<int> numbers_;                  // of the last move of a lane, where it was not drawn from the sets
    std::vector<std::int8_t> least_;            // jumps of the actions that are enumerated
    std::array<Squares, direction_count> inner_{}, outer_{};  // from where a step stays on the board, or wraps
    double evaluation_seconds_ = 0, choice_seconds_ = 0;
};

inline std::unique_ptr<Machine> make(const CheckersGame& game, const char* name, int lanes, std::uint64_t seed) {
    if (game.rules().wrap_files) return std::make_unique<CheckersMachine<true>>(game, name, lanes, seed);
    return std::make_unique<CheckersMachine<false>>(game, name, lanes, seed);
}

}  // namespace LUDENS_CHECKERS_ISA
}  // namespace ludens::checkers
