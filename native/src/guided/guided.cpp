// Search guided by an evaluation: no random games. A leaf is looked at with all its children at once, which costs
// little since each takes one lane; a child at first has the value that the evaluation tells. Which edge is followed
// is told by PUCT (Rosin, "Multi-armed bandits with episode context", 2011), with a softmax of the first values in
// place of the predictor:
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
// One thread keeps the tree, and others look at leaves for it, a batch each, where that is faster: how many is found out
// again and again (guided/thread_count_tuner.hpp), for in narrow games the tree is much of the work. What visits do in the tree is in
// guided/visits.cpp.
#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/threads.hpp"
#include "evaluation/expansion.hpp"
#include "guided/choice.hpp"
#include "guided/evaluation_queue.hpp"
#include "guided/run_segment.hpp"
#include "guided/thread_count_tuner.hpp"
#include "guided/tree.hpp"
#include "guided/visits.hpp"
#include "search/search.hpp"

namespace ludens {

namespace {

using namespace guided;

// Leaves of a batch where there is one, and where there are several: few fill no machine, many are chosen in the dark.
constexpr std::size_t leaves_alone = 32, leaves_shared = 16;

// Leaves that are looked at at once, and what there is to see.
struct Batch {
    std::vector<Leaf> leaves;  // room for as many as there ever are
    std::size_t count = 0;     // that have been chosen
    Outlook outlook;
    std::vector<float> values;  // [count][roles]: what the evaluation says
    std::int64_t state_changes = 0;
};

// What one thread does. One keeps the tree: it alone chooses leaves and settles what was seen, others would have to wait
// for it to come out of its processor's cache. All look at leaves, the keeper where nothing waits to be settled.
class Worker {
public:
    Worker(const Game& game, const Evaluation& evaluation, GuidedTree& shared, Relay<Batch>& relay, int lanes)
        : shared_(shared),
          relay_(relay),
          evaluation_(evaluation),
          expander_(game, evaluation, lanes),
          roles_(static_cast<std::size_t>(game.roles())),
          words_(static_cast<std::size_t>(game.state_words())) {}

    // In batches of so many leaves.
    void keep(Stint& stint, std::size_t leaves) {
        while (true) {
            for (Batch* batch; !stint.over() && (batch = relay_.idle());) {
                if (!choose_leaves(*batch, leaves, stint)) break;
                relay_.hand_out(batch);
            }
            if (relay_.all_idle()) {
                if (stint.over()) return relay_.close();
                continue;
            }
            bool looked_at;
            Batch* batch = relay_.take_back(looked_at);
            if (!batch) return;  // something has happened to another
            if (!looked_at) look(*batch);
            settle(*batch, stint);
        }
    }

    void help() {
        while (Batch* batch = relay_.next()) {
            look(*batch);
            relay_.give_back(batch);
        }
    }

private:
    bool choose_leaves(Batch& batch, std::size_t leaves, Stint& stint) {
        const std::lock_guard guard(shared_.lock);
        const std::int64_t before = shared_.iterations;
        batch.count = shared_.solved() ? 0 : shared_.descend(std::span(batch.leaves).first(leaves));
        stint.run.finished += shared_.iterations - before;
        stint.solved = shared_.solved();
        return batch.count > 0;
    }

    void look(Batch& batch) {
        Outlook& outlook = batch.outlook;
        const std::int64_t before = expander_.state_changes();
        reached_.clear();
        for (std::size_t i = 0; i < batch.count; ++i)
            reached_.push_back({batch.leaves[i].state.data(), batch.leaves[i].moves.data()});
        expander_.look(reached_, outlook);
        for (std::size_t i = 0; i < batch.count; ++i) {
            batch.leaves[i].key = shared_.tree.key(&outlook.states[i * words_]);
            shared_.tree.prefetch_slot(batch.leaves[i].key);
        }
        wanted_.resize(batch.count);
        for (std::size_t i = 0; i < batch.count; ++i) {
            batch.leaves[i].found = shared_.tree.find(batch.leaves[i].key, &outlook.states[i * words_]);
            wanted_[i] = batch.leaves[i].found == nothing;
        }
        expander_.expand(wanted_, outlook);
        batch.values.resize(batch.count * roles_);
        evaluation_.values(static_cast<std::int64_t>(batch.count), outlook.features.data(), batch.values.data());
        batch.state_changes = expander_.state_changes() - before;
    }

    void settle(Batch& batch, Stint& stint) {
        const std::lock_guard guard(shared_.lock);
        for (std::size_t i = 0; i < batch.count; ++i) {
            const Leaf& leaf = batch.leaves[i];
            const Word* reached = &batch.outlook.states[i * words_];
            Index node = leaf.found;
            if (node == nothing) node = shared_.tree.find(leaf.key, reached);
            if (node == nothing) node = shared_.insert(leaf.key, batch.outlook, i, &batch.values[i * roles_]);
            if (node == nothing) {
                stint.full = true;
                shared_.take_back(leaf.path);
                continue;
            }
            shared_.link(leaf, node, reached);
            shared_.back_up(leaf.path, shared_.tree.values(shared_.tree.node(node)));
            ++shared_.iterations;
            ++stint.run.finished;
        }
        if (shared_.refuted()) stint.refuted = true;
        shared_.state_changes += batch.state_changes;
    }

    GuidedTree& shared_;
    Relay<Batch>& relay_;
    const Evaluation& evaluation_;
    Expander expander_;
    const std::size_t roles_, words_;
    std::vector<Reached> reached_;
    std::vector<std::uint8_t> wanted_;
};

class GuidedSearch final : public Search {
public:
    GuidedSearch(const Game& game, const SearchOptions& options)
        : game_(game),
          evaluation_(options.evaluation),
          tree_(game, options),
          reader_(game, *evaluation_, 64),
          batches_(batches_for(game, options.threads)),
          relay_(batches_),
          crew_(static_cast<std::size_t>(options.threads)) {
        for (int i = 0; i < options.threads; ++i)
            workers_.push_back(std::make_unique<Worker>(game, *evaluation_, tree_, relay_, options.lanes));
        set_root(nullptr);
    }

    void set_root(const Word* state) override {
        const std::lock_guard idle(running_), guard(tree_.lock);
        if (!state) state = game_.initial().data();
        const Index known = tree_.tree.find(tree_.tree.key(state), state, true);  // the moves of an image are others
        if (known != nothing && !is_bare(known)) {
            tree_.root = known;
            return;
        }
        look_at(state);
        const Index root = insert(state);
        tree_.root = root != nothing ? root : begin_anew(state);
    }

    void run(double seconds, std::int64_t playouts) override {
        const std::lock_guard alone(running_);
        limit_.begin(seconds, playouts);
        while (!tree_.solved() && !limit_.reached()) {
            const std::int64_t before = tree_.iterations;
            Stint stint(limit_, crew_, tree_.iterations);
            work(stint);
            if (stint.refuted)
                withdraw();
            else if (stint.full && !make_room() && tree_.iterations == before)
                return;  // the children of a leaf need more room than there can be
        }
    }

    void stop() override { limit_.stopped = true; }

    SearchStats stats() const override {
        const std::lock_guard guard(tree_.lock);
        SearchStats stats{};
        stats.playouts = stats.iterations = tree_.iterations;
        stats.state_changes = tree_.state_changes;
        stats.root_visits = tree_.tree.node(tree_.root).visits;
        stats.nodes = tree_.tree.nodes();
        stats.recycled = tree_.recycled;
        stats.memory_bytes = tree_.tree.bytes();
        stats.depth = tree_.depth;
        stats.bytes_per_node = tree_.tree.bytes_per_node();
        stats.solved = tree_.solved();
        return stats;
    }

    RootMoves root_moves(int role) const override {
        const std::lock_guard guard(tree_.lock);
        if (role < 0 || role >= game_.roles()) throw Error("there is no such role");
        Node& root = tree_.tree.node(tree_.root);
        RootMoves moves{{}, -1};
        if (root.edges == 0) return moves;
        if (role != root.chooser) {
            const int move = tree_.tree.moves(root)[role];
            const float value = tree_.tree.values(root)[role];
            if (move >= 0) moves = {{{move, root.visits, value, root.proven ? static_cast<int>(value) : -1}}, 0};
            return moves;
        }
        const Rows rows = tree_.tree.rows(root);
        for (std::uint32_t i = 0; i < root.edges; ++i) {
            const Edge& edge = tree_.tree.edge(root, i);
            const float value = rows.values[i], mixed = mix_in(rows.means[i], value);
            const std::uint32_t visits = rows.visits[i] - edge.in_flight;
            if (rows.is_proven(i))
                moves.moves.push_back({edge.move, visits, value, static_cast<int>(value)});
            else
                moves.moves.push_back({edge.move, visits, mixed, -1});
        }
        moves.best = favourite(moves.moves);
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
            Node& node = tree_.tree.node(at);
            if (node.edges == 0) break;
            const Edge& edge = tree_.tree.edge(node, node.best);
            const int* moves = tree_.tree.moves(node);
            line.insert(line.end(), moves, moves + game_.roles());
            line.end()[node.chooser - game_.roles()] = edge.move;
            at = edge.turned ? nothing : edge.child;
        }
        return line;
    }

private:
    // The most visited, but none that is proven to bring less than that is expected to; those that are proven get no
    // more visits, so one that brings more is taken however few it has.
    static int favourite(const std::vector<RootMove>& moves) {
        const auto visits = [](const RootMove& m) { return std::pair(m.proven < 0 ? m.visits : -1, m.value); };
        int best = static_cast<int>(std::ranges::max_element(moves, {}, visits) - moves.begin());
        for (int i = 0; i < static_cast<int>(moves.size()); ++i)
            if (moves[i].proven >= 0 && moves[i].value > moves[best].value) best = i;
        return best;
    }

    // With several threads one for each, and one that waits for the first that has done with its own.
    static std::size_t batches_of(std::size_t threads) { return threads == 1 ? 1 : threads + 1; }

    static std::vector<Batch> batches_for(const Game& game, int threads) {
        std::vector<Batch> batches(batches_of(static_cast<std::size_t>(threads)));
        for (Batch& batch : batches) {
            batch.leaves.resize(leaves_alone);
            for (Leaf& leaf : batch.leaves) leaf.state.resize(static_cast<std::size_t>(game.state_words()));
        }
        return batches;
    }

    void work(Stint& stint) {
        const std::size_t threads = stint.threads();
        relay_.open(batches_of(threads));
        std::span working = std::span(workers_).first(threads);
        run_in_threads(
            working, [this] { give_up(); },
            [&](Worker& worker) {
                if (&worker == workers_.front().get())
                    worker.keep(stint, threads == 1 ? leaves_alone : leaves_shared);
                else
                    worker.help();
            });
        stint.report();
    }

    void give_up() {
        limit_.stopped = true;
        relay_.close();
    }

    // Whether nothing follows from it, as from where several roles choose.
    bool is_bare(Index index) const {
        const Node& node = tree_.tree.node(index);
        return node.edges == 0 && !node.proven;
    }

    // Sees whether it can be a root. The tree is as it was: so it stays if this fails.
    void look_at(const Word* state) {
        const Reached reached{state, nullptr};
        reader_.look({&reached, 1}, outlook_);
        reader_.expand({1}, outlook_);
        const Outlook::Position& position = outlook_.positions[0];
        if (!position.over && position.count == 0)
            throw Error("guided search is for positions in which one role chooses");
        if (!tree_.tree.holds(static_cast<std::uint32_t>(position.count)))
            throw Error("memory_bytes is too small for the moves of this root");
    }

    // What was looked at last; `nothing` where there is no room.
    Index insert(const Word* state) { return tree_.insert(tree_.tree.key(state), outlook_, 0, outlook_.goals.data()); }

    Index begin_anew(const Word* state) {
        tree_.clear();
        return insert(state);
    }

    // Gives up what was proven of too few ends, with the tree.
    void withdraw() {
        const std::lock_guard guard(tree_.lock);  // someone may be asking for a report
        const Word* state = tree_.tree.state(tree_.tree.node(tree_.root));
        const std::vector<Word> root(state, state + game_.state_words());
        look_at(root.data());
        tree_.root = begin_anew(root.data());
    }

    // Whether nodes were forgotten.
    bool make_room() {
        const std::lock_guard guard(tree_.lock);  // someone may be asking for a report
        const std::int64_t before = tree_.tree.nodes();
        tree_.root = tree_.tree.compact(tree_.root);
        tree_.recycled += before - tree_.tree.nodes();
        return tree_.tree.nodes() < before;
    }

    const Game& game_;
    const std::shared_ptr<const Evaluation> evaluation_;
    mutable GuidedTree tree_;
    Expander reader_;
    Outlook outlook_;
    std::vector<Batch> batches_;
    Relay<Batch> relay_;
    std::vector<std::unique_ptr<Worker>> workers_;
    Crew crew_;
    std::mutex running_;
    Limit limit_;
};

}  // namespace

std::unique_ptr<Search> make_guided(const Game& game, const SearchOptions& options) {
    if (options.threads < 1 || options.threads > 1024) throw Error("threads must be between 1 and 1024");
    if (!std::isfinite(options.exploration) || options.exploration < 0)
        throw Error("exploration must be a number that is not negative");
    return std::make_unique<GuidedSearch>(game, options);
}

}  // namespace ludens
