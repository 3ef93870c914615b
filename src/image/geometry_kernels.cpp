// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Compiled once for each instruction set, into namespace FW_ISA. The headers included may not define functions that
// other files could share with this one: only FW_HD formulas and plain data.
#include "image/geometry_kernels.h"

#include <cstring>

namespace fernwood::image::FW_ISA {

namespace {

#if defined(__AVX512BW__)
constexpr std::size_t kPlaneVectorBytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t kPlaneVectorBytes = 32;
#else
constexpr std::size_t kPlaneVectorBytes = 16;
#endif
constexpr std::size_t kPlaneLanes = kPlaneVectorBytes / sizeof(float);
typedef float Floats __attribute__((vector_size(kPlaneVectorBytes)));

template <typename Real>
FW_HD Real load_cells(const float* from) {
  Real cells;
  std::memcpy(&cells, from, sizeof cells);
  return cells;
}

/// The sums of the cells from `middle` on.
template <typename Real>
FW_HD PlaneSumsOf<Real> sums_around(const float* middle, std::size_t step, int radius) {
  PlaneSumsOf<Real> sums;
  const Real of_middle = load_cells<Real>(middle);
  for (int dy = -radius; dy <= radius; ++dy) {
    const float* const row = middle + dy * static_cast<std::ptrdiff_t>(step);
    for (int dx = -radius; dx <= radius; ++dx)
      sums.add(static_cast<float>(dx), static_cast<float>(dy), load_cells<Real>(row + dx), of_middle);
  }
  return sums;
}

void sum_planes(const InverseDepthRow& row, int radius, PlaneSums* planes) {
  if (row.num_cells < kPlaneLanes) {
    for (std::size_t i = 0; i < row.num_cells; ++i) planes[i] = sums_around<float>(row.middle + i, row.step, radius);
    return;
  }
  for (std::size_t next = 0; next < row.num_cells; next += kPlaneLanes) {
    // The last vector may repeat some cells of the one before.
    const std::size_t first = next + kPlaneLanes <= row.num_cells ? next : row.num_cells - kPlaneLanes;
    const PlaneSumsOf<Floats> sums = sums_around<Floats>(row.middle + first, row.step, radius);
    for (std::size_t i = 0; i < kPlaneLanes; ++i) {
      PlaneSums& plane = planes[first + i];
      plane.n = sums.n[i], plane.x = sums.x[i], plane.y = sums.y[i];
      plane.xx = sums.xx[i], plane.xy = sums.xy[i], plane.yy = sums.yy[i];
      plane.w = sums.w[i], plane.xw = sums.xw[i], plane.yw = sums.yw[i];
    }
  }
}

}  // namespace

extern const GeometryKernels geometry_kernels_table;
const GeometryKernels geometry_kernels_table = {sum_planes};

}  // namespace fernwood::image::FW_ISA
