// The interface of game cores: machines, which play many games at the same time.
//
// A Game is the immutable rules in executable form, shared by threads. A Machine plays `lanes()` games of it at
// once and belongs to one thread. The propositional network is one implementation; rule interpreters and
// bitboards are others. Every strategy runs on every machine.
//
// One round of a machine is
//     advance()   every active lane makes one joint move: the forced one it was loaded with, else a random one
//     load()      new positions replace those of some lanes
//     evaluate()  works out what holds in all lanes, and finishes those whose game is over
// Everything that is read (legal moves, terminal, goals, the state itself) is what held at the last evaluate().
// A finished lane keeps its state until it is loaded again.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/bits.hpp"

namespace ludens {

constexpr int best_goal = 100;   // goals begin at 0
constexpr int middle_goal = 50;  // of a role whose goal is undefined at the end

// A refusal that the C API turns into a status and a message.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Batch;
class Machine;
struct BatchLayout;

struct MachineOptions {
    int lanes = 0;                // 0: the best for this game here
    std::string instruction_set;  // empty: the best here
    std::uint64_t seed = 0;
};

class Game {
public:
    virtual ~Game() = default;
    virtual int state_bits() const = 0;
    // What evaluations see of a state: its bits, and what else the game adds to them.
    virtual int feature_bits() const { return state_bits(); }
    virtual std::span<const int> moves() const = 0;  // number of moves of each role
    virtual std::span<const Word> initial() const = 0;
    // Lanes whose games are a multiple of this many steps apart are evaluated sooner than others; 1: it is all one.
    virtual int cycle() const { return 1; }
    // How many steps into its cycle a state is, from 0 on; cycle(): none of the states of that cycle.
    virtual int phase(const Word* /*state*/) const { return 0; }
    // Whether lanes whose games are at the very same step are evaluated much sooner than others.
    virtual bool lockstep() const { return false; }
    // Whether it is proven that the goals of two roles sum to 100 wherever a game may end, missing ones counted as 50.
    virtual bool constant_sum() const { return false; }
    virtual std::unique_ptr<Machine> machine(const MachineOptions& options) const = 0;
    // `count` games stepped side by side, all in the initial state; throws Error where games of this kind cannot be.
    virtual std::unique_ptr<Batch> batch(std::int64_t count, const MachineOptions& options,
                                         const BatchLayout& layout) const;

    int roles() const { return static_cast<int>(moves().size()); }
    int state_words() const { return words_for(state_bits()); }
    int feature_words() const { return words_for(feature_bits()); }
    int move_count() const {
        int sum = 0;
        for (int m : moves()) sum += m;
        return sum;
    }
    int move_words() const { return words_for(move_count()); }
};

// How games ended, added up.
struct Endings {
    std::span<double> sums, squares;    // of the goals, [roles]
    std::int64_t games = 0, stuck = 0;  // stuck: not at a terminal state

    // In so many games the role has this goal; -1: none or several hold.
    void add(std::size_t role, int goal, std::int64_t count) {
        const double value = goal < 0 ? middle_goal : goal;
        sums[role] += value * static_cast<double>(count);
        squares[role] += value * value * static_cast<double>(count);
    }
};

class Machine {
public:
    // Lane `lane` goes on from `state`. With `moves` (one per role, indices within the role, -1 for none) the
    // next advance() makes these; without, it chooses at random.
    struct Start {
        int lane;
        const Word* state;
        const int* moves;
    };

    virtual ~Machine() = default;
    virtual const Game& game() const = 0;
    virtual int lanes() const = 0;
    virtual const char* instruction_set() const = 0;

    virtual void advance() = 0;
    virtual void load(std::span<const Start> starts) = 0;
    virtual void evaluate() = 0;

    // Loads positions and works out what holds in them.
    void look_at(std::span<const Start> starts) {
        load(starts);
        evaluate();
    }
    // Loads positions, makes their moves, and works out what holds in the positions that these lead to.
    void follow(std::span<const Start> starts) {
        look_at(starts);
        advance();
        evaluate();
    }

    // Bit set of [lanes / 64] words: lanes whose game is over, by rule or because a role has no legal move.
    // All lanes are finished when a machine is new.
    virtual std::span<const Word> finished() const = 0;

    // Reads for the given lanes, one row a lane. Shapes as in the C API: states [n][state_words], legal
    // [n][move_words] over the moves of all roles without padding, goals [n][roles] (-1: none or several hold).
    virtual void read_states(std::span<const int> lanes, Word* out) = 0;
    // [n][feature_words], of lanes that are not finished: the state, then what comes on top.
    virtual void read_features(std::span<const int> lanes, Word* out) { read_states(lanes, out); }
    virtual void read_legal(std::span<const int> lanes, Word* out) = 0;
    virtual void read_terminal(std::span<const int> lanes, std::uint8_t* out) = 0;
    virtual void read_goals(std::span<const int> lanes, int* out) = 0;
    // The joint moves of the last advance(): [n][roles], -1 for none.
    virtual void read_moves(std::span<const int> lanes, int* out) = 0;

    // The same for a bit set of lanes ([lanes / 64] words), which machines may have a faster way for: all of them go
    // on from one state, at random; and how their games ended is added up.
    virtual void restart(std::span<const Word> lanes, const Word* state);
    virtual void add_endings(std::span<const Word> lanes, Endings& endings);

    // Whether it is noted from now on which moves a lane makes, those it is forced to as well. Forgotten when the lane
    // is loaded, or notes are asked for once more.
    virtual void note_moves(bool wanted) = 0;
    // Sets of moves laid out as for read_legal(): those noted, while they are.
    virtual void read_noted(std::span<const int> lanes, Word* out) = 0;

    // The games of these lanes, which have not been loaded since, count from now on for what random games prefer, if the
    // game has them prefer anything. `goals`: [n][roles].
    virtual void learn(std::span<const int> /*lanes*/, const int* /*goals*/) {}

    // Seconds spent so far in evaluation and in choosing moves, estimated from some rounds.
    virtual double evaluation_seconds() const = 0;
    virtual double choice_seconds() const = 0;
};

}  // namespace ludens
