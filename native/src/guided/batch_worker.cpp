#include "guided/batch_worker.hpp"

#include <mutex>
#include <span>

namespace ludens::guided {

BatchWorker::BatchWorker(const Game& game, const Evaluation& evaluation, SearchTree& tree,
                         EvaluationQueue<Batch>& queue, int lanes)
    : tree_(tree), queue_(queue), evaluation_(evaluation), expander_(game, evaluation, lanes),
      roles_(static_cast<std::size_t>(game.roles())), words_(static_cast<std::size_t>(game.state_words())) {}

void BatchWorker::run_tree(RunSegment& segment, std::size_t leaves) {
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

void BatchWorker::run_evaluator() {
    while (Batch* batch = queue_.next()) {
        evaluate(*batch);
        queue_.give_back(batch);
    }
}

bool BatchWorker::select_leaves(Batch& batch, std::size_t leaves, RunSegment& segment) {
    const std::lock_guard guard(tree_.lock);
    const std::int64_t before = tree_.iterations;
    batch.count = tree_.solved() ? 0 : tree_.select(std::span(batch.leaves).first(leaves));
    segment.run.finished += tree_.iterations - before;
    segment.solved = tree_.solved();
    return batch.count > 0;
}

// Of leaves whose state has a node already, only the state is worked out.
void BatchWorker::evaluate(Batch& batch) {
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

void BatchWorker::add_results(const Batch& batch, RunSegment& segment) {
    const std::lock_guard guard(tree_.lock);
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

}  // namespace ludens::guided
