// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "train/frame_store.h"
#include "train/sampler.h"

namespace fernwood::train {

/// The samples of a tree, at the depths of prepared frames.
inline SampleSet draw_samples(FrameStore& store, const TrainOptions& options, std::uint32_t tree,
                              std::size_t num_classes, ThreadPool& pool) {
  return choose_samples(
      store, draw_frames(all_frames(store.num_frames()), options, tree), pool,
      [&](const image::LabelImage& labels, std::uint32_t frame) {
        return draw_pixels(labels, options, tree, frame, num_classes);
      },
      [](const LoadedFrame& frame, const DrawnPixel& p) {
        return forest::pixel_site(frame.prepared.view(), p.x, p.y, p.mirrored);
      });
}

/// One value of every sample.
template <typename Value>
auto each_site(const SampleSet& samples, const Value& value) {
  std::vector<decltype(value(samples.sites[0]))> out;
  for (const forest::PixelSite& site : samples.sites) out.push_back(value(site));
  return out;
}
inline auto columns(const SampleSet& samples) {
  return each_site(samples, [](const forest::PixelSite& s) { return s.x(); });
}
inline auto rows(const SampleSet& samples) {
  return each_site(samples, [](const forest::PixelSite& s) { return s.y(); });
}
inline auto inv_depths_x(const SampleSet& samples) {
  return each_site(samples, [](const forest::PixelSite& s) { return s.inv_depth_x(); });
}
inline auto inv_depths_y(const SampleSet& samples) {
  return each_site(samples, [](const forest::PixelSite& s) { return s.inv_depth_y(); });
}

}  // namespace fernwood::train
