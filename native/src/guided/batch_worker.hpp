// One thread of the guided search, and the part of a run that threads work on together.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "base/threads.hpp"
#include "evaluation/expansion.hpp"
#include "guided/evaluation_queue.hpp"
#include "guided/search_tree.hpp"
#include "guided/thread_count_tuner.hpp"

namespace ludens::guided {

// The part of a run of the search during which the number of threads stays the same. It ends with the run; where there
// is no room left, the root is proven, or a proof does not hold; and where the tuner wants another number of threads.
// For one thread only.
class RunSegment {
public:
    // `evaluated`: how many leaves the search has evaluated so far.
    RunSegment(Limit& limit, ThreadCountTuner& tuner, const std::int64_t& evaluated)
        : run(limit), tuner_(tuner), threads_(tuner.threads()), evaluated_(evaluated) {
        begin_interval();
    }

    Limit& run;
    bool full = false, solved = false, refuted = false;

    std::size_t threads() const { return threads_; }
    bool over() { return full || solved || refuted || run.reached() || count_changes(); }
    // Reports to the tuner what has been done since the last report.
    void report() {
        if (tuner_.single() || count_changed_) return;
        const std::chrono::duration<double> lasted = SearchClock::now() - began_;
        tuner_.report(evaluated_ - before_, lasted.count());
        count_changed_ = tuner_.threads() != threads_;
        begin_interval();
    }

private:
    bool count_changes() {
        if (interval_.passed()) report();
        return count_changed_;
    }
    void begin_interval() {
        if (tuner_.single()) return;
        began_ = SearchClock::now();
        before_ = evaluated_;
        interval_ = Deadline(tuner_.seconds_left());
    }

    ThreadCountTuner& tuner_;
    const std::size_t threads_;
    const std::int64_t& evaluated_;
    bool count_changed_ = false;
    std::int64_t before_ = 0;
    SearchClock::time_point began_;
    Deadline interval_;
};

// Leaves that are evaluated together, with their children.
struct Batch {
    std::vector<Leaf> leaves;  // room for as many as there ever are
    std::size_t count = 0;     // that have been selected
    ExpandedPositions expanded;
    std::vector<float> values;  // [count][roles], by the evaluation
    std::int64_t state_changes = 0;
};

// One thread owns the tree: it alone selects leaves and adds what was found, for other threads would have to wait until
// the tree's memory has left its processor's cache. All threads evaluate leaves, the tree thread where no results wait.
class BatchWorker {
public:
    BatchWorker(const Game& game, const Evaluation& evaluation, SearchTree& tree, EvaluationQueue<Batch>& queue,
                int lanes)
        : tree_(tree), queue_(queue), evaluation_(evaluation), expander_(game, lanes),
          roles_(static_cast<std::size_t>(game.roles())), words_(static_cast<std::size_t>(game.state_words())) {
        expander_.use(evaluation);
    }

    // Grows the tree until the segment is over, in batches of so many leaves.
    void run_tree(RunSegment& segment, std::size_t leaves) {
        while (true) {
            for (Batch* batch; !segment.over() && (batch = queue_.idle());) {
                if (!select_leaves(*batch, leaves, segment)) break;
                queue_.submit(batch);
            }
            if (queue_.all_idle()) {
                if (segment.over()) return queue_.close();
                continue;
            }
            bool evaluated;
            Batch* batch = queue_.take_back(evaluated);
            if (!batch) return;  // another thread has failed
            if (!evaluated) evaluate(*batch);
            add_results(*batch, segment);
        }
    }

    // Evaluates batches until the queue is closed.
    void run_evaluator() {
        while (Batch* batch = queue_.next()) {
            evaluate(*batch);
            queue_.give_back(batch);
        }
    }

private:
    bool select_leaves(Batch& batch, std::size_t leaves, RunSegment& segment) {
        const TimedLock guard(tree_.lock, tree_.lock_costs);
        const std::int64_t before = tree_.iterations;
        segment.refuted |= tree_.refuted();  // by a peer
        batch.count = segment.refuted || tree_.solved() ? 0 : tree_.select(std::span(batch.leaves).first(leaves));
        segment.run.finished += tree_.iterations - before;
        segment.solved = tree_.solved();
        return batch.count > 0;
    }
    // Of leaves whose state has a node already, only the state is worked out.
    void evaluate(Batch& batch) {
        ExpandedPositions& expanded = batch.expanded;
        const std::int64_t before = expander_.state_changes();
        const std::span leaves = std::span(batch.leaves).first(batch.count);
        transitions_.clear();
        for (const Leaf& leaf : leaves) transitions_.push_back({leaf.state.data(), leaf.moves.data()});
        expander_.read(transitions_, expanded);
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            leaves[i].key = tree_.store.key(&expanded.states[i * words_]);
            tree_.store.prefetch_slot(leaves[i].key);
        }
        wanted_.resize(leaves.size());
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            leaves[i].found = tree_.store.find(leaves[i].key, &expanded.states[i * words_]);
            wanted_[i] = leaves[i].found == nothing;
        }
        expander_.expand(wanted_, expanded);
        batch.values.resize(leaves.size() * roles_);
        evaluation_.values(static_cast<std::int64_t>(leaves.size()), expanded.features.data(), batch.values.data());
        batch.state_changes = expander_.state_changes() - before;
    }

    void add_results(const Batch& batch, RunSegment& segment) {
        const TimedLock guard(tree_.lock, tree_.lock_costs);
        for (std::size_t i = 0; i < batch.count; ++i) {
            const Leaf& leaf = batch.leaves[i];
            const Word* reached = &batch.expanded.states[i * words_];
            Index node = leaf.found;
            if (node == nothing) node = tree_.store.find(leaf.key, reached);
            if (node == nothing) node = tree_.insert(leaf.key, batch.expanded, i, &batch.values[i * roles_]);
            if (node == nothing) {
                segment.full = true;
                tree_.cancel(leaf.path);
                continue;
            }
            tree_.link(leaf, node, reached);
            tree_.backup(leaf.path, tree_.store.values(tree_.store.node(node)));
            ++tree_.iterations;
            ++segment.run.finished;
        }
        if (tree_.refuted()) segment.refuted = true;
        tree_.state_changes += batch.state_changes;
    }

    SearchTree& tree_;
    EvaluationQueue<Batch>& queue_;
    const Evaluation& evaluation_;
    PositionExpander expander_;
    const std::size_t roles_, words_;
    std::vector<Transition> transitions_;
    std::vector<std::uint8_t> wanted_;
};

}  // namespace ludens::guided
