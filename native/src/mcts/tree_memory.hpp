// What the tree is built from: zeroed pages and the lossy cache of joint moves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/machine.hpp"
#include "base/pages.hpp"
#include "base/random.hpp"

namespace ludens::mcts {

// The children of nodes where several roles choose. There are too many joint moves for a table in each node, so all
// children are kept in one cache of fixed size that forgets; the tree's table of states finds again what it lost. Two
// keys of 64 bits may be equal by chance; that costs a misplaced visit, since whatever node comes out is itself
// consistent.
class JointMoveCache {
public:
    struct Entry {
        std::uint64_t key, value;  // value 0: none
    };

    JointMoveCache(Entry* entries, std::size_t count) : entries_(entries), mask_(count - 1) {}  // a power of two

    // Returns the value of a key; 0: unknown.
    std::uint64_t find(std::uint64_t key) const {
        const Entry& entry = entries_[key & mask_];
        return entry.key == key ? entry.value : 0;
    }

    void put(std::uint64_t key, std::uint64_t value) { entries_[key & mask_] = {key, value}; }

private:
    Entry* entries_;
    std::size_t mask_;
};

}  // namespace ludens::mcts
