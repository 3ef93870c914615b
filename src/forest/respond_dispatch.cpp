// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "forest/respond_kernels.h"

namespace fernwood::forest {

namespace isa_baseline {
extern const RespondKernels respond_kernels_table;
}
#if defined(FERNWOOD_HAS_ISA_avx512)
namespace isa_avx2 {
extern const RespondKernels respond_kernels_table;
}
namespace isa_avx512 {
extern const RespondKernels respond_kernels_table;
}
#endif

const RespondKernels& respond_kernels([[maybe_unused]] Isa isa) {
#if defined(FERNWOOD_HAS_ISA_avx512)
  if (isa == Isa::kAvx2) return isa_avx2::respond_kernels_table;
  if (isa == Isa::kAvx512) return isa_avx512::respond_kernels_table;
#endif
  return isa_baseline::respond_kernels_table;
}

}  // namespace fernwood::forest
