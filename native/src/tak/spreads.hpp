// The ways to leave the pieces of a spread along a line, counted and listed by how many may be taken and how far they
// may go.
//
// A way is a set of bits: of the pieces that are taken up, bit i says whether the i-th one from below is the last that
// its square gets. The highest bit is that of the top piece.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "tak/rules.hpp"

namespace ludens::tak {

using Drops = std::uint8_t;

class Spreads {
public:
    Spreads() {
        for (int most = 0; most <= most_size; ++most)
            for (int far = 0; far < most_size; ++far) {
                const auto fits = [&](int drops, int squares) { return drops < 1 << most && squares <= far; };
                for (int drops = 1; drops < 1 << most_size; ++drops) {
                    const int squares = std::popcount(static_cast<unsigned>(drops));
                    if (fits(drops, squares)) free_[most][far].push_back(static_cast<Drops>(drops));
                    if (fits(drops, squares - 1) && squares == far + 1 && ends_with_one(drops))
                        flattening_[most][far].push_back(static_cast<Drops>(drops));
                }
            }
    }

    // With at most `most` pieces, over at most `far` squares.
    const std::vector<Drops>& free(int most, int far) const { return free_[most][far]; }
    // With at most `most` pieces, the top one alone on the square behind `far` others.
    const std::vector<Drops>& flattening(int most, int far) const { return flattening_[most][far]; }

private:
    static bool ends_with_one(int drops) {
        const int top = std::bit_width(static_cast<unsigned>(drops)) - 1;
        return top == 0 || (drops >> (top - 1) & 1);
    }

    std::array<std::array<std::vector<Drops>, most_size>, most_size + 1> free_, flattening_;
};

inline const Spreads& spreads() {
    static const Spreads all;
    return all;
}

}  // namespace ludens::tak
