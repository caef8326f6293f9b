// The hash of a state, which is the same for states that symmetries of the game make alike.
//
// A. Zobrist, "A New Hashing Method with Application for Game Playing", 1970: the exclusive or of one random word for
// every proposition that holds. A symmetry only says which proposition's word is taken, so the key of an image costs
// what the key costs, and is found without making the image. Of the state and its images the least key is taken.
// Without symmetries the words of the state are mixed, which is faster.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/machine.hpp"
#include "base/symmetries.hpp"

namespace ludens {

// Copies share their tables.
class StateKey {
public:
    // Error on symmetries that are no permutations.
    StateKey(const Game& game, const Symmetries& symmetries);

    std::uint64_t operator()(const Word* state) const;

    // Of the tables.
    std::int64_t bytes() const { return static_cast<std::int64_t>(tables_->size() * sizeof(std::uint64_t)); }
    // What they leave of so many bytes; Error if that is less than half.
    std::int64_t left_of(std::int64_t bytes) const;

private:
    static constexpr int byte_values = 256, word_bytes = 8;

    int words_, keys_;  // keys_: of the state and its images
    // [words][word_bytes][byte_values][keys]: of the propositions in a byte; empty without symmetries
    std::shared_ptr<const std::vector<std::uint64_t>> tables_;
};

}  // namespace ludens
