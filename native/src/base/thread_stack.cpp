#include "base/thread_stack.hpp"

#include <pthread.h>

#include <string>
#include <system_error>

#include "base/machine.hpp"

namespace ludens {

namespace {

constexpr std::ptrdiff_t spare = 1 << 16;

// The lowest address of the calling thread's stack, which grows down to it.
const char* find_end() {
    const pthread_t self = pthread_self();
#if defined(__APPLE__)
    return static_cast<const char*>(pthread_get_stackaddr_np(self)) - pthread_get_stacksize_np(self);
#else
    pthread_attr_t attributes;
    if (const int error = pthread_getattr_np(self, &attributes); error != 0)
        throw Error("where the stack of this thread ends is not told: " + std::generic_category().message(error));
    void* end = nullptr;
    std::size_t size = 0;
    pthread_attr_getstack(&attributes, &end, &size);
    pthread_attr_destroy(&attributes);
    return static_cast<const char*>(end);
#endif
}

}  // namespace

std::ptrdiff_t stack_left() {
    thread_local const char* const end = find_end();
    return static_cast<const char*>(__builtin_frame_address(0)) - end - spare;
}

}  // namespace ludens
