// Self-play by search: the games that an evaluation is trained on when there is time to look further than one move ahead.
//
// Every position is searched as a player does, guided by the evaluation (guided/turn_search.cpp), and a move is drawn by
// the softmax of what the search expects of it. Learned are
//
// * the positions of the game, by lambda-returns over the values that the search gave them, as in TD-Leaf (Baxter,
//   Tridgell and Weaver, 2000);
// * all positions of the search's tree that were visited often enough, each by its value in the tree: TreeStrap (Veness,
//   Silver, Uther and Blair, "Bootstrapping from game tree search", 2009). So what moves lead to that nobody would
//   play is learned too, and one search teaches many positions.
//
// The search keeps its tree for all games of a call. A position that several of its searches have visited is learned
// once in a call, by its newest value. A game ends as soon as the search has proven how it ends. A position of which
// that was known before is not searched; it is learned once in a call, too. Where several roles choose at once, moves
// are drawn at random and nothing is learned; a game may not begin so.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/machine.hpp"
#include "base/random.hpp"
#include "evaluation/expansion.hpp"
#include "evaluation/training_play.hpp"
#include "guided/searches.hpp"

namespace ludens::guided {

struct SearchEffort {
    int leaves;          // 1 ..., that each position is searched for
    int learned_visits;  // 0 ..., of a position in the tree from which on it is learned
};

// Games of players who search, one after the other. Belongs to one thread.
class SearchedPlay final : public TrainingPlay {
public:
    // The game must outlive it.
    SearchedPlay(const Game& game, const SelfPlayOptions& options, SearchEffort effort);

    // Throws Error if several roles choose in the initial state.
    TrainingSamples play(const std::shared_ptr<const Evaluation>& evaluation, std::int64_t states,
                         double seconds) override;
    std::int64_t positions() const override { return searched_; }
    std::int64_t states() const override { return states_; }

private:
    void move();
    void search();
    void choose();
    void finish(const float* goals);
    void add_known();

    const Game& game_;
    const SelfPlayOptions options_;
    const SearchEffort effort_;
    PositionExpander expander_;
    Random random_;
    const std::size_t words_, roles_;
    std::int64_t searched_ = 0, steps_ = 0, states_ = 0;
    PlayedGame playing_;
    std::unique_ptr<TurnSearch> search_;  // by the evaluation of this call; null between calls
    SearchedPositions known_;             // of this call
    ExpandedPositions position_;
    std::vector<Transition> transitions_;
    std::vector<float> worth_;
    TrainingSamples samples_;
};

}  // namespace ludens::guided
