#include "tak/game.hpp"

#include <string>

namespace ludens::tak {

void check(const Rules& rules) {
    const int n = rules.size;
    if (n < least_size || n > most_size) throw Error("tak: there is no board of size " + std::to_string(n));
    if (rules.half_komi > 2 * n * n || rules.half_komi < -2 * n * n)
        throw Error("tak: the komi is more than the board holds");
    if (rules.ply_limit < 0 || rules.ply_limit > highest_ply_limit)
        throw Error("tak: a game of " + std::to_string(rules.ply_limit) + " plies cannot be counted");
}

TakGame::TakGame(const Rules& rules) : rules_(rules) {
    check(rules);
    const int n = rules.size;
    const int squares = n * n, words = n <= 6 ? 1 : 2;
    moves_.fill(3 * squares + squares * 4 * (1 << n) + 1);
    initial_.assign(static_cast<std::size_t>(5 + squares * words), 0);
    const auto reserve = static_cast<Word>(reserves[static_cast<std::size_t>(n)].flats) |
                         static_cast<Word>(reserves[static_cast<std::size_t>(n)].capstones) << 8;
    initial_[4] = reserve << 16 | reserve << 32;
    for (int square = 0; square < squares; ++square) initial_[static_cast<std::size_t>(5 + square * words)] = 1;
}

}  // namespace ludens::tak
