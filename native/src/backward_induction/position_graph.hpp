// All positions of a game of one or two that can follow a root: what each joint move leads to, and what they are worth.
//
// Explored breadth first, hundreds of joint moves at a time, then solved from the end backwards: a position is worth the
// value of the matrix game of its successors' values (Shapley, "Stochastic games", 1953). Positions with the same key,
// such as mirror images, are one. Values are goals of the first role, or 50 and half of what it is ahead where the roles'
// goals do not make up 100. Where play may come back to a position there is no end to begin from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backward_induction/matrix_game.hpp"
#include "base/state_key.hpp"
#include "base/threads.hpp"
#include "evaluation/expansion.hpp"
#include "search/search.hpp"

namespace ludens::backward_induction {

// The moves of either role in a position; -1 alone: it has none, or there is no such role. Joint moves are in the order
// in which those of the second role change first.
struct Moves {
    std::vector<int> of[2];

    std::size_t joint() const { return of[0].size() * of[1].size(); }
    // Appends all joint moves [joint()][2].
    void list_joint(std::vector<int>& out) const {
        for (const int first : of[0])
            for (const int second : of[1]) out.insert(out.end(), {first, second});
    }
};

// What a position is worth, or the end of a game.
struct Outcome {
    double value = 0;   // goal of the first role, 0 ... 100
    bool sure = false;  // either role has one best move wherever it chooses from there on, so that this is how it ends
};

class PositionGraph {
public:
    // given_up: there is no room for all positions, or play may come back to one. Then nothing is known of the root.
    enum class Progress { exploring, solving, solved, given_up };

    // The game must outlive it. It takes up to so many bytes.
    PositionGraph(const Game& game, const SearchOptions& options, std::int64_t memory_bytes);

    // Makes a state the root. All that was solved is kept if the root is part of it; else all begins anew, unless it was
    // the root before.
    void set_root(const Word* state);
    // Does some of what is left to be done, counts positions that are made or solved, and returns whether anything was.
    bool go_on(Limit& limit);

    Progress progress() const { return progress_; }
    bool over() const { return over_; }
    const Moves& root_moves() const { return root_moves_; }
    // What all joint moves of the root lead to, once it is solved.
    std::span<const Outcome> outcomes() const { return root_outcomes_; }
    std::int64_t positions() const { return static_cast<std::int64_t>(positions_.size()); }
    std::int64_t made() const { return expander_.state_changes(); }
    // All that was ever done: positions made, and solved.
    std::int64_t work() const { return made() + solved_; }
    std::int64_t bytes() const;

private:
    struct Position {
        std::int64_t first = 0;              // of its successors
        std::int32_t rows = 0, columns = 0;  // moves of either role; 0: not explored
        bool solved = false, open = false;   // open: it is being solved
        Outcome outcome = {};                // of one that is solved
    };
    // Of a position that is being solved: how many of its successors are.
    struct Frame {
        std::int32_t position;
        std::int64_t next;
    };

    void clear();
    bool read_outcomes();
    std::size_t place_of(std::uint64_t key) const;
    std::int32_t find(const Word* state) const;
    std::int32_t find_or_add(const Word* state);
    void grow_index();
    void list(const Word* legal, Moves& out) const;
    void explore(Limit& limit);
    void add_successors(std::size_t most);
    std::size_t list_transitions(std::size_t most);
    bool has_room_for(std::size_t joint) const;
    void give_up();
    void solve(Limit& limit);
    bool finish(Position& position);
    Outcome outcome(std::int32_t successor) const;
    std::int32_t end_code(std::size_t i) const;

    const std::int64_t memory_bytes_;
    const std::size_t roles_, state_words_, move_words_;
    const StateKey keys_;
    PositionExpander expander_;

    std::vector<Position> positions_;
    std::vector<Word> states_;              // [positions][state_words]
    std::vector<std::int32_t> successors_;  // positions; -1 - goal in hundredths: the game is over
    std::vector<std::uint64_t> index_keys_;
    std::vector<std::int32_t> index_;  // of positions by their keys, a power of two; -1: none
    std::size_t explored_ = 0;         // positions whose successors are known
    std::vector<Frame> path_;          // positions that are being solved, each a successor of the one before
    std::int64_t solved_ = 0;          // positions, ever
    Progress progress_ = Progress::exploring;

    std::vector<Word> root_;
    Moves root_moves_;
    std::vector<Outcome> root_outcomes_;
    bool over_ = false;

    Moves moves_;
    MatrixGame matrix_;
    std::vector<double> payoffs_;
    std::vector<Transition> transitions_;
    std::vector<int> joint_;
    std::vector<std::size_t> parents_;
    ExpandedPositions read_, made_;
};

}  // namespace ludens::backward_induction
