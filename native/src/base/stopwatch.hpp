// Measures where a machine spends its time. Included inside the namespace of one instruction set (see base/target.hpp).
#pragma once

// Adds up seconds. Asking for the time takes longer than a small game does, so one round in a few is timed, for all
// of them; not in step with any cycle of a game.
class Stopwatch {
public:
    static constexpr unsigned rounds = 17;

    Stopwatch(double& total, std::uint64_t round) : total_(round % rounds == 0 ? &total : nullptr) {
        if (total_) start_ = Clock::now();
    }
    ~Stopwatch() {
        if (total_) *total_ += rounds * std::chrono::duration<double>(Clock::now() - start_).count();
    }

private:
    using Clock = std::chrono::steady_clock;

    double* total_;
    Clock::time_point start_;
};
