// The counts of a block's eight edges as vectors.
#pragma once

#include <bit>

#include "base/eight_vectors.hpp"
#include "mcts/tree.hpp"

namespace ludens::mcts {

static_assert(wide == EdgeBlock::size);

// Loads eight counts in two halves, as EdgeBlock::begin_visit() stores them: a wider load would wait until the store
// has left the processor's store buffer.
[[gnu::always_inline]] inline Integers load_counts(const std::uint32_t* counts) {
    using Four [[gnu::vector_size(wide / 2 * sizeof(std::int32_t)), gnu::may_alias]] = std::int32_t;
    const Four* halves = reinterpret_cast<const Four*>(counts);
    return __builtin_shufflevector(halves[0], halves[1], 0, 1, 2, 3, 4, 5, 6, 7);
}

}  // namespace ludens::mcts
