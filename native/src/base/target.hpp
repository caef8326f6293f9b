// Compiles one file for several instruction sets. CMake compiles a machine.cpp once for each of them and names it:
// LUDENS_ISA is the namespace that the machine is in, LUDENS_BASELINE, LUDENS_AVX2 or LUDENS_AVX512 is defined, and
// LUDENS_TARGET, unless it is the baseline, is what the compiler may use between LUDENS_TARGET_ON and LUDENS_TARGET_OFF.
// Tells how wide the vector registers of that instruction set are.
//
// All that is shared is included before LUDENS_TARGET_ON: inline functions, those of the standard library too, must not
// be compiled for one instruction set and then shared with another.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define LUDENS_PRAGMA_OF(text) _Pragma(#text)
#define LUDENS_PRAGMA(text) LUDENS_PRAGMA_OF(text)

#if !defined(LUDENS_TARGET)
#define LUDENS_TARGET_ON
#define LUDENS_TARGET_OFF
#elif defined(__clang__)
#define LUDENS_TARGET_ON \
    LUDENS_PRAGMA(clang attribute push(__attribute__((target(LUDENS_TARGET))), apply_to = function))
#define LUDENS_TARGET_OFF LUDENS_PRAGMA(clang attribute pop)
#else
#define LUDENS_TARGET_ON LUDENS_PRAGMA(GCC target(LUDENS_TARGET))
#define LUDENS_TARGET_OFF
#endif

namespace ludens {

// Bytes in a vector register of the instruction set that this file is compiled for.
#if defined(LUDENS_AVX512)
constexpr int vector_bytes = 64;
#elif defined(LUDENS_AVX2)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

}  // namespace ludens
