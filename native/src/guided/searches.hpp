// The two searches that an evaluation guides: which of them plays is decided in guided/guided.cpp.
#pragma once

#include <cstdint>
#include <memory>

#include "guided/searched_positions.hpp"
#include "search/search.hpp"

namespace ludens::guided {

// A search of games by turns, of whose tree more can be read than of others'.
class TurnSearch : public Search {
public:
    // Says what the positions below the root, itself excepted, are worth that were visited so often at least, and of
    // which more than the evaluation's word is known; 0: all of these.
    virtual void read_visited(std::uint32_t visits, SearchedPositions& out) const = 0;
    // Writes the values [roles] of the root, expected by minimax. Returns whether they are those of perfect play.
    virtual bool read_root(float* values) const = 0;
};

// For games by turns: guided/turn_search.cpp. Throws Error if several roles choose at the first root, which is the
// initial state if null, and later at such a root.
std::unique_ptr<TurnSearch> make_turn_search(const Game& game, const SearchOptions& options,
                                             const Word* root = nullptr);

// For games in which several roles choose at once: guided/joint_search.cpp.
std::unique_ptr<Search> make_joint_search(const Game& game, const SearchOptions& options);

}  // namespace ludens::guided
