// Work in equal parts for several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace ludens::endgame {

// `make()` gives every thread its worker; worker(i) is called once for each i below `count`, in any order. Throws
// what a worker throws, once all have ended.
template <class Make> void share(int threads, std::int64_t count, Make make) {
    std::atomic<std::int64_t> next{0};
    std::exception_ptr failure;
    std::mutex failing;
    const auto work = [&] {
        try {
            auto worker = make();
            for (std::int64_t i; (i = next++) < count;) worker(i);
        } catch (...) {
            next = count;
            const std::lock_guard lock(failing);
            failure = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> others;
        for (std::int64_t i = 1; i < std::min<std::int64_t>(threads, count); ++i) others.emplace_back(work);
        work();
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace ludens::endgame
