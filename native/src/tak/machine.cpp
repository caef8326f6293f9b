// The machine of Tak, for one instruction set: lanes are scalar, one game after the other.
//
// evaluate() counts the moves of each new position and finds out whether the game is over; advance() draws one of them
// by its rank, so that no list of moves is ever made in random games.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/noted_moves.hpp"
#include "base/random.hpp"
#include "base/target.hpp"
#include "base/threads.hpp"
#include "base/vector_math.hpp"
#include "tak/evaluation_weights.hpp"
#include "tak/game.hpp"
#include "tak/spreads.hpp"
#include "tak/td_searcher.hpp"
#include "tak/td_training.hpp"
#include "tak/tinue.hpp"
#include "tak/tinue_table.hpp"

LUDENS_TARGET_ON

namespace ludens::tak {
inline namespace LUDENS_ISA {

#include "tak/position.hpp"

#include "tak/coding.hpp"

#include "tak/position_key.hpp"

#include "tak/roads.hpp"

#include "tak/td_network.hpp"

#include "tak/td_search.inl"

#include "tak/evaluation.hpp"

#include "tak/td_searcher.inl"

#include "tak/td_training.inl"

#include "tak/tinue.inl"

#include "base/stopwatch.hpp"

template <int N> class TakMachine final : public Machine {
public:
    TakMachine(const TakGame& game, const char* instruction_set, int lanes, std::uint64_t seed)
        : game_(game), instruction_set_(instruction_set), lanes_(static_cast<std::size_t>(lanes)),
          finished_(static_cast<std::size_t>(lanes / 64), ~Word{0}), random_(mix(seed)) {}

    const Game& game() const override { return game_; }
    int lanes() const override { return static_cast<int>(lanes_.size()); }
    const char* instruction_set() const override { return instruction_set_; }
    std::span<const Word> finished() const override { return finished_; }
    double evaluation_seconds() const override { return evaluation_seconds_; }
    double choice_seconds() const override { return choice_seconds_; }

    void advance() override {
        const Stopwatch watch(choice_seconds_, ++round_);
        for (int i = 0; i < lanes(); ++i) {
            if (is_set(finished_, i)) continue;
            Lane& lane = lanes_[static_cast<std::size_t>(i)];
            lane.mover = lane.position.turn();
            if (lane.forced == none) {
                lane.made = lane.position.nth_move(static_cast<int>(random_.below(lane.count)));
                lane.position.play(lane.made);
            } else {  // a move that is not legal is only a turn that has passed
                lane.made = lane.forced;
                if (lane.position.allows(lane.made)) lane.position.play(lane.made);
                else ++lane.position.ply;
                lane.forced = none;
            }
            lane.fresh = true;
            if (noted_.wanted()) noted_.add(i, joint(lane));
        }
    }

    void load(std::span<const Start> starts) override {
        const Word* decoded = nullptr;  // random games start many lanes from one state
        Position<N> position;
        for (const Start& start : starts) {
            if (start.state != decoded) {
                decoded = start.state;
                position = decode<N>(decoded);
            }
            begin(start.lane, position, start.moves ? start.moves[position.turn()] : none);
        }
    }

    void restart(std::span<const Word> chosen, const Word* state) override {
        const Position<N> position = decode<N>(state);
        each_bit(chosen, [&](int lane) { begin(lane, position, none); });
    }

    void evaluate() override {
        const Stopwatch watch(evaluation_seconds_, round_);
        for (int i = 0; i < lanes(); ++i) {
            Lane& lane = lanes_[static_cast<std::size_t>(i)];
            if (!lane.fresh) continue;
            lane.fresh = false;
            lane.outcome = lane.position.outcome(game_.rules());
            if (lane.outcome == Outcome::open) lane.count = static_cast<std::uint32_t>(lane.position.count_moves());
            else set_bit(finished_.data(), i);
        }
    }

    void read_states(std::span<const int> lanes, Word* out) override {
        for (const int i : lanes) {
            encode(at(i).position, out);
            out += game_.state_words();
        }
    }

    void read_legal(std::span<const int> lanes, Word* out) override {
        for (const int i : lanes) {
            std::fill_n(out, game_.move_words(), 0);
            const Position<N>& position = at(i).position;
            const int first = position.turn() * game_.moves()[0];
            set_bit(out, (1 - position.turn()) * game_.moves()[0] + game_.waiting());
            position.each_move([&](int number) { set_bit(out, first + number); });
            out += game_.move_words();
        }
    }

    void read_terminal(std::span<const int> lanes, std::uint8_t* out) override {
        for (const int i : lanes) *out++ = at(i).outcome != Outcome::open;
    }

    void read_goals(std::span<const int> lanes, int* out) override {
        for (const int i : lanes) {
            const auto goals = goals_of(at(i).outcome);
            out = std::copy(goals.begin(), goals.end(), out);
        }
    }

    void read_moves(std::span<const int> lanes, int* out) override {
        for (const int i : lanes) {
            const auto moves = joint(at(i));
            out = std::copy(moves.begin(), moves.end(), out);
        }
    }

    void note_moves(bool wanted) override { noted_.note(game_, lanes(), wanted); }
    void read_noted(std::span<const int> lanes, Word* out) override { noted_.read(lanes, out); }

private:
    static constexpr int none = -2;  // -1 is a forced move that is no move

    struct Lane {
        Position<N> position;
        Outcome outcome = Outcome::open;
        std::uint32_t count = 0;  // of moves
        int forced = none;        // the number of the move that it is to make
        int made = -1;            // of the one it has made
        int mover = 0;
        bool fresh = false;  // nothing is known of the position yet
    };

    Lane& at(int lane) { return lanes_[static_cast<std::size_t>(lane)]; }

    void begin(int number, const Position<N>& position, int forced) {
        Lane& lane = at(number);
        lane.position = position;
        lane.forced = forced;
        lane.fresh = true;
        finished_[static_cast<std::size_t>(number) / 64] &= ~(Word{1} << (number % 64));
        noted_.forget(number);
    }

    std::array<int, 2> joint(const Lane& lane) const {
        std::array<int, 2> moves;
        moves.fill(game_.waiting());
        moves[static_cast<std::size_t>(lane.mover)] = lane.made;
        return moves;
    }

    static std::array<int, 2> goals_of(Outcome outcome) {
        switch (outcome) {
            case Outcome::won_by_0: return {100, 0};
            case Outcome::won_by_1: return {0, 100};
            case Outcome::drawn: return {50, 50};
            case Outcome::open: break;
        }
        return {-1, -1};
    }

    const TakGame& game_;
    const char* const instruction_set_;
    std::vector<Lane> lanes_;
    std::vector<Word> finished_;
    NotedMoves noted_;
    Random random_;
    unsigned round_ = 0;
    double evaluation_seconds_ = 0, choice_seconds_ = 0;
};

// The moves of the last ply are counted, not made.
template <int N> std::int64_t count_lines(const Position<N>& p, int depth, bool count_ended, const Rules& rules) {
    if (depth == 0) return 1;
    if (p.outcome(rules) != Outcome::open) return count_ended;
    if (depth == 1) return p.count_moves();
    std::int64_t lines = 0;
    p.each_move([&](int number) {
        Position<N> next = p;
        next.play(number);
        lines += count_lines(next, depth - 1, count_ended, rules);
    });
    return lines;
}

// Calls act.operator()<N>() for the size of a board.
template <class Act> auto for_size(int size, Act act) {
    switch (size) {
        case 3: return act.template operator()<3>();
        case 4: return act.template operator()<4>();
        case 5: return act.template operator()<5>();
        case 6: return act.template operator()<6>();
        case 7: return act.template operator()<7>();
        default: return act.template operator()<8>();
    }
}

std::unique_ptr<Machine> make(const TakGame& game, const char* name, int lanes, std::uint64_t seed) {
    return for_size(game.rules().size, [&]<int N>() -> std::unique_ptr<Machine> {
        return std::make_unique<TakMachine<N>>(game, name, lanes, seed);
    });
}

std::int64_t perft(const TakGame& game, const Word* state, int depth, bool count_ended) {
    return for_size(game.rules().size,
                    [&]<int N>() { return count_lines(decode<N>(state), depth, count_ended, game.rules()); });
}

std::unique_ptr<TdTraining> make_training(const TdOptions& options, std::span<const float> weights) {
    return for_size(options.rules.size, [&]<int N>() -> std::unique_ptr<TdTraining> {
        return std::make_unique<TdTrainingOf<N>>(options, weights);
    });
}

TdMove find_td_move(const TakGame& game, const Word* state, std::span<const float> weights, int depth) {
    return for_size(game.rules().size, [&]<int N>() {
        const Position<N> position = decode<N>(state);
        if (position.outcome(game.rules()) != Outcome::open) throw Error("tak: the game is over");
        const TdNetwork network(td_input_count(N), weights);
        return TdSearch<N>(network, game.rules()).best_move(position, depth);
    });
}

float estimate(const TakGame& game, const Word* state, std::span<std::int32_t> terms) {
    return for_size(game.rules().size, [&]<int N>() {
        const Position<N> position = decode<N>(state);
        const int half_komi = game.rules().half_komi;
        std::ranges::fill(terms, 0);
        Evaluation<N>::each_term(position, half_komi, [&](int term, int count) { terms[term] += count; });
        return Evaluation<N>::value(position, half_komi);
    });
}

std::unique_ptr<TdSearcher> make_searcher(TdShared& shared) {
    return for_size(shared.game.rules().size,
                    [&]<int N>() -> std::unique_ptr<TdSearcher> { return std::make_unique<TdSearcherOf<N>>(shared); });
}

std::unique_ptr<TinueSearch> make_tinue(const TakGame& game, std::int64_t bytes) {
    return for_size(game.rules().size, [&]<int N>() -> std::unique_ptr<TinueSearch> {
        return std::make_unique<TinueSearchOf<N>>(game, bytes);
    });
}

}  // namespace LUDENS_ISA
}  // namespace ludens::tak

LUDENS_TARGET_OFF
