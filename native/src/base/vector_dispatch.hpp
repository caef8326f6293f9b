// One function body compiled for several instruction sets, the best of which is taken at run time.
//
// A Kernel has an always-inlined static `run`; written with vector extensions and without reductions the order of
// which is left open, it does the same on all of them, to the last bit.
#pragma once

#include <utility>

#include "base/instruction_set.hpp"

namespace ludens {

template <class Kernel, class = decltype(Kernel::run)> struct Compiled;

// Kernel::run for each instruction set.
template <class Kernel, class Result, class... Arguments> struct Compiled<Kernel, Result(Arguments...)> {
    using Function = Result(Arguments...);

    static Result on_baseline(Arguments... arguments) { return Kernel::run(arguments...); }
#if defined(__x86_64__)
    [[gnu::target("avx2")]] static Result on_avx2(Arguments... arguments) { return Kernel::run(arguments...); }
    [[gnu::target("avx512f")]] static Result on_avx512(Arguments... arguments) { return Kernel::run(arguments...); }
#endif

    template <InstructionSet most> static Function* best() {
#if defined(__x86_64__)
        if constexpr (most >= InstructionSet::avx512)
            if (may_use(InstructionSet::avx512)) return on_avx512;
        if (may_use(InstructionSet::avx2)) return on_avx2;
#endif
        return on_baseline;
    }
};

// Calls Kernel::run on the best instruction set that this process may use, but none better than `most`.
template <class Kernel, InstructionSet most = InstructionSet::avx512, class... Arguments>
[[gnu::always_inline]] inline auto dispatch(Arguments&&... arguments) {
    static const auto best = Compiled<Kernel>::template best<most>();
    return best(std::forward<Arguments>(arguments)...);
}

}  // namespace ludens
