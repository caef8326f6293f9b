// The parameters of a game of Tak, and what is the same for all sizes: games/tak/rules/parameters.py, natively.
#pragma once

#include <array>
#include <cstdint>

namespace ludens::tak {

constexpr int least_size = 3, most_size = 8, highest_ply_limit = 0xFFFF;

enum Kind : int { flat, wall, capstone };

struct Reserve {
    int flats, capstones;  // of each player
};

constexpr std::array<Reserve, most_size + 1> reserves{
    {{0, 0}, {0, 0}, {0, 0}, {10, 0}, {15, 0}, {21, 1}, {30, 1}, {40, 2}, {50, 2}}};

struct Rules {
    int size = 5;
    int half_komi = 0;  // what player 1 has ahead when flats are counted, in halves of a flat
    int ply_limit = 0;  // after so many plies a game that goes on is drawn; 0: it may go on for ever
};

// How a game stands.
enum class Outcome : std::uint8_t { open, won_by_0, won_by_1, drawn };

}  // namespace ludens::tak
