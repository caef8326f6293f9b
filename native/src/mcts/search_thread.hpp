// One thread of the search: a tree, and a machine whose lanes are each at another step of a visit.
//
//     select   visits go down from the root to an edge with nothing below it (mcts/thread_select.cpp)
//     load     a lane takes the state of the last node and the moves of that edge (mcts/thread_lanes.cpp)
//     expand   one round later the lane stands on the state below; if that is due to become a node it is read
//     play     random moves until the game is over or has lasted too long
//     backup   goals are read and counted along the path (mcts/thread_backup.cpp)
//
// Loading and reading transpose the whole machine, so lanes wait for each other: selection and backup work on a batch
// at a time. Lanes outlive a run: what is in flight at its end goes on in the next.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/insight.hpp"
#include "base/machine.hpp"
#include "base/threads.hpp"
#include "mcts/root_stats.hpp"
#include "mcts/selection.hpp"
#include "mcts/stats_sync.hpp"
#include "mcts/tree.hpp"
#include "search/search.hpp"

namespace ludens::mcts {

// When a run ends; shared by its threads.
struct RunLimit : Limit {
    std::atomic<bool> solved = false;  // the root

    bool reached() const { return solved.load(std::memory_order_relaxed) || Limit::reached(); }
};

// A state that is to be the root, with what the machine says of it.
struct RootPosition {
    const Word* state;
    bool over;
    std::vector<Word> legal;
    std::vector<int> goals;  // missing ones counted as middle_goal
};

class SearchThread {
public:
    SearchThread(const Game& game, RootStats& root_stats, StatsExchange& exchange, const Selection& selection,
                 const SearchOptions& options, int thread);

    // Searches until the limit is reached. What was found out before a failure is reported all the same.
    void run(RunLimit& limit);

    // See Search::collect() and report(); mcts/leaf_batches.cpp.
    void collect_leaves(int room, std::vector<Word>& states, std::vector<std::int64_t>& tickets);
    void report_leaves(std::span<const std::int64_t> tickets, const double* goals, int games);

    // Returns false where the root does not fit even into an empty tree: then there is none. What is in flight below an
    // earlier root goes on.
    bool set_root(const RootPosition& root);
    // Gives up the tree if a proof in it rests on equal sums of all ends, and two ends have differed; returns whether it
    // did. Between runs, or in the thread's own.
    bool compare_ends();

private:
    static constexpr std::size_t depth_limit = 500;

    // One visit from the root on: the choices made (Tree::choices() for each node), and the lanes that play on below.
    struct Trajectory {
        std::vector<Index> nodes;
        std::vector<Choice> choices;
        std::vector<double> goals;        // means of the lanes that have ended, added up
        std::uint64_t amaf_key = 0;       // in AmafTables, of the last node passed whose table is used; 0: none
        int playing = 0, lanes = 0;       // lanes that still play, and all of them
        std::uint32_t ticket = 0;         // with the trajectory's place names a leaf that is handed out
        bool handed_out = false;          // the caller of collect() plays its games
        bool expands = false;             // the state below is due to become a node
        bool has_proof = false;           // something may be proven of that node
        bool started_below_root = false;  // see revisit()
    };

    // Visits of a batch that took the same path so far.
    struct VisitGroup {
        Ref at = {};               // next node, if there is one
        std::uint32_t parent = 0;  // the group it was split off from, by its place among groups_
        std::uint32_t count = 0;
        std::uint16_t depth = 0;                // nodes on the path
        bool started_below_root = false;        // see Trajectory
        std::uint32_t choices = 0, stride = 0;  // in choices_: where those made at the last node begin; how many
        std::uint32_t path_choices = 0;         // on the whole path
        std::uint64_t amaf_key = 0;             // see Trajectory
        std::uint64_t node_bits = 0;            // one bit for each node on the path: see repeats_node()
    };

    // A group at its node; where the groups that are split off from it begin, and their choices.
    struct GroupSplit {
        const VisitGroup& group;
        std::uint32_t index;
        std::size_t from, choices;
    };

    Ref find_or_make(const RootPosition& position);
    void forget_visits();
    void forget_all();
    void exchange(RunLimit& limit);
    void report();
    void round(RunLimit& limit);

    // mcts/thread_select.cpp
    void select(std::size_t visits, RunLimit& limit);
    void visit(std::size_t group, RunLimit& limit);
    bool repeats_node(VisitGroup& group) const;
    bool is_due(const VisitGroup& group) const;
    int make_trajectory(const VisitGroup& group);
    int reset_trajectory(const VisitGroup& group);
    void start_playouts(const VisitGroup& group, bool expands);
    void finish_solved(const VisitGroup& group, Node& node, RunLimit& limit);
    void revisit(int trajectory, std::size_t from, RunLimit& limit);
    void look_up_amaf(VisitGroup& group, const Node& node);
    AmafView amaf_view(std::uint64_t key) const;
    void choose(const VisitGroup& group, std::uint32_t index, Node& node);
    std::uint32_t choose_batch(const GroupSplit& split, Node& node, std::uint32_t count);
    void choose_by_role(Node& node);
    void choose_one(const VisitGroup& group, Node& node, bool unresolved_only);
    bool widens(const Node& node, Index first, AmafRow amaf, Edge chosen) const;
    void split_off(const GroupSplit& split, std::span<const Choice> chosen, std::uint32_t count);

    // mcts/thread_lanes.cpp
    std::size_t idle_lanes() const;
    void add_leaf(int trajectory, int phase);
    void load_in_phase();
    void load_any(std::size_t count);
    void load(std::vector<int>& leaves, std::size_t count, int lanes_each);
    void load_lanes(int trajectory, int lanes);
    int phase_of(int trajectory) const;
    void find_finished();
    void find_expired();
    void finish_lane(int lane);
    // How many lanes hold games that are not counted yet.
    std::size_t ended_lanes() const { return lanes_ - free_lanes_.size() - static_cast<std::size_t>(active_count_); }
    std::vector<int>& ended_now() { return ended_[static_cast<std::size_t>(round_ % cycle_)]; }

    void expand();
    void make_nodes(const std::vector<int>& rows, bool over);
    Ref make_known(const Word* state, std::uint32_t hash);
    int find_goals(const Word* state);
    Ref make_node(const Word* state, std::uint32_t hash, const Word* legal, AmafView amaf);
    void attach(int lane, Ref child, bool has_proof);

    // mcts/thread_backup.cpp
    void backup_all(RunLimit& limit);
    void backup_finished(std::vector<int>& ended, RunLimit& limit);
    void add_to_amaf(const Trajectory& trajectory, Word* moves, const int* goals);
    void add_game(int lane, const int* goals, RunLimit& limit);
    void backup(int trajectory, RunLimit& limit);
    Ref child_of(const Trajectory& trajectory) const;
    void count_iteration(const Trajectory& trajectory);
    void prefetch_path(const Trajectory& trajectory) const;

    const Choice* last_choices(const Trajectory& trajectory) const {
        const std::size_t made = tree_.choices(tree_.node(trajectory.nodes.back()));
        return trajectory.choices.data() + trajectory.choices.size() - made;
    }
    static std::uint64_t amaf_key_of(Ref node) { return (std::uint64_t{node.index} << 16 | node.generation) + 1; }

    const bool shares_;
    const Selection& selection_;
    const AmafSelection* const amaf_selection_;  // null: the selection uses no statistics of all moves as first
    const Knowledge* const knowledge_;           // null: none
    const std::unique_ptr<Insight> insight_;     // null: none
    const int roles_, playouts_per_leaf_, max_steps_, cycle_;
    const bool grows_;
    const std::uint32_t expand_after_;
    std::unique_ptr<Machine> machine_;
    const std::size_t lanes_, batch_;
    Tree tree_;
    AmafTables amaf_;
    StatsSync sync_;
    RootReporter reporter_;
    ThreadRootStats stats_;
    Random random_;
    Ref root_;
    std::vector<Word> root_state_;
    RootPosition root_position_ = {};  // of that state
    std::int64_t finished_ = 0;        // playouts, and visits of solved nodes in their stead
    Proof proof_;                      // of the node below, during backup

    const RoleMoves role_moves_;
    std::vector<Trajectory> trajectories_;
    std::vector<int> free_trajectories_;
    int handed_out_ = 0;                    // trajectories whose leaves are
    std::vector<std::vector<int>> leaves_;  // by the phase of the state at the leaf: trajectories that wait for lanes
    std::size_t waiting_ = 0;               // how many these are
    std::vector<VisitGroup> groups_;
    std::vector<Choice> choices_, joint_;  // by which each group left another; of one visit
    std::vector<EdgeVisits> chosen_;
    std::uint32_t restarts_ = 0;  // visits that begin once more at the root
    std::size_t solved_visits_left_ = 0;

    // By lane.
    std::vector<int> trajectory_of_, moves_;
    std::vector<std::int64_t> loaded_;  // round
    std::vector<Word> active_;          // bit set: playing

    std::vector<int> free_lanes_;
    std::vector<std::vector<int>> ended_;  // by round modulo the cycle: lanes whose games ended and are to be counted
    std::int64_t phase_offset_ = 0;        // of the lanes that play: their phase is this plus the round, in the cycle
    std::vector<int> loaded_to_expand_, to_expand_;  // lanes loaded for expansion in this round, in the last one
    std::int64_t active_count_ = 0, round_ = 0;
    std::int64_t last_counting_ = 0;  // round: until then games are counted that have ended
    std::int64_t next_expiry_ = std::numeric_limits<std::int64_t>::max();  // round: no active lane expires before
    bool expired_ = false;
    std::vector<Machine::Start> starts_;

    // What is read of lanes, one row a lane.
    std::vector<Word> states_, legal_, noted_;
    std::vector<int> goals_, lanes_read_, open_rows_, terminal_rows_;
    std::vector<std::uint32_t> hashes_;
    std::vector<float> ranks_;  // of the moves of the role that moves
};

}  // namespace ludens::mcts
