// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "core/cuda/buffer.h"
#include "train/boost/boosted_samples.h"
#include "train/cuda/frame_cache.h"

namespace fernwood::train {

/// BoostedSamples in GPU memory. Only samples whose drawn class is wrong, and sums of leaves, are copied to the host.
class GpuBoostedSamples : public BoostedSamples {
 public:
  /// @param cache, stream  Must outlive the object; frames are visited in stream order.
  GpuBoostedSamples(SampleSet samples, const BoostingSetting& setting, FrameCache& cache, const cuda::Stream& stream,
                    int gpu);

  SampleSet misclassified(std::uint32_t tree) override;
  void send_down(const std::vector<forest::Node>& nodes) override;
  Array2<std::int64_t> leaf_sums(std::size_t num_leaves) override;
  void add(const Array2<float>& leaf_scores) override;

 private:
  FrameCache& cache_;
  const cuda::Stream& stream_;
  const int gpu_;
  const BoostingSetting setting_;
  const std::size_t size_;  // S
  const std::vector<std::uint32_t> frames_;

  cuda::GpuBuffer<std::uint32_t> gpu_frames_, starts_;
  cuda::GpuBuffer<forest::PixelSite> sites_;
  cuda::GpuBuffer<std::uint16_t> labels_;
  cuda::GpuBuffer<std::uint32_t> all_places_;  // [S] position among the samples of all ranks
  cuda::GpuBuffer<float> sums_;                // [class][S] scores summed over the trees so far
  cuda::GpuBuffer<std::uint32_t> leaves_;      // [S] leaves of the current tree
  cuda::UploadedBuffer<forest::Node> nodes_;
  cuda::UploadedBuffer<float> leaf_scores_;
  cuda::GpuBuffer<std::int64_t> leaf_sums_;
  cuda::PinnedBuffer<std::int64_t> host_leaf_sums_;

  cuda::GpuBuffer<std::uint16_t> negative_class_;  // [S + 1] results of judge(), then kCorrect
  cuda::GpuBuffer<std::uint32_t> places_;          // [S + 1] number of misclassified samples before each
  // Only the misclassified samples:
  cuda::GpuBuffer<std::uint32_t> picked_starts_;
  cuda::GpuBuffer<forest::PixelSite> picked_sites_;
  cuda::GpuBuffer<std::uint16_t> picked_labels_;
  cuda::PinnedBuffer<std::uint32_t> host_starts_;
  cuda::PinnedBuffer<forest::PixelSite> host_sites_;
  cuda::PinnedBuffer<std::uint16_t> host_labels_;
  cuda::Scratch scratch_;
};

}  // namespace fernwood::train
