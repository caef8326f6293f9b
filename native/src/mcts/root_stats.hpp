// What the threads of a tree search tell whoever asks: what each has found out itself about the root, some hundred times
// a second. Reports are made from these accounts alone, so they may be asked for at any time.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "mcts/selection.hpp"
#include "mcts/stats_sync.hpp"
#include "search/search.hpp"

namespace ludens {

// What one thread found out about a move of the root; moves that wait for an edge are among them.
struct RootEdge : EdgeResult {
    int role;
    bool closed = false;  // it need not be played
};

struct RootAccount {
    std::vector<RootEdge> edges;
    std::vector<int> forced;           // of each role, its only move; -1: it has a choice, or none
    std::int64_t visits = 0;           // completed, its own
    bool over = false;                 // a terminal node
    int proven = -1;                   // the goal of the one role that chooses
    int mover = -1;                    // that role; -1: several
    std::vector<std::uint8_t> bounds;  // of each role's goal, lower and upper
    std::vector<int> line;             // joint moves expected from here on

    std::int64_t counted = 0;   // visits since the root was set ...
    std::vector<double> goals;  // ... and each role's goals, summed over them

    SearchStats stats{};  // of this thread alone; root_visits and solved are not used

    bool solved() const { return over || proven >= 0; }
};

class RootBoard {
public:
    explicit RootBoard(int threads) : accounts_(static_cast<std::size_t>(threads)) {}

    void write(int thread, const RootAccount& account);

    SearchStats stats() const;
    RootMoves report(int role, const Selection& selection) const;
    std::vector<int> line() const;
    bool solved() const;

private:
    std::map<int, RootEdge> moves(int role) const;  // what all threads found out, by move
    RootMove forced_move(int role, int move) const;
    std::int64_t support(const RootAccount& account) const;

    mutable std::mutex mutex_;
    std::vector<RootAccount> accounts_;
};

}  // namespace ludens
