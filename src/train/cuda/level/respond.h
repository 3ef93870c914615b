// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "core/cuda/buffer.h"
#include "fernwood/core/array.h"
#include "fernwood/forest/forest.h"
#include "forest/planes_formulas.h"
#include "train/cuda/level/group_samples.h"
#include "train/grow/growing_tree.h"
#include "train/grow/response_plan.h"

namespace fernwood::train {

/// Stage 1 of growing L levels: S samples.
struct RespondArgs {
  SampledFrames samples;
  View1<const forest::RegionFeature> features;  ///< Features of all levels, see ResponsePlan.
  const std::uint32_t* columns;                 ///< [feature]
  std::uint32_t first_map;                      ///< Features from this index on read feature maps.
  View1<const FeatureRun> runs;
  View2<float> responses;  ///< [S][columns] of the first level, frame order; rows of the loaded frames are written
  std::size_t level_size;  ///< Distance from the responses of one level to those of the next.
  WindowRoom room;

  /// Offset of the response to a feature from the sample's row in the first level.
  __device__ std::size_t place(std::uint32_t feature) const {
    const auto of_level = static_cast<std::uint32_t>(responses.cols);
    return columns[feature] / of_level * level_size + columns[feature] % of_level;
  }
};

/// A ResponsePlan in GPU memory.
struct GpuResponsePlan {
  cuda::UploadedBuffer<forest::RegionFeature> features;
  cuda::UploadedBuffer<std::uint32_t> columns;
  cuda::UploadedBuffer<FeatureRun> runs;
  std::uint32_t first_map = 0;

  void reserve(std::size_t num_features) {
    features.reserve(num_features);
    columns.reserve(num_features);
    runs.reserve(2 * num_features);
  }
  void upload(const ResponsePlan& plan, const cuda::Stream& stream) {
    features.upload(plan.features, stream);
    columns.upload(plan.columns, stream);
    runs.upload(plan.runs, stream);
    first_map = static_cast<std::uint32_t>(plan.first_map);
  }
};

/// Maximum size of a window on the current GPU, in units of 4 bytes.
std::uint32_t window_capacity();

/// Stage 1: the response of every sample of the loaded frames to every feature. Bit-identical to response().
/// @param groups  Scratch memory.
void respond_cuda(const RespondArgs& args, SampleGroups& groups, const cuda::Stream& stream);

/// Responses to the splits of the nodes, as for a level with one candidate.
/// @param features   [N]
/// @param node_of    [S] frame order
/// @param responses  [S][at least 1] frame order
void respond_to_splits_cuda(const SampledFrames& samples, const forest::RegionFeature* features,
                            const std::uint32_t* node_of, View2<float> responses, const cuda::Stream& stream);

/// Sends samples of the loaded frames down a tree. @param leaves  [S] frame order, output
void find_leaves_cuda(const SampledFrames& samples, const forest::Node* nodes, std::uint32_t* leaves,
                      const cuda::Stream& stream);

}  // namespace fernwood::train
