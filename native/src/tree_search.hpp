// A Monte Carlo tree search of one game: the tree, its workers, and what is to be reported.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "search.hpp"
#include "search_selection.hpp"
#include "search_worker.hpp"
#include "tree.hpp"

namespace ludens {

class TreeSearch final : public Search {
public:
    // The initial state is the root. Error on options out of their range.
    TreeSearch(const Game& game, const SearchOptions& options, std::unique_ptr<Selection> selection);

    // See Search. A visit of a terminal node counts as a playout.
    void set_root(const Word* state) override;
    void run(double seconds, std::int64_t playouts) override;
    void stop() override;
    SearchStats stats() const override;
    RootMoves root_moves(int role) const override;
    std::vector<int> expected_line(int room) const override;

private:
    // What the machine says of a state.
    struct Reading {
        bool over;
        std::vector<Word> legal;
        std::vector<int> goals;  // -1 replaced
    };

    Ref find_or_make(const Word* state);
    Reading read(const Word* state);
    void run_workers();
    bool solved() const;
    RootMove forced_move(Node& root, int role, int move) const;
    void list_edges(Index first, std::vector<RootMove>& all, std::vector<RootMove>& open) const;
    Ref follow(Ref at, std::vector<int>& line) const;
    Edge most_visited_edge(Index first) const;

    const Game& game_;
    const SearchOptions options_;
    std::unique_ptr<Selection> selection_;
    std::unique_ptr<Machine> reader_;
    Tree tree_;
    std::vector<std::unique_ptr<Worker>> workers_;
    Ref root_;
    RunLimit limit_;
    std::mutex running_;                // held by run() and set_root(), before:
    mutable std::mutex reporting_;      // held while reporting and while the root changes
};

}  // namespace ludens
