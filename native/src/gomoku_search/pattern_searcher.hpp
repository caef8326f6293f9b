// Alpha-beta on the patterns of gomoku, by one thread.
//
// Whether a side wins at once, has to answer a four, or has won with an open four is read off the patterns; else the
// value of a leaf is what the stones to come are worth (Patterns::estimate), unless a line of fours wins. Threats are
// answered only by moves that can parry them: against a row about to be completed its cell, against an open four to
// come the cells that take part in it, or fours of one's own.
//
// Principal variation search (Marsland and Campbell, 1982; Reinefeld, 1983) with a transposition table, moves of the
// table, killers (Akl and Newborn, 1977) and history (Schaeffer, 1989) first, and late moves searched less deep. Where
// all moves that were looked at lose and others were left out, these are searched too: so a win or loss is proven.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/threads.hpp"
#include "gomoku/patterns.hpp"
#include "gomoku_search/pattern_table.hpp"

namespace ludens::gomoku {

// Values are for the side to move: at most `most_worth` where nothing is proven; a win in n moves is `win` - n.
constexpr int win = 30'000, least_win = win - most_cells - 1, most_worth = 20'000;

inline bool is_proven(int value) { return value >= least_win || value <= -least_win; }

// What several threads share in a run: they end at its limit, of which each counts positions as playouts.
struct PatternRun {
    PatternTable& table;
    Limit& limit;
};

// What is found out about a move, for who makes it.
struct MoveValue {
    int value = 0;
    bool settled = false;     // no estimate has a part in it
    bool only_bound = false;  // it may be worse
};

class PatternSearcher {
public:
    // The game must outlive it, and what the run refers to.
    PatternSearcher(const GomokuGame& game, const PatternRun& run);

    // Begins anew at a position; what is in the table stays.
    void set(const Position& position);

    // Returns the legal moves, those worth looking at first.
    std::vector<int> root_moves();
    // Returns the value of the position after a move, within a window; nothing where the run ended before.
    std::optional<MoveValue> value_after(int move, int depth, int alpha, int beta);

    std::int64_t positions() const { return positions_; }

    // Returns the moves that the table expects after a first move.
    std::vector<int> line_after(int move, int room);

private:
    // The moves of a position, of which as many as `searched` says are searched, those with the highest scores; and
    // whether all others lose.
    struct Candidates {
        int count = 0, searched = 0;
        bool all = true;

        void add(int move, int score) {
            ranks_[static_cast<std::size_t>(count++)] = score * numbers + numbers - 1 - move;
        }
        int move(int i) const { return numbers - 1 - (ranks_[static_cast<std::size_t>(i)] & (numbers - 1)); }
        // Returns the i-th best, if the better ones have been asked for.
        int pick(int i);

    private:
        static constexpr int numbers = 1 << 9;  // of moves
        static_assert(most_cells < numbers);
        static constexpr std::size_t at_once = 8;

        // Higher for moves with higher scores, and for lower numbers of the same score; room to read beyond the last.
        std::array<std::int32_t, most_cells + at_once> ranks_;
    };
    static constexpr int known_score = 1 << 20;  // higher than any other

    int search(int depth, int alpha, int beta, int ply);
    int search_moves(Candidates& list, int depth, int alpha, int beta, int ply, int& best_move);
    int search_move(int move, int number, int depth, int alpha, int beta, int ply, bool forced);
    int leaf(int ply);
    int wins_by_fours(int fours, int& budget);

    void list_moves(Candidates& list, int ply, int known) const;
    void list_answers(Candidates& list, int ply, int known) const;
    void list_rest(Candidates& list) const;
    static void list_only(Candidates& list, int move);
    int score(int move, int ply, int known) const;
    int estimate() const;
    void count_position();
    void reward(int move, int depth, int ply);

    const PatternRun run_;
    Patterns patterns_;
    Position root_;
    std::vector<Candidates> lists_;                             // by ply
    std::array<std::array<int, 2>, 2 * most_cells> killers_{};  // by ply
    std::array<std::array<int, most_cells>, 2> history_{};      // by side
    std::int64_t positions_ = 0, unreported_ = 0;
    bool estimated_ = false;  // some estimate had a part in what has been searched since it was set to false
};

}  // namespace ludens::gomoku
