// Batches of leaves on their way between the thread that keeps a tree and those that only look at leaves.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

namespace ludens::guided {

// The keeper hands batches out and takes them back in whatever order they come; if none has been looked at it takes one
// that nobody has begun, to look at that itself. So it never waits while there is something to do, and alone it does
// everything.
template <class Batch>
class Relay {
public:
    explicit Relay(std::vector<Batch>& batches) : batches_(batches) {}

    // For the keeper. So many batches are there from here on, all idle; whoever had one has given up.
    void open(std::size_t batches) {
        const std::lock_guard guard(lock_);
        idle_.clear(), waiting_.clear(), looked_at_.clear();
        for (Batch& batch : std::span(batches_).first(batches)) idle_.push_back(&batch);
        open_ = batches;
        closed_ = false;
    }
    // Null where all are under way.
    Batch* idle() { return idle_.empty() ? nullptr : idle_.back(); }
    bool all_idle() const { return idle_.size() == open_; }
    void hand_out(Batch* batch) {
        idle_.pop_back();
        const std::lock_guard guard(lock_);
        waiting_.push_back(batch);
        handed_out_.notify_one();
    }
    // Waits for a batch that is under way; `looked_at` tells whether it has been. Null once closed.
    Batch* take_back(bool& looked_at) {
        std::unique_lock guard(lock_);
        came_back_.wait(guard, [this] { return closed_ || !looked_at_.empty() || !waiting_.empty(); });
        if (closed_) return nullptr;
        looked_at = !looked_at_.empty();
        Batch* batch = pop(looked_at ? looked_at_ : waiting_);
        idle_.push_back(batch);
        return batch;
    }

    // For the others: null once nothing more will come.
    Batch* next() {
        std::unique_lock guard(lock_);
        handed_out_.wait(guard, [this] { return closed_ || !waiting_.empty(); });
        return closed_ ? nullptr : pop(waiting_);
    }
    void give_back(Batch* batch) {
        const std::lock_guard guard(lock_);
        looked_at_.push_back(batch);
        came_back_.notify_one();
    }

    // For anyone.
    void close() {
        const std::lock_guard guard(lock_);
        closed_ = true;
        handed_out_.notify_all();
        came_back_.notify_all();
    }

private:
    static Batch* pop(std::deque<Batch*>& queue) {
        Batch* first = queue.front();
        queue.pop_front();
        return first;
    }

    std::vector<Batch>& batches_;
    std::vector<Batch*> idle_;  // of the keeper
    std::size_t open_ = 0;
    std::mutex lock_;
    std::condition_variable handed_out_, came_back_;
    std::deque<Batch*> waiting_, looked_at_;
    bool closed_ = false;
};

}  // namespace ludens::guided
