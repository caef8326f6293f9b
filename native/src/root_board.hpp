// What the threads of a tree search tell each other and whoever asks: what each knows of the root.
//
// Every thread has a tree of its own and its share of the memory (root parallelisation: Chaslot, Winands and van den
// Herik, "Parallel Monte-Carlo tree search", 2008), so that nothing in a tree is ever locked or contended. A hundred
// times a second it writes an account of its root here, and takes the results of the others for the root's edges
// into its own statistics (Gelly et al., "The parallelization of Monte-Carlo planning", 2008), and so their proofs.
// Reports are made from the accounts alone, so they may be asked for at any time.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "search.hpp"
#include "search_selection.hpp"

namespace ludens {

// What one thread found out about a move of the root; moves that wait for an edge are among them.
struct RootEdge {
    int role, move;
    std::int64_t visits = 0;  // completed, its own
    double goals = 0;         // summed over these
    std::uint8_t lower = 0, upper = 100;
    bool closed = false;         // it need not be played
    std::uint16_t distance = 0;  // where proven: steps to the end
};

struct RootAccount {
    std::vector<RootEdge> edges;
    std::vector<int> forced;      // of each role, its only move; -1: it has a choice, or none
    std::int64_t visits = 0;      // completed, its own
    bool over = false;            // a terminal node
    int proven = -1;              // the goal of the one role that chooses
    int mover = -1;               // that role; -1: several
    std::vector<std::uint8_t> bounds;  // of each role's goal, lower and upper
    std::vector<int> line;        // joint moves expected from here on

    std::int64_t counted = 0;     // visits since the root was set ...
    std::vector<double> goals;    // ... and each role's goals, summed over them

    SearchStats stats{};          // of this thread alone; root_visits and solved are not used

    bool solved() const { return over || proven >= 0; }
};

class RootBoard {
public:
    explicit RootBoard(int threads) : accounts_(static_cast<std::size_t>(threads)) {}

    void write(int thread, const RootAccount& account);
    // What all threads but one (-1: all of them) found out about the moves of a role, by their index.
    std::map<int, RootEdge> moves(int role, int but = -1) const;

    SearchStats stats() const;
    RootMoves report(int role, const Selection& selection) const;
    std::vector<int> line() const;
    bool solved() const;

private:
    std::map<int, RootEdge> merge(int role, int but) const;
    RootMove forced_move(int role, int move) const;
    std::int64_t support(const RootAccount& account) const;

    mutable std::mutex mutex_;
    std::vector<RootAccount> accounts_;
};

}  // namespace ludens
