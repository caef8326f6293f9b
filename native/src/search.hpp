// A search of one game: the tree, its workers, and what is to be reported. The C API wraps it one to one.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "machine.hpp"
#include "search_strategy.hpp"
#include "search_worker.hpp"
#include "tree.hpp"

namespace ludens {

struct SearchOptions {
    std::string strategy;       // see make_strategy()
    int threads;                // 1 ...
    int lanes;                  // of each thread's machine; 0: the best here
    std::int64_t memory_bytes;  // 4096 ..., for nodes, all threads together
    double exploration;         // 0 ..., UCB constant, in units of the whole range of goals
    int playouts_per_leaf;      // 1 ... lanes
    int expand_after;           // 0 ..., visits of an edge before its child becomes a node
    int max_steps;              // 1 ..., of one playout
    std::uint64_t seed;
};

struct SearchStats {
    std::int64_t playouts, iterations, state_changes, root_visits, nodes, recycled, memory_bytes;
    int depth, bytes_per_node;
};

struct RootMove {
    int move;
    std::int64_t visits;
    double value;  // mean goal of the role, NaN while unvisited
};

// run() and set_root() exclude each other; everything else may be called at any time from any thread. With one
// thread and a limit of playouts a run depends on nothing but the options and the calls before it.
class Search {
public:
    // The initial state is the root. Error on options out of their range. The game must outlive the search.
    Search(const Game& game, const SearchOptions& options);

    // Null: the initial state. Keeps what is known; forgets all only where the new root would not fit otherwise,
    // and throws Error if it does not fit even then.
    void set_root(const Word* state);

    // Until `seconds` are over or `playouts` finished (0: no limit; a visit of a terminal node counts as one), or
    // until stopped. Returns at once at a terminal root. Rethrows what happened in a thread; then the search is
    // of no further use.
    void run(double seconds, std::int64_t playouts);
    // Ends a run in progress; without effect on later ones.
    void stop();

    SearchStats stats() const;
    // The legal moves of a role, in order of their index.
    std::vector<RootMove> root_moves(int role) const;
    // The most visited joint moves from the root on, at most `room` steps: [steps][roles].
    std::vector<int> expected_line(int room) const;

private:
    // What the machine says of a state.
    struct Reading {
        bool over;
        std::vector<Word> legal;
        std::vector<int> goals;  // -1 replaced
    };

    Ref find_or_make(const Word* state);
    Reading read(const Word* state);
    void run_workers();
    Ref follow(Ref at, std::vector<int>& line) const;
    Edge most_visited(const Group& group) const;

    const Game& game_;
    const SearchOptions options_;
    std::unique_ptr<Strategy> strategy_;
    std::unique_ptr<Machine> reader_;
    Tree tree_;
    std::vector<std::unique_ptr<Worker>> workers_;
    Ref root_;
    RunLimit limit_;
    std::mutex running_;                // held by run() and set_root(), before:
    mutable std::mutex reporting_;      // held while reporting and while the root changes
};

}  // namespace ludens
