// The machine of gomoku, for one instruction set.
//
// What is left of a random game is a random order of the empty cells. It is drawn at once when the first random move is
// made, cell by cell as a shuffle of all cells that passes over the taken ones. With the step at which each cell is
// taken, the step that completes a row is the greatest of those of its cells, and the game's end the least over all
// rows: a few vector operations over all rows of a direction. From then on a round costs nothing until the game ends:
// lanes wait in a list for the round in which theirs does.
//
// Where random games go by threats, a side completes a row if it can, and else takes a cell that completes one of the
// other side's. Then the order is worked out move by move, with those that are not forced as drawn.
//
// Orders do not depend on the instruction set. Compiled for each of them, see base/target.hpp.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/noted_moves.hpp"
#include "base/random.hpp"
#include "base/target.hpp"
#include "gomoku/fours.hpp"
#include "gomoku/game.hpp"

LUDENS_TARGET_ON

namespace ludens::gomoku {
inline namespace LUDENS_ISA {

#include "base/stopwatch.hpp"

// The cells of a board with a margin, in which no stone ever comes: each row is followed by one cell more.
struct Grid {
    explicit Grid(const Rules& rules)
        : columns(rules.columns), stride(columns + 1), first(stride + 1), end(first + rules.rows * stride),
          size(end + rules.length * (stride + 1) + vector_bytes) {}

    int place(int cell) const { return first + cell / columns * stride + cell % columns; }
    int cell(int place) const { return (place - first) / stride * columns + (place - first) % stride; }

    int columns, stride, first, end, size;
};

// The steps at which one side takes its cells, as numbers of type Time, which is as small as the board allows: 0 if it
// had them from the start, `never` if it does not take them.
template <class Time> class Schedule {
public:
    static constexpr Time never = std::numeric_limits<Time>::max();

    Schedule(const Rules& rules, const Grid& grid)
        : length_(rules.length), exact_(rules.exact), grid_(grid), steps_(static_cast<std::size_t>(grid.size), never) {}

    void clear() { std::ranges::fill(steps_, never); }
    // The steps by place.
    Time* steps() { return steps_.data(); }

    // The step at which the first row that wins is complete, or `never`.
    Time first_row() const {
        switch (length_) {
            case 3: return first_row<3>();
            case 4: return first_row<4>();
            case 5: return first_row<5>();
            case 6: return first_row<6>();
            default: return first_row<most_length>();
        }
    }

private:
    typedef Time V __attribute__((vector_size(vector_bytes)));
    static constexpr int lane_count = vector_bytes / sizeof(Time);

    template <int Length> Time first_row() const {
        V best = V{} + never;
        for (const Direction& direction : directions) {
            const int step = direction.down * grid_.stride + direction.right;
            for (int p = grid_.first; p < grid_.end; p += lane_count) {
                V last = load(p);
                for (int i = 1; i < Length; ++i) last = greater(last, load(p + i * step));
                if (exact_) {
                    const auto longer = (load(p - step) <= last) | (load(p + Length * step) <= last);
                    last |= (V)longer;
                }
                best = last < best ? last : best;
            }
        }
        Time least = never;
        for (int i = 0; i < lane_count; ++i) least = std::min<Time>(least, best[i]);
        return least;
    }

    static V greater(V a, V b) { return a > b ? a : b; }
    V load(int place) const {
        V vector;
        std::memcpy(&vector, steps_.data() + place, sizeof(V));
        return vector;
    }

    const int length_;
    const bool exact_;
    const Grid& grid_;
    std::vector<Time> steps_;
};

// Numbers for the draws of a shuffle, sixteen at a time: xoroshiro128+ (Blackman and Vigna, 2018), eight streams.
class Draws {
public:
    explicit Draws(std::uint64_t seed) {
        Random random(seed);
        for (int i = 0; i < streams; ++i) {
            s0_[i] = random();
            s1_[i] = random();
        }
    }

    // Writes for the places from `first` up to `last` of so many the places that they change with, and up to 15 more.
    void write(int first, int last, int count, std::uint32_t* changes) {
        Numbers ahead;
        for (int i = 0; i < 2 * streams; ++i) ahead[i] = static_cast<std::uint32_t>(i);
        for (int place = first; place < last; place += 2 * streams) {
            const Numbers from = ahead + static_cast<std::uint32_t>(place);
            const Numbers left = static_cast<std::uint32_t>(count) - from;
            const Numbers to = from + ((((Numbers)next() >> (32 - digits)) * left) >> digits);
            std::memcpy(changes + place, &to, sizeof to);
        }
    }

private:
    static constexpr int streams = 8, digits = 22;
    static_assert(most_cells < 1 << (32 - digits));
    typedef std::uint64_t Words __attribute__((vector_size(64)));
    typedef std::uint32_t Numbers __attribute__((vector_size(64)));

    Words next() {
        const Words result = s0_ + s1_, t = s0_ ^ s1_;
        s0_ = ((s0_ << 24) | (s0_ >> 40)) ^ t ^ (t << 16);
        s1_ = (t << 37) | (t >> 27);
        return result;
    }

    Words s0_, s1_;
};

template <class Time> class GomokuMachine final : public Machine {
public:
    GomokuMachine(const GomokuGame& game, const char* instruction_set, int lanes, std::uint64_t seed)
        : game_(game), rules_(game.rules()), instruction_set_(instruction_set), cells_(rules_.cells()), grid_(rules_),
          schedules_{Schedule<Time>(rules_, grid_), Schedule<Time>(rules_, grid_)}, board_(rules_), draws_(seed),
          lanes_(static_cast<std::size_t>(lanes)),
          orders_(static_cast<std::size_t>(lanes) * static_cast<std::size_t>(cells_)),
          finished_(static_cast<std::size_t>(lanes / 64), ~Word{0}), due_(static_cast<std::size_t>(cells_) + 1) {
        for (int cell = 0; cell < cells_; ++cell) deck_.push_back(static_cast<std::uint16_t>(grid_.place(cell)));
        changes_.resize(deck_.size() + 16);
    }

    const Game& game() const override { return game_; }
    int lanes() const override { return static_cast<int>(lanes_.size()); }
    const char* instruction_set() const override { return instruction_set_; }
    std::span<const Word> finished() const override { return finished_; }
    double evaluation_seconds() const override { return evaluation_seconds_; }
    double choice_seconds() const override { return choice_seconds_; }

    void advance() override {
        ++round_;
        const Stopwatch watch(choice_seconds_, round_);
        fresh_.swap(moving_);
        fresh_.clear();
        for (const int number : moving_) {
            Lane& lane = lanes_[static_cast<std::size_t>(number)];
            lane.listed = false;
            if (is_set(finished_, number)) continue;
            if (lane.forced != none) play_forced(number, lane);
            else if (game_.threat_playouts()) draw_by_threats(number, lane);
            else draw(number, lane);
        }
    }

    void load(std::span<const Start> starts) override {
        const Word* decoded = nullptr;  // playouts start many lanes from one state
        Position position;
        for (const Start& start : starts) {
            if (start.state != decoded) position = game_.decode(decoded = start.state);
            Lane& lane = begin(start.lane, position);
            unseen_.push_back(start.lane);
            if (start.moves) lane.forced = start.moves[game_.role(position.turn)];
        }
    }

    void restart(std::span<const Word> lanes, const Word* state) override {
        const Position position = game_.decode(state);
        const End end = end_of(position);
        each_bit(lanes, [&](int number) { settle(number, begin(number, position), end); });
    }

    void evaluate() override {
        const Stopwatch watch(evaluation_seconds_, round_);
        for (const int number : unseen_) {
            Lane& lane = lanes_[static_cast<std::size_t>(number)];
            if (!lane.drawn) settle(number, lane, end_of(lane.position));
        }
        unseen_.clear();
        std::vector<int>& due = due_[round_ % due_.size()];
        for (const int number : due) {
            const Lane& lane = lanes_[static_cast<std::size_t>(number)];
            if (lane.drawn && lane.last_round == round_) set_bit(finished_.data(), number);
        }
        due.clear();
    }

    void read_states(std::span<const int> lanes, Word* out) override {
        for (const int lane : lanes) {
            game_.encode(now(lane), out);
            out += game_.state_words();
        }
    }

    void read_legal(std::span<const int> lanes, Word* out) override {
        for (const int lane : lanes) {
            std::fill_n(out, game_.move_words(), 0);
            const Position position = now(lane);
            const int role = game_.role(position.turn), first = role * game_.moves()[0];
            for (int cell = 0; cell < cells_; ++cell)
                if (!position.taken(cell)) set_bit(out, first + cell);
            set_bit(out, (1 - role) * game_.moves()[0] + game_.waiting());
            out += game_.move_words();
        }
    }

    void read_terminal(std::span<const int> lanes, std::uint8_t* out) override {
        for (const int lane : lanes) *out++ = is_set(finished_, lane);
    }

    void read_goals(std::span<const int> lanes, int* out) override {
        for (const int lane : lanes) out = std::ranges::copy(goals_of(lane), out).out;
    }

    void add_endings(std::span<const Word> lanes, Endings& endings) override {
        std::array<std::int64_t, 3> count{};
        each_bit(lanes, [&](int lane) {
            endings.stuck += !is_set(finished_, lane);
            ++count[outcome_of(lane)];
        });
        for (std::size_t outcome = 0; outcome < count.size(); ++outcome) {
            endings.games += count[outcome];
            for (std::size_t role = 0; role < 2; ++role) endings.add(role, rules_.goals[outcome][role], count[outcome]);
        }
    }

    void read_moves(std::span<const int> lanes, int* out) override {
        for (const int number : lanes) {
            const Lane& lane = lanes_[static_cast<std::size_t>(number)];
            const int made = steps(number);
            if (made > 0) write_move(mover(lane, made), cell_of(number, made), out);
            else if (lane.moved >= 0) write_move(lane.position.turn ^ 1, lane.moved, out);
            else out[0] = out[1] = -1;
            out += 2;
        }
    }

    void note_moves(bool wanted) override {
        noted_.note(game_, this->lanes(), wanted);
        if (!wanted) return;
        for (int lane = 0; lane < this->lanes(); ++lane) lanes_[static_cast<std::size_t>(lane)].noted = steps(lane);
    }
    void read_noted(std::span<const int> lanes, Word* out) override {
        for (const int number : lanes) {
            noted_.read({&number, 1}, out);
            const Lane& lane = lanes_[static_cast<std::size_t>(number)];
            for (int step = lane.noted + 1; step <= steps(number); ++step) {
                int joint[2];
                write_move(mover(lane, step), cell_of(number, step), joint);
                for (int role = 0; role < 2; ++role) set_bit(out, role * game_.moves()[0] + joint[role]);
            }
            out += game_.move_words();
        }
    }

private:
    static constexpr int none = -2;  // -1 is a forced move that is no move

    struct Lane {
        Position position;    // before the random moves
        int forced = none;    // what it is to do next
        int moved = -1;       // what it was forced to last
        bool listed = false;  // in fresh_
        bool drawn = false;
        // Of a lane whose order is drawn: the rounds of the first and the last of its moves.
        std::uint64_t first_round = 0, last_round = 0;
        Outcome outcome = ludens::gomoku::drawn;  // of its end, where that is known
        int noted = 0;                            // random moves before notes were asked for
    };

    // How a position ends if it is over.
    struct End {
        bool over;
        Outcome outcome;
    };

    Lane& begin(int number, const Position& position) {
        Lane& lane = lanes_[static_cast<std::size_t>(number)];
        lane = Lane{.position = position, .listed = lane.listed};
        finished_[static_cast<std::size_t>(number) / 64] &= ~(Word{1} << number % 64);
        if (noted_.wanted()) noted_.forget(number);
        list(number, lane);
        return lane;
    }
    void list(int number, Lane& lane) {
        if (!std::exchange(lane.listed, true)) fresh_.push_back(number);
    }

    End end_of(const Position& position) const {
        if (game_.rows().any(position.stones[0])) return {true, first_wins};
        if (game_.rows().any(position.stones[1])) return {true, second_wins};
        return {position.stones[0].count() + position.stones[1].count() == cells_, ludens::gomoku::drawn};
    }
    void settle(int number, Lane& lane, const End& end) {
        lane.outcome = end.outcome;
        if (end.over) set_bit(finished_.data(), number);
    }

    // ---- Moves ---------------------------------------------------------------------------------------------------

    void play_forced(int number, Lane& lane) {
        Position& position = lane.position;
        const int side = position.turn, cell = lane.forced;
        lane.moved = std::exchange(lane.forced, none);
        position.turn ^= 1;
        list(number, lane);
        if (noted_.wanted()) {
            int joint[2];
            write_move(side, cell, joint);
            noted_.add(number, joint);
        }
        if (cell < 0 || cell >= cells_ || position.taken(cell)) return;
        position.stones[static_cast<std::size_t>(side)].add(cell);
        const bool won = game_.rows().through(position.stones[static_cast<std::size_t>(side)], cell);
        const bool full = position.stones[0].count() + position.stones[1].count() == cells_;
        settle(number, lane, {won || full, won ? (side == 0 ? first_wins : second_wins) : ludens::gomoku::drawn});
    }

    // Draws the order of the cells, at least as far as the game goes, and makes the first move.
    void draw(int number, Lane& lane) {
        for (std::size_t side = 0; side < 2; ++side) {
            schedules_[side].clear();
            Time* const steps = schedules_[side].steps();
            each_bit(lane.position.stones[side].words, [&](int cell) { steps[grid_.place(cell)] = 0; });
        }
        std::uint16_t* const order = order_of(number);
        std::uint16_t* const deck = deck_.data();
        const std::uint32_t* const changes = changes_.data();
        const auto side = static_cast<std::size_t>(lane.position.turn);
        Time *own = schedules_[side].steps(), *others = schedules_[side ^ 1].steps();
        int made = 0;
        Time row = Schedule<Time>::never;
        for (int first = 0; first < cells_ && row == Schedule<Time>::never;) {
            const int last = first == 0 ? std::min(cells_, (cells_ / 2 + 31) / 16 * 16) : cells_;
            draws_.write(first, last, cells_, changes_.data());
            for (; first < last; ++first) {
                const std::uint16_t place = deck[changes[first]];
                deck[changes[first]] = deck[first];
                deck[first] = place;
                if ((own[place] & others[place]) == 0) continue;  // taken before
                order[made++] = place;
                own[place] = static_cast<Time>(made);
                std::swap(own, others);
            }
            row = std::min(schedules_[0].first_row(), schedules_[1].first_row());
        }
        const bool won = row != Schedule<Time>::never;
        schedule_end(number, lane, won ? row : made, won);
    }

    // The same for games that go by threats.
    void draw_by_threats(int number, Lane& lane) {
        draws_.write(0, cells_, cells_, changes_.data());
        board_.set(lane.position);
        Cells taken;
        for (std::size_t w = 0; w < taken.words.size(); ++w)
            taken.words[w] = lane.position.stones[0].words[w] | lane.position.stones[1].words[w];
        std::uint16_t* const order = order_of(number);
        const int all = cells_ - taken.count();
        int made = 0, shuffled = 0, side = lane.position.turn;
        for (bool won = false; made < all && !won; side ^= 1) {
            int cell = board_.fives(side).cell;
            won = cell >= 0;
            if (!won) cell = board_.fives(side ^ 1).cell;
            while (cell < 0 || taken[cell]) {
                const auto at = static_cast<std::size_t>(shuffled++), with = static_cast<std::size_t>(changes_[at]);
                std::swap(deck_[at], deck_[with]);
                cell = grid_.cell(deck_[at]);
            }
            order[made++] = static_cast<std::uint16_t>(grid_.place(cell));
            taken.add(cell);
            board_.make(cell, side);
            if (made == all || won) schedule_end(number, lane, made, won);
        }
    }

    // Notes when a game whose order is drawn ends, and whether whoever moves last has won.
    void schedule_end(int number, Lane& lane, int end, bool won) {
        lane.drawn = true;
        lane.first_round = round_;
        lane.last_round = round_ + static_cast<std::uint64_t>(end) - 1;
        lane.outcome = !won ? ludens::gomoku::drawn : mover(lane, end) == 0 ? first_wins : second_wins;
        due_[lane.last_round % due_.size()].push_back(number);
    }

    // ---- What has happened ---------------------------------------------------------------------------------------

    std::uint16_t* order_of(int number) {
        return orders_.data() + static_cast<std::size_t>(number) * static_cast<std::size_t>(cells_);
    }
    // How many random moves a lane has made.
    int steps(int number) const {
        const Lane& lane = lanes_[static_cast<std::size_t>(number)];
        if (!lane.drawn) return 0;
        const std::uint64_t all = lane.last_round - lane.first_round + 1;
        return static_cast<int>(is_set(finished_, number) ? all : std::min(all, round_ - lane.first_round + 1));
    }
    // Who makes the random move of a step, counted from 1, and where.
    static int mover(const Lane& lane, int step) { return lane.position.turn ^ ((step - 1) & 1); }
    int cell_of(int number, int step) { return grid_.cell(order_of(number)[step - 1]); }

    // The position of a lane.
    Position now(int number) {
        const Lane& lane = lanes_[static_cast<std::size_t>(number)];
        Position position = lane.position;
        for (int step = 1; step <= steps(number); ++step) {
            position.stones[static_cast<std::size_t>(mover(lane, step))].add(cell_of(number, step));
            position.turn ^= 1;
        }
        return position;
    }
    void write_move(int side, int cell, int* joint) const {
        joint[game_.role(side)] = cell;
        joint[game_.role(side ^ 1)] = game_.waiting();
    }

    // Before its end a game is worth what a draw is.
    Outcome outcome_of(int number) const {
        return is_set(finished_, number) ? lanes_[static_cast<std::size_t>(number)].outcome : ludens::gomoku::drawn;
    }
    const std::array<int, 2>& goals_of(int number) const { return rules_.goals[outcome_of(number)]; }

    const GomokuGame& game_;
    const Rules& rules_;
    const char* const instruction_set_;
    const int cells_;
    const Grid grid_;
    std::array<Schedule<Time>, 2> schedules_;  // of the game that is being drawn
    FourBoard board_;                          // where that game goes by threats
    Draws draws_;
    std::vector<std::uint16_t> deck_;     // all places, in a random order
    std::vector<std::uint32_t> changes_;  // with which of these each one is to change
    std::vector<Lane> lanes_;
    std::vector<std::uint16_t> orders_;  // [lanes][cells] places in the order in which they are taken
    std::vector<Word> finished_;
    std::vector<std::vector<int>> due_;  // lanes whose game may end in a round, by the round modulo the size
    std::vector<int> fresh_, moving_;    // lanes of which no order is drawn, since the last round and before
    std::vector<int> unseen_;            // lanes loaded since the last evaluation
    NotedMoves noted_;
    std::uint64_t round_ = 0;
    double evaluation_seconds_ = 0, choice_seconds_ = 0;
};

std::unique_ptr<Machine> make(const GomokuGame& game, const char* name, int lanes, std::uint64_t seed) {
    if (game.rules().cells() < std::numeric_limits<std::uint8_t>::max())
        return std::make_unique<GomokuMachine<std::uint8_t>>(game, name, lanes, seed);
    return std::make_unique<GomokuMachine<std::uint16_t>>(game, name, lanes, seed);
}

}  // namespace LUDENS_ISA
}  // namespace ludens::gomoku

LUDENS_TARGET_OFF
