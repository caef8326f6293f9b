// How much of its stack a thread has left, for code that recurses as deeply as what it is given.
#pragma once

#include <cstddef>

namespace ludens {

// How many bytes of the calling thread's stack are left, but for what an error and whatever does not recurse may need.
// Throws Error where the system does not tell.
std::ptrdiff_t stack_left();

}  // namespace ludens
