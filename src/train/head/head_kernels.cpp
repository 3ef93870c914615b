// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Compiled once for each instruction set, into namespace FW_ISA. It must not include anything that emits functions
// shared with other files.
#include "train/head/head_kernels.h"

namespace fernwood::train::FW_ISA {

namespace {

void add_products(const double* values, std::size_t step, const double* factors, std::size_t num_pixels,
                  double* __restrict sums, std::size_t count) {
  for (std::size_t p = 0; p < num_pixels; p += 4) {
    const double *v0 = values + p * step, *v1 = v0 + step, *v2 = v1 + step, *v3 = v2 + step;
    const double f0 = factors[p] * v0[0], f1 = factors[p + 1] * v1[0], f2 = factors[p + 2] * v2[0],
                 f3 = factors[p + 3] * v3[0];
    for (std::size_t j = 0; j < count; ++j) sums[j] += f0 * v0[j] + f1 * v1[j] + f2 * v2[j] + f3 * v3[j];
  }
}

}  // namespace

extern const HeadKernels head_kernels_table;
const HeadKernels head_kernels_table = {add_products};

}  // namespace fernwood::train::FW_ISA
