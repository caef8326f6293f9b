// One thread of the search: a tree, and a machine whose lanes are each somewhere in their own life.
//
//     launch   descents from the root pick an edge with nothing below it; the lane is loaded with that node's
//              state and the moves of the edge
//     expand   one round later the lane stands on the state below; if that is due to become a node it is read
//     collect  random play until the game is over or has lasted too long
//     settle   goals are read and counted along the path of the descent
//
// Loading and reading transpose the whole machine, so lanes wait for each other: they are launched and settled
// a batch at a time. Lanes outlive a run: what is in flight at its end goes on in the next.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/machine.hpp"
#include "base/threads.hpp"
#include "mcts/root_report.hpp"
#include "mcts/selection.hpp"
#include "mcts/stats_sync.hpp"
#include "mcts/tree.hpp"
#include "search/search.hpp"

namespace ludens {

// When a run ends; shared by its workers.
struct RunLimit : Limit {
    std::atomic<bool> solved = false;  // the root

    bool reached() const { return solved.load(std::memory_order_relaxed) || Limit::reached(); }
};

// What the machine says of a state.
struct Reading {
    const Word* state;
    bool over;
    std::vector<Word> legal;
    std::vector<int> goals;  // -1 replaced
};

class Worker {
public:
    Worker(const Game& game, RootBoard& board, BulletinBoard& bulletins, const Selection& selection,
           const SearchOptions& options, int thread);

    void run(RunLimit& limit);

    // See Search::collect() and report(); mcts/leaf_batches.cpp.
    void hand_out(int room, std::vector<Word>& states, std::vector<std::int64_t>& tickets);
    void take_back(std::span<const std::int64_t> tickets, const double* goals, int games);

    // False where it does not fit even into an empty tree: then the worker has no root.
    bool set_root(const Reading& root);

    int lanes() const { return static_cast<int>(lanes_); }

private:
    static constexpr std::size_t depth_limit = 500;

    // One visit from the root on: the choices made (Tree::choices() a node), and the lanes that play on below.
    struct Descent {
        std::vector<Index> nodes;
        std::vector<Choice> choices;
        std::vector<double> goals;   // summed over the lanes that have ended
        std::uint64_t known = 0;     // AmafTables' key of the last node passed that has a table to be used; 0: none
        int playing = 0, lanes = 0;  // of these that play, and that have played
        std::uint32_t ticket = 0;    // what a leaf that is handed out next is known by, with its index
        bool handed_out = false;
        bool expands = false;   // the child is due to become a node
        bool informed = false;  // something may be proven of it
        bool resolves = false;  // began in the midst of the tree: see again()
    };

    // Visits of a batch that took the same path so far: mcts/descent.cpp.
    struct Party {
        Ref at = {};               // next node, if there is one
        std::uint32_t parent = 0;  // the party it left, by its place among parties_
        std::uint32_t count = 0;
        std::uint16_t depth = 0;                // nodes on the path
        bool resolves = false;                  // see Descent
        std::uint32_t choices = 0, stride = 0;  // where in choices_ those made at the last node begin; how many
        std::uint32_t path_choices = 0;         // on the whole path
        std::uint64_t known = 0;                // see Descent
        std::uint64_t filter = 0;               // of nodes: see passes_again()
    };

    // A party at its node, and where those begin that leave it, and their choices.
    struct Parting {
        const Party& party;
        std::uint32_t index;
        std::size_t from, choices;
    };

    Ref find_or_make(const Reading& reading);
    void forget();      // what is in flight
    void forget_all();  // and the tree
    void compare_ends();
    void exchange(RunLimit& limit);
    void report();
    void round(RunLimit& limit);

    // mcts/descent.cpp
    void launch(std::size_t visits, int lanes_each, RunLimit& limit);
    void visit(std::size_t party, RunLimit& limit);
    bool passes_again(Party& party) const;
    bool due(const Party& party) const;
    int descend(const Party& party);
    int begin(const Party& party);
    void play_out(const Party& party, bool expands);
    void conclude(const Party& party, Node& node, RunLimit& limit);
    void again(int descent, std::size_t from, RunLimit& limit);
    void play(int descent, int lanes);
    void consult(Party& party, const Node& node);
    AmafView known(std::uint64_t key) const;
    void choose(const Party& party, std::uint32_t index, Node& node);
    std::uint32_t choose_together(const Parting& parting, Node& node, std::uint32_t count);
    void choose_by_role(Node& node);
    void choose_one(const Party& party, Node& node, bool resolves);
    void part(const Parting& parting, std::span<const Choice> chosen, std::uint32_t count);

    void expand();
    void make_nodes(const std::vector<int>& rows, bool over);
    Ref make_known(const Word* state, std::uint32_t hash);
    void attach(int lane, Ref child, bool informed);

    void collect();
    void collect_expired();
    void end(int lane);
    void settle(RunLimit& limit);
    void settle(int lane, const int* goals, RunLimit& limit);
    void learn(const Descent& descent, Word* moves, const int* goals);
    void back_up(int descent, RunLimit& limit);
    Ref child_of(const Descent& descent) const;
    void count(const Descent& descent);

    const Choice* last_choices(const Descent& descent) const {
        return descent.choices.data() + descent.choices.size() - tree_.choices(tree_.node(descent.nodes.back()));
    }
    void prefetch_path(const Descent& descent) const;
    static std::uint64_t key_of(Ref node) { return (std::uint64_t{node.index} << 16 | node.generation) + 1; }

    bool holds(std::span<const Word> set, int lane) const { return set[lane / 64] >> (lane % 64) & 1; }

    const bool shares_;
    const Selection& selection_;
    const AmafSelection* const amaf_selection_;  // null: it has no use for them
    const Knowledge* const knowledge_;           // null: none
    const int roles_, playouts_per_leaf_, max_steps_;
    const bool grows_;
    const std::uint32_t expand_after_;
    std::unique_ptr<Machine> machine_;
    const std::size_t lanes_, batch_;
    Tree tree_;
    AmafTables amaf_;
    TreeShare share_;
    RootReport report_;
    RootAccount account_;
    Random random_;
    Ref root_;
    std::vector<Word> root_state_;
    Reading root_reading_ = {};  // of that state
    std::int64_t finished_ = 0;  // playouts, and visits of terminal nodes in their stead
    Proof proof_;                // of the node below, on the way up

    std::vector<int> first_moves_of_;  // of each role
    std::vector<Descent> descents_;
    std::vector<int> idle_, leaves_;
    std::vector<Party> parties_;
    std::vector<Choice> choices_, joint_;  // by which each party left another; of one visit
    std::vector<Visits> chosen_;
    std::uint32_t anew_ = 0;  // visits that are to begin once more
    std::size_t terminal_visits_left_ = 0;

    // By lane.
    std::vector<int> descent_of_, moves_;
    std::vector<std::int64_t> loaded_;  // round
    std::vector<Word> active_;          // bit set: playing

    std::vector<int> free_, ended_;
    std::vector<int> first_moves_, due_;  // loaded for expansion in this round, in the last one
    std::int64_t active_count_ = 0, round_ = 0;
    std::int64_t next_expiry_ = std::numeric_limits<std::int64_t>::max();  // no active lane is older
    bool expired_ = false;
    std::vector<Machine::Start> starts_;

    // What is read of lanes, one row a lane.
    std::vector<Word> states_, legal_, noted_;
    std::vector<int> goals_, lanes_read_, open_, over_;
    std::vector<std::uint32_t> hashes_;
};

}  // namespace ludens
