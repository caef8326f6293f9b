// The machine of Tak, for one instruction set: a game in every lane of a few vectors.
//
// advance() counts the moves of all games of a block of lanes, draws a number below the count of each and makes the move
// that has it; evaluate() looks for roads, full boards and empty reserves. There are no lists of moves and no branches
// on what a lane does.
//
// Draws do not depend on the width of the vectors. Compiled for each instruction set, see base/target.hpp; avx512 is
// that of Ice Lake and Zen 4, with counting of bits.
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "base/noted_moves.hpp"
#include "base/random.hpp"
#include "base/target.hpp"
#include "tak/game.hpp"
#include "tak/spreads.hpp"

LUDENS_TARGET_ON

namespace ludens::tak {
inline namespace LUDENS_ISA {

#include "base/stopwatch.hpp"

#include "tak/position.hpp"

#include "tak/coding.hpp"

#include "tak/lanes.hpp"

#include "tak/lane_boards.hpp"

#include "tak/lane_sums.hpp"

#include "tak/lane_moves.hpp"

#include "tak/lane_play.hpp"

#include "tak/lane_roads.hpp"

#include "tak/lane_draws.hpp"

#include "tak/board_sizes.hpp"

template <int N> class alignas(alignof(LaneDraws)) TakMachine final : public Machine {
public:
    TakMachine(const TakGame& game, const char* instruction_set, int lanes, std::uint64_t seed)
        : game_(game), instruction_set_(instruction_set), lanes_(lanes),
          blocks_(static_cast<std::size_t>(lanes / L::size)), finished_(static_cast<std::size_t>(lanes / 64), ~Word{0}),
          numbers_(static_cast<std::size_t>(lanes), -1), draws_(lanes, seed) {}

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
            draws_.draw();
            for (std::size_t i = 0; i < blocks_.size(); i += together)
                advance(i, std::min(together, blocks_.size() - i));
        }
        if (noted_.wanted()) note();
    }

    void load(std::span<const Start> starts) override {
        const Word* decoded = nullptr;  // random games start many lanes from one state
        Position<N> position;
        LaneState<N> state(position);
        for (const Start& start : starts) {
            if (start.state != decoded) {
                decoded = start.state;
                position = decode<N>(decoded);
                state = LaneState<N>(position);
            }
            Block<N>& b = block_of(start.lane);
            const int at = start.lane % L::size;
            begin(b, 1u << at);
            b.write_one(at, state);
            noted_.forget(start.lane);
            numbers_[static_cast<std::size_t>(start.lane)] = -1;
            if (start.moves) force(start.lane, position, start.moves[position.turn()]);
        }
    }

    void restart(std::span<const Word> lanes, const Word* state) override {
        const LaneState<N> s(decode<N>(state));
        noted_.forget(lanes);
        each_bit(lanes, [&](int lane) { numbers_[static_cast<std::size_t>(lane)] = -1; });
        each_block(lanes, [&](Block<N>& b, unsigned chosen) {
            begin(b, chosen);
            b.write(chosen, s);
        });
    }

    void evaluate() override {
        {
            const Stopwatch watch(evaluation_seconds_, round_);
            for (Block<N>& b : blocks_)
                if (b.fresh) evaluate(b);
        }
        for (std::size_t w = 0; w < finished_.size(); ++w) {
            finished_[w] = 0;
            for (int i = 0; i < 64 / L::size; ++i)
                finished_[w] |= Word{blocks_[w * (64 / L::size) + static_cast<std::size_t>(i)].finished}
                                << (i * L::size);
        }
    }

    void read_states(std::span<const int> lanes, Word* out) override {
        for (const int lane : lanes) {
            block_of(lane).read(lane % L::size, out);
            out += game_.state_words();
        }
    }

    void read_legal(std::span<const int> lanes, Word* out) override {
        for (const int lane : lanes) {
            std::fill_n(out, game_.move_words(), 0);
            const Position<N> position = read(lane);
            const int first = position.turn() * game_.moves()[0];
            set_bit(out, (1 - position.turn()) * game_.moves()[0] + game_.waiting());
            position.each_move([&](int number) { set_bit(out, first + number); });
            out += game_.move_words();
        }
    }

    void read_terminal(std::span<const int> lanes, std::uint8_t* out) override {
        for (const int lane : lanes) *out++ = is_set(finished_, lane);
    }

    void read_goals(std::span<const int> lanes, int* out) override {
        for (const int lane : lanes) {
            const Block<N>& b = block_of(lane);
            const auto holds = [&](unsigned set) { return static_cast<int>(set >> (lane % L::size) & 1); };
            const bool over = holds(b.finished);
            for (int role = 0; role < 2; ++role)
                *out++ = over ? middle_goal * (1 + holds(b.won[role]) - holds(b.won[1 - role])) : -1;
        }
    }

    void add_endings(std::span<const Word> lanes, Endings& endings) override {
        std::array<std::int64_t, 2> won{};
        std::int64_t games = 0;
        each_block(lanes, [&](const Block<N>& b, unsigned chosen) {
            games += std::popcount(chosen);
            endings.stuck += std::popcount(chosen & ~b.finished);
            for (int role = 0; role < 2; ++role) won[role] += std::popcount(chosen & b.finished & b.won[role]);
        });
        endings.games += games;
        for (std::size_t role = 0; role < 2; ++role) {
            endings.add(role, best_goal, won[role]);
            endings.add(role, middle_goal, games - won[0] - won[1]);
        }
    }

    void read_moves(std::span<const int> lanes, int* out) override {
        for (const int lane : lanes) {
            const Block<N>& b = block_of(lane);
            const int at = lane % L::size, mover = 1 - static_cast<int>(b.ply[at] & 1);
            out[mover] = b.square[at] ? MoveCode<N>{b.square[at], b.code[at]}.number()
                                      : numbers_[static_cast<std::size_t>(lane)];
            out[1 - mover] = game_.waiting();
            out += 2;
        }
    }

    void note_moves(bool wanted) override { noted_.note(game_, lanes_, wanted); }
    void read_noted(std::span<const int> lanes, Word* out) override { noted_.read(lanes, out); }

private:
    using Boards = LaneBoard<N>;
    using L = typename Boards::L;
    using Cell = typename L::Cell;
    using V = typename L::V;
    using Mask = typename L::Mask;

    Block<N>& block_of(int lane) { return blocks_[static_cast<std::size_t>(lane / L::size)]; }

    // act(block, which of its lanes) for the blocks that have some of these lanes.
    template <class Act> void each_block(std::span<const Word> lanes, Act act) {
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            const std::size_t first = i * L::size;
            const auto chosen = static_cast<unsigned>(lanes[first / 64] >> (first % 64)) & Block<N>::all_lanes;
            if (chosen) act(blocks_[i], chosen);
        }
    }

    Position<N> read(int lane) {
        std::array<Word, 5 + N * N * sizeof(typename Position<N>::Owners) / sizeof(Word)> words;
        block_of(lane).read(lane % L::size, words.data());
        return decode<N>(words.data());
    }

    static void begin(Block<N>& b, unsigned lanes) {
        b.finished &= ~lanes;
        b.forced &= ~lanes;
        b.fresh = true;
    }

    // A move that is not legal is only a turn that has passed.
    void force(int lane, const Position<N>& position, int number) {
        Block<N>& b = block_of(lane);
        const int at = lane % L::size;
        const MoveCode<N> move = position.allows(number) ? MoveCode<N>::of(number) : MoveCode<N>{0, 0};
        b.forced |= 1u << at;
        b.forced_square[at] = static_cast<Cell>(move.square);
        b.forced_code[at] = static_cast<Cell>(move.code);
        numbers_[static_cast<std::size_t>(lane)] = number;
    }

    // What the lanes that were not finished have just made.
    void note() {
        for (int lane = 0; lane < lanes_; ++lane) {
            if (is_set(finished_, lane)) continue;
            int moves[2];
            read_moves({&lane, 1}, moves);
            noted_.add(lane, moves);
        }
    }

    // So many blocks go through each step together: one alone would wait for one result after the other.
    static constexpr std::size_t together = 4;

    // Makes the moves of blocks from the i-th on.
    void advance(std::size_t i, std::size_t count) {
        const auto over = [](const Block<N>& b) { return b.finished == Block<N>::all_lanes; };
        if (std::all_of(&blocks_[i], &blocks_[i] + count, over)) return;
        std::array<LaneMoves<N>, together> moves;
        std::array<V, together> numbers, squares;
        for (std::size_t j = 0; j < count; ++j) moves[j].look_at(blocks_[i + j]);
        for (std::size_t j = 0; j < count; ++j) {
            const V rank = draws_.template below<L>(i + j, moves[j].count());
            numbers[j] = moves[j].find(rank, squares[j]);
        }
        for (std::size_t j = 0; j < count; ++j) {
            Block<N>& b = blocks_[i + j];
            b.choose(~b.finished, squares[j], moves[j].codes(squares[j], numbers[j]));
            b.choose(b.forced & ~b.finished, b.forced_square, b.forced_code);
            b.forced = 0;
            b.fresh = true;
        }
        for (std::size_t j = 0; j < count; ++j) LanePlay<N>{blocks_[i + j]}();
    }

    // ---- The end ---------------------------------------------------------------------------------------------------

    void evaluate(Block<N>& b) const {
        const std::array<Mask, 2> joined{LaneRoads<N>::in(b.own(0) & ~b.walls), LaneRoads<N>::in(b.own(1) & ~b.walls)};
        std::array<unsigned, 2> roads{L::bits_of(joined[0]), L::bits_of(joined[1])};
        if (const unsigned two = roads[0] & roads[1]) {  // that of who has moved counts
            const unsigned next_is_1 = L::bits_of(L::test(b.ply, L::all(1)));
            roads[0] &= ~two | next_is_1;
            roads[1] &= ~two | ~next_is_1;
        }
        const unsigned by_road = roads[0] | roads[1], by_flats = full(b) & ~by_road;
        b.won = roads;
        if (by_flats) count_flats(b, by_flats);
        unsigned over = by_road | by_flats;
        if (const int limit = game_.rules().ply_limit)
            over |= L::bits_of(L::at_least(b.ply, L::all(static_cast<Cell>(limit))));
        b.finished |= over;
        b.fresh = false;
    }

    // Lanes in which the board is full, or somebody has nothing left to place.
    static unsigned full(const Block<N>& b) {
        const Mask free = L::test(~b.taken(), Boards::squares(Geometry<N>::all));
        const auto left = [&](int player) { return b.flats[player] | b.capstones_left[player]; };
        const Mask both = L::both(L::test(left(0), left(0)), L::test(left(1), left(1)));
        return Block<N>::all_lanes & ~L::bits_of(L::both(free, both));
    }

    void count_flats(Block<N>& b, unsigned lanes) const {
        const auto flats = [&](int player) { return L::count(b.own(player) & ~(b.walls | b.capstones)); };
        const V first = flats(0) * 2, second = flats(1) * 2;
        const int komi = game_.rules().half_komi;
        const V ahead = komi > 0 ? first : first + static_cast<Cell>(-komi);
        const V behind = komi > 0 ? second + static_cast<Cell>(komi) : second;
        b.won[1] |= lanes & ~L::bits_of(L::at_least(ahead, behind));
        b.won[0] |= lanes & ~L::bits_of(L::at_least(behind, ahead));
    }

    const TakGame& game_;
    const char* const instruction_set_;
    const int lanes_;
    std::vector<Block<N>> blocks_;
    std::vector<Word> finished_;
    std::vector<int> numbers_;  // of the last move of a lane, where it was not drawn
    LaneDraws draws_;
    NotedMoves noted_;
    unsigned round_ = 0;
    double evaluation_seconds_ = 0, choice_seconds_ = 0;
};

std::unique_ptr<Machine> make(const TakGame& game, const char* name, int lanes, std::uint64_t seed) {
    return for_size(game.rules().size, [&]<int N>() -> std::unique_ptr<Machine> {
        return std::make_unique<TakMachine<N>>(game, name, lanes, seed);
    });
}

// All lanes of a block hold the position, and draw different ranks.
template <int N> std::vector<int> moves_by_rank(const Position<N>& position) {
    using L = typename LaneBoard<N>::L;
    auto b = std::make_unique<Block<N>>();
    b->write(Block<N>::all_lanes, LaneState<N>(position));
    LaneMoves<N> moves;
    moves.look_at(*b);
    const int count = static_cast<int>(moves.count()[0]);
    std::vector<int> numbers;
    while (static_cast<int>(numbers.size()) < count) {
        typename L::V ranks;
        for (int i = 0; i < L::size; ++i)
            ranks[i] = static_cast<typename L::Cell>(std::min(static_cast<int>(numbers.size()) + i, count - 1));
        typename L::V squares;
        const auto numbers_there = moves.find(ranks, squares);
        const auto codes = moves.codes(squares, numbers_there);
        for (int i = 0; i < L::size && static_cast<int>(numbers.size()) < count; ++i)
            numbers.push_back(MoveCode<N>{squares[i], codes[i]}.number());
    }
    return numbers;
}

std::vector<int> list_by_rank(const TakGame& game, const Word* state) {
    return for_size(game.rules().size, [&]<int N>() { return moves_by_rank(decode<N>(state)); });
}

}  // namespace LUDENS_ISA
}  // namespace ludens::tak

LUDENS_TARGET_OFF
