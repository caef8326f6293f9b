#include "network/executable_memory.hpp"

#if defined(LUDENS_JIT)

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "base/machine.hpp"

namespace ludens::network {

ExecutableMemory::ExecutableMemory(const std::vector<std::uint8_t>& code)
    : size_(std::max<std::size_t>(code.size(), 1)) {
    memory_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw Error("out of memory for machine code");
    if (!code.empty()) std::memcpy(memory_, code.data(), code.size());
    char* const begin = static_cast<char*>(memory_);
    __builtin___clear_cache(begin, begin + size_);  // where instructions have a cache that does not see data written
    if (mprotect(memory_, size_, PROT_READ | PROT_EXEC) != 0) {
        munmap(memory_, size_);
        throw Error("this system does not allow machine code to be made; use an instruction set without -jit");
    }
}

ExecutableMemory::~ExecutableMemory() { munmap(memory_, size_); }

bool ExecutableMemory::allowed() {
    try {
        const ExecutableMemory attempt({0xC3});
        return true;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace ludens::network

#endif
