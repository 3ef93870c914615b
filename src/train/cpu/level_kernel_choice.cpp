// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Which of the compiled loops a processor runs: level_kernels.cpp is compiled once for each instruction set.

#include "train/cpu/level_kernels.h"

namespace fernwood::train {

namespace isa_baseline {
extern const LevelKernels level_kernels_table;
}
#if defined(FERNWOOD_HAS_ISA_avx512)
namespace isa_avx2 {
extern const LevelKernels level_kernels_table;
}
namespace isa_avx512 {
extern const LevelKernels level_kernels_table;
}
#endif

const LevelKernels& level_kernels([[maybe_unused]] Isa isa) {
#if defined(FERNWOOD_HAS_ISA_avx512)
  if (isa == Isa::kAvx2) return isa_avx2::level_kernels_table;
  if (isa == Isa::kAvx512) return isa_avx512::level_kernels_table;
#endif
  return isa_baseline::level_kernels_table;
}

}  // namespace fernwood::train
