// What it costs the threads of a search that they share something.
#pragma once

#include <cstdint>

#include "base/timed_lock.hpp"

namespace ludens {

// Since the search was made, summed over its threads.
struct SharingCosts {
    std::int64_t updates = 0;  // of the number of playouts, which all threads count together
    LockCosts locks;
};

// A search whose threads share something, and measure what that costs. For any thread, also during a run.
class SharingSearch {
public:
    virtual ~SharingSearch() = default;
    virtual SharingCosts sharing_costs() const = 0;
};

// Returns nothing for other searches.
template <class AnySearch> SharingCosts sharing_costs_of(const AnySearch& search) {
    const auto* shares = dynamic_cast<const SharingSearch*>(&search);
    return shares ? shares->sharing_costs() : SharingCosts{};
}

}  // namespace ludens
