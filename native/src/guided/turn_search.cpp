// Tree search of games by turns guided by an evaluation, without random games. A leaf is evaluated with all its children
// at once, which costs little since each takes one lane; a child at first has the value that the evaluation gives. Which
// edge is followed is decided by PUCT (Rosin, "Multi-armed bandits with episode context", 2011), with a softmax of the
// first values in place of the predictor:
//
//     (1 - share) mean + share minimax + 100 exploration prior sqrt(N) / (1 + n)
//
// over unfinished visits as well (Liu et al., "Watch the unobserved", 2020). Means are of the leaves below;
// minimax values are backed up beside them (Lanctot et al., "Monte Carlo tree search with heuristic evaluations
// using implicit minimax backups", 2014). Ends that are met are proven and so is what follows from them (Winands,
// Bjornsson and Saito, "Monte-Carlo tree search solver", 2008); proven edges are not followed.
//
// States that are images of each other under a symmetry of the game share a node.
//
// One thread owns the tree, and others evaluate leaves for it, a batch each, where that is faster: how many threads pay
// is measured again and again (guided/thread_count_tuner.hpp), for in narrow games the tree is much of the work. What
// visits do in the tree is in guided/search_tree.hpp, what a thread does in guided/batch_worker.hpp.
#include <algorithm>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "base/threads.hpp"
#include "evaluation/expansion.hpp"
#include "guided/batch_worker.hpp"
#include "guided/peer_stats.hpp"
#include "guided/puct.hpp"
#include "guided/search_tree.hpp"
#include "guided/searches.hpp"
#include "guided/thread_count_tuner.hpp"
#include "search/search.hpp"
#include "search/sharing_costs.hpp"

namespace ludens::guided {

namespace {

// Leaves of a batch with one thread and with several: few do not fill a machine, many are selected before the results
// of the others are known.
constexpr std::size_t leaves_alone = 32, leaves_shared = 16;

class PuctSearch final : public TurnSearch {
public:
    PuctSearch(const Game& game, const SearchOptions& options, const Word* root)
        : game_(game), evaluation_(options.evaluation), tree_(game, options), peers_(tree_, game, options.peers),
          root_expander_(game, 64), batches_(make_batches(game, options.threads)), queue_(batches_),
          tuner_(static_cast<std::size_t>(options.threads)) {
        root_expander_.use(*evaluation_);
        for (int i = 0; i < options.threads; ++i)
            workers_.push_back(std::make_unique<BatchWorker>(game, *evaluation_, tree_, queue_, options.lanes));
        set_root(root);
    }

    void set_root(const Word* state) override {
        const std::lock_guard idle(running_), guard(tree_.lock);
        if (!state) state = game_.initial().data();
        // Exactly that state: the moves of an image are others.
        const Index known = tree_.store.find(tree_.store.key(state), state, true);
        if (known != nothing && tree_.store.node(known).edges > 0) {
            tree_.root = known;
        } else {
            expand_root(state);
            const Index root = known == nothing ? insert(state) : nothing;  // where it is one, nothing lies below it
            tree_.root = root != nothing ? root : restart(state);
        }
        peers_.import();
    }

    void go_on(double seconds, std::int64_t playouts) override {
        const std::lock_guard alone(running_);
        limit_.begin_unless_stopped(seconds, playouts);
        give_up_refuted();
        while (!is_solved() && !limit_.reached()) {
            const std::int64_t before = tree_.iterations;
            RunSegment segment(limit_, tuner_, tree_.iterations);
            run_threads(segment);
            if (give_up_refuted()) continue;
            if (segment.full && !make_room() && tree_.iterations == before)
                return;  // the children of a leaf need more room than there can be
        }
    }

    void stop() override { limit_.stopped = true; }
    void forget_stop() override { limit_.stopped = false; }

    std::vector<Word> shared_stats(int most) const override {
        const std::lock_guard guard(tree_.lock);
        return peers_.own(most).words();
    }
    void take_stats(int peer, std::span<const Word> words) override {
        StatsSnapshot told = StatsSnapshot::from_words(words, game_);
        {
            const std::lock_guard guard(tree_.lock);
            peers_.take(peer, std::move(told));
        }
        if (const std::unique_lock idle(running_, std::try_to_lock); idle) give_up_refuted();  // a run does by itself
    }

    SearchStats stats() const override {
        const std::lock_guard guard(tree_.lock);
        SearchStats stats{};
        stats.playouts = stats.iterations = tree_.iterations;
        stats.state_changes = tree_.state_changes;
        stats.root_visits = tree_.store.node(tree_.root).visits;
        stats.nodes = tree_.store.nodes();
        stats.recycled = tree_.recycled;
        stats.memory_bytes = tree_.store.bytes();
        stats.depth = tree_.depth;
        stats.bytes_per_node = tree_.store.bytes_per_node();
        stats.solved = tree_.solved();
        return stats;
    }

    SharingCosts sharing_costs() const override {
        const std::lock_guard guard(tree_.lock);
        return {0, tree_.lock_costs};
    }

    RootMoves root_moves(int role) const override {
        const std::lock_guard guard(tree_.lock);
        Node& root = tree_.store.node(tree_.root);
        RootMoves moves{{}, -1};
        if (root.edges == 0) return moves;
        if (role != root.mover) {
            const int move = tree_.store.moves(root)[role];
            const float value = tree_.store.values(root)[role];
            if (move >= 0) moves = {{{move, root.visits, value, root.proven ? static_cast<int>(value) : -1}}, 0};
            return moves;
        }
        const EdgeRows rows = tree_.store.rows(root);
        for (std::uint32_t i = 0; i < root.edges; ++i) {
            const Edge& edge = tree_.store.edge(root, i);
            const float value = rows.values[i];
            const std::uint32_t visits = rows.visits[i] - edge.in_flight;
            if (rows.is_proven(i)) moves.moves.push_back({edge.move, visits, value, static_cast<int>(value)});
            else moves.moves.push_back({edge.move, visits, mixed_value(rows.means[i], value), -1});
        }
        moves.best = move_to_play(moves.moves);
        const bool sure = rows.is_proven(root.best);
        const auto value = [&](std::size_t i) { return moves.moves[i].value; };
        if (root.proven || (sure && value(root.best) >= value(static_cast<std::size_t>(moves.best)))) {
            moves.best = static_cast<int>(root.best);
        }
        return moves;
    }

    std::vector<int> expected_line(int room) const override {
        const std::lock_guard guard(tree_.lock);
        std::vector<int> line;
        for (Index at = tree_.root; at != nothing && room > 0; --room) {
            Node& node = tree_.store.node(at);
            if (node.edges == 0) break;
            const Edge& edge = tree_.store.edge(node, node.best);
            const int* moves = tree_.store.moves(node);
            const std::size_t step = line.size();
            line.insert(line.end(), moves, moves + game_.roles());
            line[step + node.mover] = edge.move;
            at = edge.is_image ? nothing : edge.child;
        }
        return line;
    }

    void read_visited(std::uint32_t visits, SearchedPositions& out) const override {
        const std::lock_guard guard(tree_.lock);
        std::unordered_set<Index> met{tree_.root};
        std::vector<Index> waiting{tree_.root};
        while (!waiting.empty()) {
            Node& from = tree_.store.node(waiting.back());
            waiting.pop_back();
            for (std::uint32_t i = 0; i < from.edges; ++i) {
                const Index child = tree_.store.edge(from, i).child;
                if (child == nothing || !met.insert(child).second) continue;
                Node& node = tree_.store.node(child);
                if (node.edges == 0 || node.visits < visits) continue;
                waiting.push_back(child);
                out.put({tree_.store.state(node), static_cast<std::size_t>(game_.state_words())},
                        {tree_.store.values(node), static_cast<std::size_t>(game_.roles())});
            }
        }
    }

    bool read_root(float* values) const override {
        const std::lock_guard guard(tree_.lock);
        Node& root = tree_.store.node(tree_.root);
        std::copy_n(tree_.store.values(root), game_.roles(), values);
        return root.proven;
    }

private:
    bool is_solved() const {
        const std::lock_guard guard(tree_.lock);  // take_stats() may prove something meanwhile
        return tree_.solved();
    }

    // With several threads one batch for each, and one that waits for the first thread that has finished its own.
    static std::size_t batch_count(std::size_t threads) { return threads == 1 ? 1 : threads + 1; }

    static std::vector<Batch> make_batches(const Game& game, int threads) {
        std::vector<Batch> batches(batch_count(static_cast<std::size_t>(threads)));
        for (Batch& batch : batches) {
            batch.leaves.resize(leaves_alone);
            for (Leaf& leaf : batch.leaves) leaf.state.resize(static_cast<std::size_t>(game.state_words()));
        }
        return batches;
    }

    // Searches with as many threads as the segment has, until it is over.
    void run_threads(RunSegment& segment) {
        const std::size_t threads = segment.threads();
        queue_.open(batch_count(threads));
        std::span active = std::span(workers_).first(threads);
        run_in_threads(
            active, [this] { stop_threads(); },
            [&](BatchWorker& worker) {
                if (&worker == workers_.front().get())
                    worker.run_tree(segment, threads == 1 ? leaves_alone : leaves_shared);
                else worker.run_evaluator();
            });
        segment.report();
    }

    void stop_threads() {
        limit_.stopped = true;
        queue_.close();
    }

    // Expands a state that is to be the root. Throws Error if it cannot be one; the tree is unchanged.
    void expand_root(const Word* state) {
        const Transition transition{state, nullptr};
        root_expander_.read({&transition, 1}, expanded_);
        root_expander_.expand({1}, expanded_);
        const ExpandedPositions::Position& position = expanded_.positions[0];
        if (!position.over && position.count == 0)
            throw Error("guided search is for positions in which one role chooses");
        if (!tree_.store.can_hold(static_cast<std::uint32_t>(position.count)))
            throw Error("memory_bytes is too small for the moves of this root");
    }

    // Makes the node of the state that was expanded last; `nothing` where there is no room.
    Index insert(const Word* state) {
        return tree_.insert(tree_.store.key(state), expanded_, 0, expanded_.goals.data(), true);
    }

    Index restart(const Word* state) {
        tree_.clear();
        peers_.forget_removed();
        return insert(state);
    }

    // Begins a new tree where proofs rest on equal sums of all ends, and two of them differed; returns whether it did.
    bool give_up_refuted() {
        const std::lock_guard guard(tree_.lock);  // someone may be asking for a report
        if (!tree_.refuted()) return false;
        const Word* state = tree_.store.state(tree_.store.node(tree_.root));
        const std::vector<Word> root(state, state + game_.state_words());
        expand_root(root.data());
        tree_.root = restart(root.data());
        return true;
    }

    // Removes nodes that were seldom visited; false where there are none.
    bool make_room() {
        const std::lock_guard guard(tree_.lock);  // someone may be asking for a report
        const std::int64_t before = tree_.store.nodes();
        tree_.root = tree_.store.compact(tree_.root);
        peers_.forget_removed();
        tree_.recycled += before - tree_.store.nodes();
        return tree_.store.nodes() < before;
    }

    const Game& game_;
    const std::shared_ptr<const Evaluation> evaluation_;
    mutable SearchTree tree_;
    PeerStats peers_;
    PositionExpander root_expander_;
    ExpandedPositions expanded_;
    std::vector<Batch> batches_;
    EvaluationQueue<Batch> queue_;
    std::vector<std::unique_ptr<BatchWorker>> workers_;
    ThreadCountTuner tuner_;
    std::mutex running_;
    Limit limit_;
};

}  // namespace

std::unique_ptr<TurnSearch> make_turn_search(const Game& game, const SearchOptions& options, const Word* root) {
    return std::make_unique<PuctSearch>(game, options, root);
}

}  // namespace ludens::guided
