// Depth-first proof-number search (see depth_first/proof_worker.hpp) for one role, or for two that take turns and whose
// goals have a constant sum.
//
// A proof answers whether the root is worth at least so much to the first role. Where there are more than two goals
// the question is asked again for the rest of what the root may still be worth, halved each time; what was proven of
// states' bounds stays. The search is over when nothing that the root's other moves may still turn out to be is better
// than what its best is proven to be.
#include <algorithm>
#include <limits>
#include <mutex>
#include <tuple>

#include "depth_first/proof_worker.hpp"
#include "depth_first/root_search.hpp"

namespace ludens {

namespace {

using namespace depth_first;
using namespace proof;

// What a move seems to be worth: between its bounds, as near to the upper one as it seems easier to prove.
Value value(const NodeStatus& status) {
    const auto& [numbers, proof] = status;
    const auto [low, high] = proof.bounds;
    const std::int64_t sum = std::int64_t{numbers[0]} + numbers[1];
    return static_cast<Value>(low + (high - low) * std::int64_t{numbers[1]} / std::max<std::int64_t>(sum, 1));
}

// What is known of a move at the root.
struct Report {
    int move;
    std::int64_t visits;
    NodeStatus status;

    Value estimate() const { return value(status); }
    const Bounds& bounds() const { return status.proof.bounds; }
};

class ProofSearch final : public RootSearch<Report> {
public:
    ProofSearch(const Game& game, const SearchOptions& options) : RootSearch(game), shared_(game, options) {
        for (int i = 0; i < options.threads; ++i) workers_.push_back(std::make_unique<Worker>(game, options, shared_));
        set_root(nullptr);
    }

    void set_root(const Word* state) override {
        const std::lock_guard idle(running_), quiet(reporting_);
        const Word* from = state ? state : game_.initial().data();
        std::vector<Word> root_state(from, from + game_.state_words());
        std::vector<Worker::Root> made;  // all of them before any is taken: one may be refused
        for (const auto& worker : workers_) made.push_back(worker->make_root(root_state.data()));
        for (std::size_t i = 0; i < made.size(); ++i) workers_[i]->set_root(std::move(made[i]));
        root_state_ = std::move(root_state);
        line_.clear();
        report_.clear();
        begin_round();  // what is hopeless depends on the path from the root
        hopeless_ = false;
        if (!root().over) {
            for (const Node& child : root().children->nodes) report_.push_back({child.move, 0, {}});
            read_table();
        }
        update_solved();
    }

    void go_on(double seconds, std::int64_t playouts) override {
        const std::lock_guard alone(running_);
        shared_.limit.begin_unless_stopped(seconds, playouts);
        try {
            while (!finished()) ask(next_question());
        } catch (const Interrupted&) {}
        update_line();
    }

    void stop() override { shared_.limit.stopped = true; }
    void forget_stop() override { shared_.limit.stopped = false; }

    SearchStats stats() const override {
        const std::lock_guard quiet(reporting_);
        return {.playouts = shared_.states,
                .iterations = questions_,
                .state_changes = shared_.states,
                .root_visits = root_visits(),
                .nodes = shared_.table.used(),
                .recycled = 0,
                .memory_bytes = shared_.bytes(),
                .depth = shared_.deepest,
                .bytes_per_node = sizeof(Entry),
                .solved = solved_};
    }

private:
    const Node& root() const override { return workers_[0]->root(); }
    bool finished() const { return !searchable() || solved_ || hopeless_ || bounds().exact(); }

    // ---- Questions ----

    // Whether the root is worth at least so much: half of what it may be, unless an earlier search knows better.
    Value next_question() {
        const Bounds open = bounds();
        const Bounds known = workers_[0]->look_up(root(), middle).proof.bounds;
        if (known.low > open.low) return known.low;
        if (known.high < open.high) return static_cast<Value>(known.high + 1);
        return static_cast<Value>(open.low + (open.high - open.low) / 2 + 1);
    }

    void ask(Value question) {
        const Bounds before = bounds();
        {
            const std::lock_guard quiet(reporting_);
            question_ = question;
            ++questions_;
            read_table();
        }
        shared_.answered = false;
        run_in_threads(workers_, shared_.limit.stopped, [&](Worker& worker) { answer(worker); });
        if (!shared_.answered) throw Interrupted();
        const std::lock_guard quiet(reporting_);
        read_table();
        update_solved();
        if (solved_ || bounds() != before) return;
        hopeless_ = shared_.proofs == proofs_before_round_;
        begin_round();
    }

    // Looks at states again that were hopeless. A round goes on from run to run until its question has an answer.
    void begin_round() {
        ++shared_.round;
        proofs_before_round_ = shared_.proofs;
    }

    void answer(Worker& worker) {
        try {
            const Worker::Observer observer = [&](std::size_t i, const NodeStatus& status, std::int64_t visits) {
                return note(i, status, visits);
            };
            worker.answer(question_, observer);
            shared_.answered = true;
        } catch (const Interrupted&) {}
    }

    // What a worker has found out about a move; whether there is more to be found out.
    bool note(std::size_t i, const NodeStatus& status, std::int64_t visits) {
        const std::lock_guard quiet(reporting_);
        report_[i].visits += visits;
        const std::uint64_t key = root().children->nodes[i].key;
        for (std::size_t j = 0; j < report_.size(); ++j) {
            if (root().children->nodes[j].key != key) continue;
            Proof proof = report_[j].status.proof;
            proof.meet(status.proof);
            report_[j].status = {status.numbers, proof};
        }
        update_solved();
        return !solved_;
    }

    // ---- The root ----

    // What is known of the root's moves already.
    void read_table() {
        for (std::size_t i = 0; i < report_.size(); ++i)
            report_[i].status = workers_[0]->look_up(root().children->nodes[i], question_, report_[i].status.proof);
    }

    // What a move is worth to who makes it: by value; of equal ones what is proven; of what is proven the nearest, and
    // of losses the furthest.
    static std::tuple<int, int, int> merit(const NodeStatus& status, int mover) {
        const auto& [bounds, plies] = status.proof;
        const bool rises = mover == 0;
        const int sure = rises ? bounds.low : -bounds.high, worst = rises ? lowest : -highest;
        int distance = 0;
        if (sure > worst) distance = -plies[static_cast<std::size_t>(mover)];
        else if (bounds.exact()) distance = plies[static_cast<std::size_t>(1 - mover)];
        return {rises ? value(status) : -value(status), sure, distance};
    }

    const Report& best() const override {
        const int mover = root().children->mover;
        return *std::ranges::max_element(report_, {}, [mover](const Report& r) { return merit(r.status, mover); });
    }

    // What the bounds of the moves say about the root's.
    Bounds bounds() const { return best_of(report_, &Report::bounds, root().children->mover == 0); }

    // The line of best moves, as far as the table knows it.
    void update_line() {
        std::vector<std::uint64_t> keys{root().key};
        RootSearch::update_line(workers_[0]->expander(), [&](const ChildBatch& children) {
            const Node* node = best_child(children);
            const bool known = !node->over && shared_.table.find(node->key);
            const bool repeats = std::ranges::find(keys, node->key) != keys.end();
            keys.push_back(node->key);
            return std::pair(node, known && !repeats);
        });
    }

    const Node* best_child(const ChildBatch& children) {
        if (&children == root().children.get()) return &*std::ranges::find(children.nodes, best().move, &Node::move);
        return &*std::ranges::max_element(children.nodes, {}, [&](const Node& node) {
            return merit(workers_[0]->look_up(node, question_), children.mover);
        });
    }

    Shared shared_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<Word> root_state_;
    Value question_ = middle;
    std::int64_t questions_ = 0;
    std::int64_t proofs_before_round_ = 0;
    bool hopeless_ = false;  // the question cannot be answered, as far as the search looks
};

}  // namespace

std::unique_ptr<Search> make_proof(const Game& game, const SearchOptions& options) {
    return std::make_unique<ProofSearch>(game, options);
}

}  // namespace ludens
