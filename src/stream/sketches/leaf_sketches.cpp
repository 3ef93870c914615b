// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/sketches/leaf_sketches.h"

#include "fernwood/core/error.h"
#include "stream/sketches/grid_counts.h"

namespace fernwood {

std::unique_ptr<LeafSketches> make_leaf_sketches(SketchKind kind, int) {
  FW_CHECK(kind == SketchKind::kLogLinear, Usage, "--sketch " << to_string(kind) << " is not there yet");
  return std::make_unique<GridCounts>();
}

}  // namespace fernwood
