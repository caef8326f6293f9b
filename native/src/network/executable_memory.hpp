// Machine code in executable memory: written while it is not executable, sealed before it is, freed with its owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#if (defined(__x86_64__) || (defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)) && defined(__unix__)
#define LUDENS_JIT
#endif

namespace ludens::network {

class ExecutableMemory {
public:
    // Throws Error where there is no memory, or the system lets none of it be executed.
    explicit ExecutableMemory(const std::vector<std::uint8_t>& code);
    ~ExecutableMemory();
    ExecutableMemory(const ExecutableMemory&) = delete;
    ExecutableMemory& operator=(const ExecutableMemory&) = delete;

    // The function that begins at this byte of the code.
    template <class Function> Function at(std::size_t byte) const {
        return reinterpret_cast<Function>(static_cast<std::uint8_t*>(memory_) + byte);
    }

    // Some hardened systems allow none.
    static bool allowed();

private:
    void* memory_;
    std::size_t size_;
};

}  // namespace ludens::network
