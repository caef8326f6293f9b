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

}  // namespace ludens
