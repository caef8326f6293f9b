// One thread of the guided search.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluation/expansion.hpp"
#include "guided/evaluation_queue.hpp"
#include "guided/run_segment.hpp"
#include "guided/search_tree.hpp"

namespace ludens::guided {

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
                int lanes);

    // Grows the tree until the segment is over, in batches of so many leaves.
    void run_tree(RunSegment& segment, std::size_t leaves);
    // Evaluates batches until the queue is closed.
    void run_evaluator();

private:
    bool select_leaves(Batch& batch, std::size_t leaves, RunSegment& segment);
    void evaluate(Batch& batch);
    void add_results(const Batch& batch, RunSegment& segment);

    SearchTree& tree_;
    EvaluationQueue<Batch>& queue_;
    const Evaluation& evaluation_;
    PositionExpander expander_;
    const std::size_t roles_, words_;
    std::vector<Transition> transitions_;
    std::vector<std::uint8_t> wanted_;
};

}  // namespace ludens::guided
