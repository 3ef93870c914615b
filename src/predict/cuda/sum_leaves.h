// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "predict/cuda/gpu_forest.h"

namespace fernwood::predict {

/// Stage 2 of labelling: K trees, P pixels.
struct SumArgs {
  View2<const std::uint32_t> leaves;  ///< [K][P] rows of the probabilities
  const float4* probabilities;        ///< [leaf][quads]
  std::int32_t quads;
};

/// The class of highest probability over all K trees.
/// @param labels  [P], written.
void choose_labels(const SumArgs& args, std::uint16_t* labels, const cuda::Stream& stream);

/// Means over the K trees of `num_quads` groups of four classes from `first_quad` on.
/// @param means  [4 * num_quads][P], written.
void mean_probabilities(const SumArgs& args, std::int32_t first_quad, std::int32_t num_quads, float* means,
                        const cuda::Stream& stream);

/// Means over the K trees of all classes, in steps as context_step() has them.
/// @param maps  [4 * quads][P], written; classes beyond the last are 0.
void mean_steps(const SumArgs& args, std::uint8_t* maps, const cuda::Stream& stream);

}  // namespace fernwood::predict
