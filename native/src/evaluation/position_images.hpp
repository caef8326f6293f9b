// Images of positions under the symmetries of a game: other positions, which are worth as much to each role. Who learns
// them in place of the positions needs fewer games, as where Go was learned from all turns and reflections of the board
// (Silver et al., "Mastering the game of Go with deep neural networks and tree search", 2016).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/machine.hpp"
#include "base/random.hpp"
#include "evaluation/expansion.hpp"

namespace ludens {

// Belongs to one thread.
class PositionImages {
public:
    // Symmetry k of `count` carries proposition p into symmetries[k][p]. Throws Error if that is no permutation. The game
    // must outlive it.
    PositionImages(const Game& game, std::uint32_t count, std::span<const std::int32_t> symmetries, std::uint64_t seed);

    // Replaces positions, features [count][feature_words], each by its image under a symmetry drawn at random, or keeps
    // it; all of these are equally likely.
    void draw(std::int64_t count, Word* features);

private:
    void carry(std::size_t symmetry, const Word* features, Word* state) const;

    const std::size_t state_bits_, words_, feature_words_;
    const std::uint32_t count_;
    const std::vector<std::int32_t> symmetries_;
    PositionExpander expander_;
    Random random_;
    std::vector<Word> states_;  // the images of some positions,
    std::vector<Word*> rows_;   // ... and where their features are
    std::vector<Transition> transitions_;
    ExpandedPositions read_;
};

}  // namespace ludens
