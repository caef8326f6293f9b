// Threat-space search: wins by moves that leave the other side no choice, or little (Allis, van den Herik and Huntjens,
// "Go-Moku and Threat-Space Search", 1993).
//
// With fours alone every answer is forced. A three is a threat if the same side would win by fours, were it to move
// again; that line of fours is kept. An answer that neither takes a cell of the line nor lets the other side make a four
// while it is played leaves it as it was, so these are all the answers that need to be looked at.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/threads.hpp"
#include "gomoku/fours.hpp"
#include "gomoku/patterns.hpp"

namespace ludens::gomoku {

class ThreatSearch {
public:
    enum class Kind { fours, threes };  // with threes: fours as well
    enum class Verdict { won, none, unknown };

    // The game must outlive it. The table of positions without a win has 2^table_bits entries, at least 2^depth_bits.
    explicit ThreatSearch(const GomokuGame& game, int table_bits = 18);

    // Looks for a win of the side to move in a position that is not over. `none`: there is none by such threats of up to
    // `most_depth` moves in a row; `unknown`: more than so many positions would have to be looked at, or the limit was
    // reached before.
    Verdict search(const Position& position, Kind kind, std::int64_t most_positions, int most_depth = 40,
                   const Limit* limit = nullptr);

    // The proof of the win that was found last. A node is: the move; the number of moves of a line, and the line, which
    // wins against every answer that is not listed; the number of answers listed, and each of them with the node that
    // follows it. A move that completes a row has no line and no answers.
    std::span<const int> proof() const { return proof_; }
    // The cells of which one more stone of the other side might undo this proof. With a stone anywhere else it holds as it
    // is: so a threat is answered on these cells or not at all (Thomsen, "Lambda-search in game trees with application
    // to Go", 2000).
    Cells relevant();
    // How many were looked at: those after any move, of whichever side.
    std::int64_t positions() const { return positions_; }

private:
    static constexpr int depth_bits = 9;
    static constexpr std::uint64_t depths = (1 << depth_bits) - 1;
    static_assert(most_cells < depths);

    // A position that has no win by so many moves. The lowest bits of its key, which its place in the table tells as well,
    // make way for the depth.
    class Failure {
    public:
        Failure() = default;
        Failure(std::uint64_t key, int depth) : word_((key & ~depths) | static_cast<std::uint64_t>(depth + 1)) {}

        bool is_of(std::uint64_t key) const { return ((word_ ^ key) & ~depths) == 0; }
        int depth() const { return static_cast<int>(word_ & depths) - 1; }

    private:
        std::uint64_t word_ = 0;
    };

    // What follows a side's move that is a threat.
    struct Threat {
        std::vector<int> line;     // that wins if the other side does nothing about it
        std::vector<int> answers;  // that may do something about it
    };

    bool completes_two(int side, int cell, std::vector<int>& line);
    bool find_fours(int side, int depth, std::vector<int>& line);
    bool find_threes(int depth, std::vector<int>& proof);
    bool wins_after(int cell, int depth, std::vector<int>& proof);
    bool is_threat(Threat& threat);
    void write_fours(std::span<const int> line, std::vector<int>& proof) const;
    std::span<const int> add_relevant(std::span<const int> proof, Cells& cells);

    // Both return false where there have been too many positions.
    bool count_position();
    bool play(int cell);
    void take_back();
    Failure& entry(std::uint64_t key) { return failures_[key & (failures_.size() - 1)]; }
    // Whether there is nothing to be found: there was not with as many moves, or there are none left.
    bool hopeless(std::uint64_t key, int depth);
    // Nothing was found. `cut_before`: what `cut_` was before the position was looked at.
    void note_failure(std::uint64_t key, int depth, bool cut_before);

    Position root_;  // of the last search
    Patterns patterns_;
    FourBoard board_;                // with the same stones, where not with those of a line of fours
    std::vector<Failure> failures_;  // of any search so far: they hold whatever the search began with
    std::vector<int> proof_;
    std::int64_t positions_ = 0, most_positions_ = 0;
    const Limit* limit_ = nullptr;  // null: none but the number of positions
    bool cut_ = false;              // something was left out for want of depth
    bool ended_ = false;
};

}  // namespace ludens::gomoku
