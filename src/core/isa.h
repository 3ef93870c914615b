// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Separate from core/machine.h, because sources compiled for newer processors should include little else.

#include <string>
#include <vector>

namespace fernwood {

/// Instruction sets for which the hot loops are compiled, from the same source and with bit-identical results.
enum class Isa { kBaseline, kAvx2, kAvx512 };

/// How vectorised loops load values from scattered addresses: by the processor's gather instructions, which on some
/// processors are slower than scalar loads, or one by one between vectorised loops. The formulas and results are
/// bit-identical.
enum class Gather { kGather, kScalar };

/// The compiled version of the loops to run.
struct KernelVariant {
  Isa isa;
  Gather gather;
};

/// The instruction sets of this processor, slowest first.
const std::vector<Isa>& available_isas();
/// "baseline", "avx2" or "avx512".
std::string to_string(Isa isa);
/// "gather" or "scalar".
std::string to_string(Gather gather);

}  // namespace fernwood

// FW_ISA_TABLES(Type, name) declares the tables that a *_kernels.cpp, compiled once for each instruction set, defines
// in the namespace of each set, and name##_of(isa), which selects one. Use it once for each table, in a source that is
// compiled once and belongs to the module of the kernels: cmake/FernwoodModule.cmake defines the available instruction
// sets for it.
#if defined(FERNWOOD_HAS_ISA_avx512)
#define FW_ISA_TABLES(Type, name)                     \
  namespace isa_baseline {                            \
  extern const Type name;                             \
  }                                                   \
  namespace isa_avx2 {                                \
  extern const Type name;                             \
  }                                                   \
  namespace isa_avx512 {                              \
  extern const Type name;                             \
  }                                                   \
  static const Type& name##_of(Isa isa) {             \
    if (isa == Isa::kAvx2) return isa_avx2::name;     \
    if (isa == Isa::kAvx512) return isa_avx512::name; \
    return isa_baseline::name;                        \
  }
#else
#define FW_ISA_TABLES(Type, name) \
  namespace isa_baseline {        \
  extern const Type name;         \
  }                               \
  static const Type& name##_of(Isa) { return isa_baseline::name; }
#endif
