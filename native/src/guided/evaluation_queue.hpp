// Batches of leaves on their way between the thread that owns a tree and those that only evaluate leaves.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

namespace ludens::guided {

// The tree thread submits batches and takes them back in whatever order they come. If none has been evaluated it takes
// one that no evaluator thread has begun, to evaluate it itself: so it never waits while there is something to do, and
// alone it does everything.
template <class Batch> class EvaluationQueue {
public:
    explicit EvaluationQueue(std::vector<Batch>& batches) : batches_(batches) {}

    // ---- For the tree thread

    // Begins with so many batches, all idle; no other thread may hold one.
    void open(std::size_t batches) {
        const std::lock_guard guard(lock_);
        idle_.clear();
        waiting_.clear();
        evaluated_.clear();
        for (Batch& batch : std::span(batches_).first(batches)) idle_.push_back(&batch);
        open_ = batches;
        closed_ = false;
    }
    // An idle batch, or null where all are under way.
    Batch* idle() { return idle_.empty() ? nullptr : idle_.back(); }
    bool all_idle() const { return idle_.size() == open_; }
    // Submits the batch that idle() returned.
    void submit(Batch* batch) {
        idle_.pop_back();
        const std::lock_guard guard(lock_);
        waiting_.push_back(batch);
        submitted_.notify_one();
    }
    // Waits for a batch that is under way, and makes it idle; `evaluated` tells whether it has been. Null once closed.
    Batch* take_back(bool& evaluated) {
        std::unique_lock guard(lock_);
        returned_.wait(guard, [this] { return closed_ || !evaluated_.empty() || !waiting_.empty(); });
        if (closed_) return nullptr;
        evaluated = !evaluated_.empty();
        Batch* batch = pop(evaluated ? evaluated_ : waiting_);
        idle_.push_back(batch);
        return batch;
    }

    // ---- For evaluator threads

    // Waits for a batch to evaluate; null once closed.
    Batch* next() {
        std::unique_lock guard(lock_);
        submitted_.wait(guard, [this] { return closed_ || !waiting_.empty(); });
        return closed_ ? nullptr : pop(waiting_);
    }
    void give_back(Batch* batch) {
        const std::lock_guard guard(lock_);
        evaluated_.push_back(batch);
        returned_.notify_one();
    }

    // For any thread: ends all waiting.
    void close() {
        const std::lock_guard guard(lock_);
        closed_ = true;
        submitted_.notify_all();
        returned_.notify_all();
    }

private:
    static Batch* pop(std::deque<Batch*>& queue) {
        Batch* first = queue.front();
        queue.pop_front();
        return first;
    }

    std::vector<Batch>& batches_;
    std::vector<Batch*> idle_;  // of the tree thread
    std::size_t open_ = 0;
    std::mutex lock_;
    std::condition_variable submitted_, returned_;
    std::deque<Batch*> waiting_, evaluated_;
    bool closed_ = false;
};

}  // namespace ludens::guided
