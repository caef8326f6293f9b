// Images of positions under the symmetries of a game: other positions, which are worth as much to each role. Who learns
// them in place of the positions needs fewer games, as where Go was learned from all turns and reflections of the board
// (Silver et al., "Mastering the game of Go with deep neural networks and tree search", 2016).
#pragma once

#include <cstdint>
#include <vector>

#include "base/machine.hpp"
#include "base/random.hpp"
#include "base/symmetries.hpp"
#include "evaluation/expansion.hpp"

namespace ludens {

// Belongs to one thread.
class PositionImages {
public:
    // Throws Error for symmetries that are no permutations. The game must outlive it.
    PositionImages(const Game& game, Symmetries symmetries, std::uint64_t seed);

    // Replaces positions, features [count][feature_words], each by its image under a symmetry drawn at random, or keeps
    // it; all of these are equally likely.
    void draw(std::int64_t count, Word* features);

private:
    void carry(const std::vector<int>& symmetry, const Word* features, Word* state) const;

    const std::size_t state_bits_, words_, feature_words_;
    const Symmetries symmetries_;
    PositionExpander expander_;
    Random random_;
    std::vector<Word> states_;  // the images of some positions,
    std::vector<Word*> rows_;   // ... and where their features are
    std::vector<Transition> transitions_;
    ExpandedPositions read_;
};

}  // namespace ludens
