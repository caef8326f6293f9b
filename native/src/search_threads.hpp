// What searches with several threads share: when to end, and how failures come out.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "machine.hpp"

namespace ludens {

using SearchClock = std::chrono::steady_clock;

// `seconds` from now; 0: never.
inline SearchClock::time_point deadline(double seconds) {
    constexpr double longest = 1e8;  // three years: beyond, the clock's type could overflow
    if (seconds == 0 || seconds > longest) return SearchClock::time_point::max();
    return SearchClock::now() + std::chrono::duration_cast<SearchClock::duration>(std::chrono::duration<double>(seconds));
}

// Runs `work(worker)` for each of the workers, the first in the calling thread. If one throws, `stopped` tells the
// others, and it is rethrown when all have ended.
template <class Workers, class Work>
void run_in_threads(Workers& workers, std::atomic<bool>& stopped, Work work) {
    std::exception_ptr failure;
    std::mutex failing;
    const auto guarded = [&](auto* worker) {
        try {
            work(**worker);
        } catch (...) {
            stopped = true;
            const std::lock_guard lock(failing);
            if (!failure) failure = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> threads;
        try {
            for (std::size_t i = 1; i < workers.size(); ++i) threads.emplace_back(guarded, &workers[i]);
        } catch (const std::system_error& error) {
            stopped = true;
            throw Error(std::string("a thread of the search could not be started: ") + error.what());
        }
        guarded(&workers[0]);
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace ludens
