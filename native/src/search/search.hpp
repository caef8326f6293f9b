// The interface of all searches: what the C API, and so every player, asks of any strategy.
//
// A search has a root, a state of one game, and finds out which moves are best there. It keeps what it knows from run
// to run and from root to root.
//
// Threads. set_root(), run(), collect() and report() are called by one thread at a time. All other functions may be
// called at any time from any thread, also during a run, for whose end suggest() may wait; reports then tell what was
// known a moment ago.
// Determinism. With one thread and a limit of playouts, a search depends on nothing but its options and the calls
// before.
// Ownership. The game must outlive the search, which shares its evaluation and its knowledge. Pointers and spans that
// are passed in are read during the call only. Errors are thrown as Error; unless a function says otherwise, the search
// is as it was before the call.
//
// A new strategy is a file with a subclass and a function that makes it, and a line in strategies.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/knowledge.hpp"
#include "base/machine.hpp"
#include "base/symmetries.hpp"
#include "evaluation/evaluation.hpp"
#include "search/sharing_costs.hpp"

namespace ludens {

constexpr std::int64_t least_memory = 4096;  // of a search

struct SearchOptions {
    std::string strategy;                          // a name in strategies.h
    int threads;                                   // 1 ...
    int lanes;                                     // of each thread's machine; 0: the best here
    std::int64_t memory_bytes;                     // least_memory ..., for nodes, all threads together
    double exploration;                            // 0 ..., UCB constant, in units of the whole range of goals
    int playouts_per_leaf;                         // 1 ... lanes
    int expand_after;                              // 0 ..., visits of an edge before its child becomes a node
    int max_steps;                                 // 1 ..., of one playout
    std::uint64_t seed;                            // everything random follows from it
    std::shared_ptr<const Evaluation> evaluation;  // null: none
    std::shared_ptr<const Knowledge> knowledge;    // null: none
    // 0 ... 0.9, part of the time for a solver near the end of games of two, or of `td` for forced wins; 0: none.
    double solver_share = 0;
    // 1 ..., near the end is where random games last at most so many steps on average. What lies further from it is hardly
    // ever solved in the time of a move.
    int solver_steps = 14;
    Symmetries symmetries = {};  // that searches take for the same state
    std::vector<float> td_weights =
        {};                  // of the network of `td`, as tak/td_training.hpp orders them; none: tak/evaluation.hpp
    int depth = 0;           // 0 ... 64, plies that `td` looks ahead and no further; 0: as far as time allows
    int peers = 0;           // 0 ... 64, searches of the same game elsewhere whose statistics it may take
    double prior_noise = 0;  // 0 ... 1, part of the priors of `guided` that is drawn by lot, so that peers differ
};

// Counters since the search was made; nodes and memory_bytes are what it holds now.
struct SearchStats {
    std::int64_t playouts;       // finished, or what a strategy counts in their stead
    std::int64_t iterations;     // descents from the root; of depth-first searches the depth, or the questions asked
    std::int64_t state_changes;  // made by machines
    std::int64_t root_visits;    // of the present root
    std::int64_t nodes;
    std::int64_t recycled;  // nodes removed for want of memory
    std::int64_t memory_bytes;
    int depth;  // of the deepest descent
    int bytes_per_node;
    bool solved;  // it is proven what to play at the root: a run would return at once
};

struct RootMove {
    int move;
    std::int64_t visits;  // completed; of an optimal strategy its share in millionths
    double value;         // mean goal of the role, 0 ... 100; NaN while unvisited
    int proven;           // the role's goal if it plays this and all play perfectly from there on; -1: unknown
};

struct RootMoves {
    std::vector<RootMove> moves;  // the legal ones, in order of their index
    int best;                     // place of the one to play; -1 where there is none
    bool optimal = false;         // the visits are a mixed strategy of an equilibrium
};

class Search {
public:
    virtual ~Search() = default;

    // Makes `state` [state_words] the root; null: the initial state. Keeps what is known of it and of what lies below.
    // Throws Error where the root does not fit into memory even if all else is forgotten, or where the strategy does
    // not play such states; then the search has no root, or the one before.
    virtual void set_root(const Word* state) = 0;

    // Searches until `seconds` are over (0: no limit), `playouts` have been finished in this call (0: no limit), or
    // stop() is called. A strategy without playouts counts units of similar work. Returns at once where nothing is left
    // to be found out: the root is terminal, or solved. Throws Error where a limit is negative or there is no root.
    // Rethrows what was thrown in a thread; then the search must not be used any more, but for reports.
    void run(double seconds, std::int64_t playouts) {
        forget_stop();
        go_on(seconds, playouts);
    }
    // Ends a run in progress, soon; without effect on later runs.
    virtual void stop() = 0;

    // The two parts of run(), for searches that consist of others: a stop() between them ends what follows.
    virtual void forget_stop() = 0;
    virtual void go_on(double seconds, std::int64_t playouts) = 0;

    // For callers who play the random games themselves, a batch of leaves at a time. Appends at most `room` leaves:
    // their states [n][state_words], and as many tickets that name them in report(). Several batches may be out; until
    // its result is reported, a leaf counts as a visit without one. Appends none where nothing is left to be found out.
    // Throws Error for strategies without such leaves, for searches with several threads, and where more leaves would be
    // out than there are 16-bit numbers.
    virtual void collect(int room, std::vector<Word>& states, std::vector<std::int64_t>& tickets);
    // Takes results of leaves in any order: the mean goals [n][roles], 0 ... 100, of `games` random games from each.
    // Passes over tickets of leaves that the search has forgotten since. Throws Error on goals out of range and unknown
    // tickets; results before those have been counted.
    virtual void report(std::span<const std::int64_t> tickets, const double* goals, int games);

    // Offers joint moves [steps][roles] from the root on, a line that was found by other means. A strategy without use
    // for lines ignores it, and every strategy ignores a line that is not legal.
    virtual void suggest(const std::vector<int>&) {}

    // What it found out by itself about the nodes that it visits most, at most `most` of them, for searches of the same
    // game elsewhere: words as in search/shared_stats.hpp. A strategy that shares nothing returns none.
    virtual std::vector<Word> shared_stats(int) const { return {}; }
    // Takes the words of `peer`, 0 ... options.peers - 1, in place of what it told before; they count as if the search
    // had found them out itself, but are never among its own shared_stats(). A strategy that shares nothing ignores
    // them. Throws Error on words that no search of this game returned, and on numbers that are no peer's.
    virtual void take_stats(int, std::span<const Word>) {}

    // Returns what it cost the threads that they share something, also during a run; nothing for a strategy that does not
    // measure it.
    virtual SharingCosts sharing_costs() const { return {}; }

    // Returns the counters.
    virtual SearchStats stats() const = 0;
    // Returns what is known of a role's legal moves at the root; none where the game is over. Throws Error if there is
    // no such role.
    virtual RootMoves root_moves(int role) const = 0;
    // Returns which of a role's moves it would play, by what is known of them: their place; -1 where there is none.
    virtual int choose_move(const std::vector<RootMove>& moves) const;
    // Returns the joint moves that are expected from the root on, at most `room` steps: [steps][roles].
    virtual std::vector<int> expected_line(int room) const = 0;
};

// Declares what makes each strategy.
#define STRATEGY(name, maker, roles, traits, meaning) std::unique_ptr<Search> maker(const Game&, const SearchOptions&);
#include "strategies.h"
#undef STRATEGY

// Makes the search that `options` describe: the strategy, with a solver at its side and with knowledge if there are
// any. Throws Error on an unknown strategy, on options out of their range, and on games that the strategy does not
// play.
std::unique_ptr<Search> make_search(const Game& game, const SearchOptions& options);

// Returns how much of options.memory_bytes each solver of a search takes; the search is to have the rest.
inline std::int64_t solver_bytes(const SearchOptions& options) {
    return std::max(least_memory, options.memory_bytes / 8);
}
// Returns which strategies a search of a game of two has at its side as solvers: alpha-beta, which proves forced wins
// alone where the rules do not prove that the goals have the same sum at every end; and where they do, and random games
// meet positions in which several roles choose, backward induction.
std::vector<std::string> solvers_of(const Game& game);
// Returns a search that divides its time between `search` and a solver, which gets `options.solver_share` of it while
// games are about to end (`options.solver_steps`), or endgame tables are near. With a limit of playouts instead of time,
// the solver makes that share of so many states. The states that it makes count as playouts.
std::unique_ptr<Search> with_solver(std::unique_ptr<Search> search, const std::string& solver, const Game& game,
                                    const SearchOptions& options);
// Returns a search that answers from `options.knowledge` where that knows the root, and is `search` elsewhere. `search`
// is never given a root of which something is known, so it may treat such states as ends of the game.
std::unique_ptr<Search> with_knowledge(std::unique_ptr<Search> search, const Game& game, const SearchOptions& options);

// Returns the place of the move to play: of those that are not proven the most visited, of equally many visits the one
// with the best mean; or a proven one that brings more than that move is expected to. How often a proven move was visited
// does not count, for most of that was before the proof. -1: there is none.
int move_to_play(const std::vector<RootMove>& moves);
// Returns the place of the move with the best mean; -1: there is none.
int best_mean(const std::vector<RootMove>& moves);

}  // namespace ludens
