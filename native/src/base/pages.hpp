// Memory of trees and tables that takes no time to make, however large it is.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <string>

#include "base/machine.hpp"

namespace ludens {

// Anonymous zeroed memory. Pages become real when first written to; huge pages are asked for because searches
// jump about at random and a miss in the TLB costs as much as one in the cache.
class Pages {
public:
    explicit Pages(std::size_t bytes) : bytes_(bytes) {
        void* got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (got == MAP_FAILED) throw Error("no memory for a search of " + std::to_string(bytes) + " bytes");
        start_ = static_cast<std::byte*>(got);
#ifdef MADV_HUGEPAGE
        madvise(got, bytes, MADV_HUGEPAGE);
#endif
    }
    ~Pages() { munmap(start_, bytes_); }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    std::byte* start() const { return start_; }
    std::size_t bytes() const { return bytes_; }

private:
    std::byte* start_;
    std::size_t bytes_;
};

}  // namespace ludens
