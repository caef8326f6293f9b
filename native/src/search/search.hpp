// What the C API, and so every player, asks of a search, whatever kind it is.
//
// A new strategy is a file with a subclass and a function that makes it, and a line in strategies.h.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/knowledge.hpp"
#include "base/machine.hpp"
#include "evaluation/evaluation.hpp"

namespace ludens {

struct SearchOptions {
    std::string strategy;       // a name in strategies.h
    int threads;                // 1 ...
    int lanes;                  // of each thread's machine; 0: the best here
    std::int64_t memory_bytes;  // 4096 ..., for nodes, all threads together
    double exploration;         // 0 ..., UCB constant, in units of the whole range of goals
    int playouts_per_leaf;      // 1 ... lanes
    int expand_after;           // 0 ..., visits of an edge before its child becomes a node
    int max_steps;              // 1 ..., of one playout
    std::uint64_t seed;
    std::shared_ptr<const Evaluation> evaluation;  // null: none
    std::shared_ptr<const Knowledge> knowledge;    // null: none
    double solver_share = 0;  // 0 ... 0.9, part of the time for a solver near the end of games of two; 0: none
    std::vector<std::vector<int>> symmetries = {};  // [K][state_bits], of the game's states: see base/state_key.hpp
};

struct SearchStats {
    std::int64_t playouts, iterations, state_changes, root_visits, nodes, recycled, memory_bytes;
    int depth, bytes_per_node;
    bool solved;  // what to play at the root is proven, for every role: to search on is of no use
};

struct RootMove {
    int move;
    std::int64_t visits;
    double value;  // mean goal of the role, NaN while unvisited
    int proven;    // the role's goal if it plays this and all play perfectly from there on; -1: unknown
};

struct RootMoves {
    std::vector<RootMove> moves;  // the legal ones, in order of their index
    int best;                     // place of the one to play; -1 where there is none
};

// run() and set_root() exclude each other; everything else may be called at any time from any thread. With one
// thread and a limit of playouts a run depends on nothing but the options and the calls before it. The game must
// outlive the search.
class Search {
public:
    virtual ~Search() = default;

    // Null: the initial state. Keeps what is known; throws Error where the root does not fit even if all else is
    // forgotten.
    virtual void set_root(const Word* state) = 0;

    // Until `seconds` are over or `playouts` finished (0: no limit; what does the work of one counts as one), or
    // until stopped. Returns at once where nothing is left to be found out: the root is terminal, or solved.
    // Rethrows what happened in a thread; then the search is of no further use.
    virtual void run(double seconds, std::int64_t playouts) = 0;
    // Ends a run in progress; without effect on later ones.
    virtual void stop() = 0;

    // For those who play the random games themselves, a batch at a time: appends at most `room` leaves, their states
    // [n][state_words] and as many tickets, by which their results are told. A visit is in flight until then. None are
    // handed out where nothing is left to be found out. As run() and set_root(), at one time only.
    virtual void collect(int room, std::vector<Word>& states, std::vector<std::int64_t>& tickets);
    // The mean goals [n][roles] of `games` random games from each of these leaves. A ticket whose leaf the search has
    // forgotten since is passed over.
    virtual void report(std::span<const std::int64_t> tickets, const double* goals, int games);

    // Offers a line of joint moves from the root on, [steps][roles], that something else has found. A kind of search
    // that has no use for lines ignores it; it is no error if the line is not legal.
    virtual void suggest(const std::vector<int>&) {}

    virtual SearchStats stats() const = 0;
    virtual RootMoves root_moves(int role) const = 0;
    // The joint moves expected from the root on, at most `room` steps: [steps][roles].
    virtual std::vector<int> expected_line(int room) const = 0;
};

using SearchMaker = std::unique_ptr<Search> (*)(const Game& game, const SearchOptions& options);

// The kind that `options.strategy` names. Error on a name that is none and on options out of their range.
std::unique_ptr<Search> make_search(const Game& game, const SearchOptions& options);

// The place of the best move: the most visited, of equally many visits the better mean.
int most_visited(const std::vector<RootMove>& moves);
// The place of the move with the best mean.
int best_mean(const std::vector<RootMove>& moves);

}  // namespace ludens
