// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/evaluation_kernels.h"

namespace fernwood::records {

namespace isa_baseline {
extern const EvaluationKernels evaluation_kernels_table;
}
#if defined(FERNWOOD_HAS_ISA_avx512)
namespace isa_avx2 {
extern const EvaluationKernels evaluation_kernels_table;
}
namespace isa_avx512 {
extern const EvaluationKernels evaluation_kernels_table;
}
#endif

const EvaluationKernels& evaluation_kernels([[maybe_unused]] Isa isa) {
#if defined(FERNWOOD_HAS_ISA_avx512)
  if (isa == Isa::kAvx2) return isa_avx2::evaluation_kernels_table;
  if (isa == Isa::kAvx512) return isa_avx512::evaluation_kernels_table;
#endif
  return isa_baseline::evaluation_kernels_table;
}

}  // namespace fernwood::records
