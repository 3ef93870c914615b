// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "core/isa.h"

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
