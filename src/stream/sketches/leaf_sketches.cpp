// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/sketches/leaf_sketches.h"

#include "stream/sketches/ben_haim_bins.h"
#include "stream/sketches/column_sketches.h"
#include "stream/sketches/exact_values.h"
#include "stream/sketches/grid_counts.h"

namespace fernwood::stream {

std::unique_ptr<LeafSketches> make_leaf_sketches(SketchKind kind, int bins) {
  if (kind == SketchKind::kExact) return std::make_unique<ColumnSketches<ExactValues>>(bins);
  if (kind == SketchKind::kBenHaim) return std::make_unique<ColumnSketches<BenHaimBins>>(bins);
  return std::make_unique<GridCounts>();
}

}  // namespace fernwood::stream
