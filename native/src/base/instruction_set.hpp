// Which instruction sets this process may use: the only place that asks the processor.
#pragma once

#include <string>

namespace ludens {

// Of one family of processors each holds those before it, and all hold the baseline. Made of the parts that the machines
// compiled for it use; those with _jit have machine code besides that is written at run time. NEON is in the baseline of
// ARM64.
enum class InstructionSet { baseline, avx2, avx2_jit, avx512, avx512_jit, neon_jit };

// Expands the macro X for each instruction set that machines are compiled for, best first; see base/target.hpp.
#if defined(__x86_64__)
#define LUDENS_COMPILED_SETS(X) X(avx512) X(avx2) X(baseline)
#else
#define LUDENS_COMPILED_SETS(X) X(baseline)
#endif

// The name of an instruction set in the C API and in messages.
const char* name_of(InstructionSet set);

// What the environment variable LUDENS_INSTRUCTION_SET says: the name of the best instruction set that the process is to
// use, however much more the processor has; empty: no limit.
const std::string& forced_instruction_set();

// Whether the processor has the instruction set, and no lesser one is forced. Throws Error where one is forced that is
// none, or that the processor does not have.
bool may_use(InstructionSet set);

// Whether NEON may be used and has the exclusive or of three inputs (EOR3) and of one with two others (BCAX).
bool may_use_neon_sha3();

// Whether the instruction set may be used by code that shifts, permutes and counts bytes and bits: AVX-512 only with the
// later parts that do (Ice Lake, Zen 4).
bool may_use_on_bytes(InstructionSet set);

}  // namespace ludens
