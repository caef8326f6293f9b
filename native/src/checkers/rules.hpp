// The checkers family as parameters, its states and the numbers of its moves: games/checkers/rules/parameters.py, natively.
#pragma once

#include <array>
#include <cstdint>

#include "base/machine.hpp"
#include "checkers/board.hpp"

namespace ludens::checkers {

enum class Forcing { none, any, longest };
enum class Jumps { one, up_to_three, by_plies };

constexpr int most_pieces = 12, longest_chain = 3, count_limit = 4095;

struct Rules {
    int width = 8;
    bool wrap_files = false, wrap_ranks = false;
    Forcing forcing = Forcing::any;
    Jumps jumps = Jumps::by_plies;
    bool kings = true, stuck_either = false;
    std::array<std::array<std::array<std::int8_t, 2>, most_pieces + 1>, most_pieces + 1> goals{};  // [black][red]
    std::array<int, 2> stuck_goals{-1, -1};  // of the side to move and the other; -1: there are none
    int step_limit = 0, idle_limit = 0;      // 0: none
    int first_role = 0;                      // plays black
    std::array<Squares, 3> start{};          // black, red, kings; in rows of width / 2 squares, as everywhere outside

    int squares() const { return width / 2 * ranks; }
    int longest() const { return jumps == Jumps::up_to_three ? longest_chain : 1; }
    Colour side(int role) const { return static_cast<Colour>(role ^ first_role); }
    int role(Colour side) const { return side ^ first_role; }

    // Whether pieces move and capture as in English draughts, a jump a ply, and who cannot move has ended the game.
    bool english() const {
        return width == 8 && !wrap_files && !wrap_ranks && kings && !stuck_either && forcing == Forcing::any &&
               jumps == Jumps::by_plies;
    }
    // Of the goals that a game may end with.
    bool constant_sum() const;

    void check() const;  // throws Error
};

// The layout of the game core: the number of a square is its place on one diagonal and 7 times its place on the
// other, modulo 32, so that a step is one rotation wherever the piece stands, by 7, 1, -1 or -7 for directions
// 0 ... 3. (J. Kreuzer's rotated bitboard.) Ranks wrap by themselves; across the edge of files it is 8 more or less.
constexpr Layout diagonals() {
    Layout layout{};
    for (int file = 0; file < ranks; ++file)
        for (int rank = 0; rank < ranks; ++rank) {
            const int number = (file + rank) / 2 + 7 * (rank - file) / 2 + square_limit;
            layout.number[file][rank] = static_cast<std::int8_t>((file + rank) % 2 ? -1 : number % square_limit);
        }
    return layout;
}
constexpr std::array<int, direction_count> diagonal_step{7, 1, 31, 25};

// From rows to diagonals and back: by bytes, since a bit of the one may be any bit of the other.
class Relabelling {
public:
    Relabelling(int width, bool to_diagonals);
    Squares operator()(Squares set) const {
        Squares result = 0;
        for (std::size_t byte = 0; byte < parts_.size(); ++byte) result |= parts_[byte][set >> (8 * byte) & 255];
        return result;
    }

private:
    std::array<std::array<Squares, 256>, 4> parts_;
};

// A state, in the diagonal layout. `own` are the pieces of the side to move.
struct State {
    Squares own, others, king;
    Squares chain;  // the piece that must go on capturing, or none
    Colour turn;
    int step, idle;
};

// What a player does: a step or a chain of jumps, by directions; jumps = 0 is a step in the first of them.
struct Action {
    Squares from;
    std::array<std::uint8_t, longest_chain> ways;
    int jumps;
};

}  // namespace ludens::checkers
