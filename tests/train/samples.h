// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <vector>

#include "train/data/frame_store.h"
#include "train/data/sampler.h"
#include "train/distributed/ranks.h"
#include "train/grow/growing_tree.h"

namespace fernwood::train {

/// Samples of a tree, with the depths of prepared frames.
inline SampleSet draw_samples(FrameStore& store, const TrainOptions& options, std::uint32_t tree,
                              std::size_t num_classes, ThreadPool& pool) {
  return choose_samples(
      store, draw_frames(all_frames(store.num_frames()), options, tree), pool,
      [&](const image::LabelImage& labels, std::uint32_t frame) {
        return draw_pixels(labels, options, tree, frame, num_classes);
      },
      [](const LoadedFrame& frame, const DrawnPixel& p) {
        return forest::pixel_site(frame.view(), p.x, p.y, p.mirrored);
      });
}

/// A tree to be grown from all samples by one rank.
inline GrowingTree start_tree(const SampleSet& samples, std::size_t num_classes, const TrainOptions& options) {
  return start_tree(count_rows(samples, num_classes, options), options);
}

/// The ranks of a training in this process only.
struct OneRank {
  std::unique_ptr<Communicator> communicator = make_lone_communicator();
  Ranks ranks{*communicator};
};

/// One value for each sample.
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
