// A number that stands for a state in tables, the same for states that symmetries of the game make alike.
//
// A. Zobrist, "A New Hashing Method with Application for Game Playing", 1970: the exclusive or of one random word for
// every proposition that holds. A symmetry only says which proposition's word is taken, so the key of an image costs
// what the key costs, and is found without making the image. Of the state and its images the least key is taken.
// Without symmetries the words of the state are mixed, which is faster.
#pragma once

#include <cstdint>
#include <vector>

#include "machine.hpp"

namespace ludens {

class StateKey {
public:
    // symmetries: [K][state_bits], where proposition i of a state goes in its image; images must be worth to each role
    // what the state is. Error on rows that are no permutations.
    StateKey(const Game& game, const std::vector<std::vector<int>>& symmetries);

    std::uint64_t operator()(const Word* state) const;

private:
    std::uint64_t key_without_symmetries(const Word* state) const;

    static constexpr int byte_values = 256, word_bytes = 8;

    int words_, keys_;                   // keys_: of the state and its images
    std::vector<std::uint64_t> tables_;  // [words][word_bytes][byte_values][keys]: of the propositions in a byte
};

}  // namespace ludens
