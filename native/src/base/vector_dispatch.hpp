// One function body compiled for several instruction sets, the best of which is taken at run time.
//
// A Kernel has an always-inlined static `run`; written with vector extensions and without reductions the order of
// which is left open, it does the same on all of them, to the last bit.
#pragma once

namespace ludens {

template <class Kernel, class... Arguments>
void run_on_baseline(Arguments... arguments) {
    Kernel::run(arguments...);
}

#if defined(__x86_64__)
template <class Kernel, class... Arguments>
[[gnu::target("avx2")]] void run_on_avx2(Arguments... arguments) {
    Kernel::run(arguments...);
}

template <class Kernel, class... Arguments>
[[gnu::target("avx512f")]] void run_on_avx512(Arguments... arguments) {
    Kernel::run(arguments...);
}
#endif

template <class Kernel, class... Arguments>
void dispatch(Arguments... arguments) {
    static const auto best = [] {
#if defined(__x86_64__)
        __builtin_cpu_init();
        if (__builtin_cpu_supports("avx512f")) return run_on_avx512<Kernel, Arguments...>;
        if (__builtin_cpu_supports("avx2")) return run_on_avx2<Kernel, Arguments...>;
#endif
        return run_on_baseline<Kernel, Arguments...>;
    }();
    best(arguments...);
}

}  // namespace ludens
