// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/forest/region_feature.h"
#include "fernwood/image/labels.h"
#include "fernwood/train/options.h"

namespace fernwood::train {

/// Labelled pixels used to grow a tree, in frame order: by frame, and within a frame along the Z-order curve, so that
/// neighbours in memory are neighbours in the image.
struct SampleSet {
  std::vector<std::uint32_t> frames;  ///< [frames] indices into the data set, ascending
  std::vector<std::uint32_t>
      frame_starts;  ///< [frames + 1] samples of frames[i] are frame_starts[i] … frame_starts[i + 1]
  std::vector<forest::PixelSite> sites;  ///< [S]
  std::vector<std::uint16_t> labels;     ///< [S] class

  std::size_t size() const { return labels.size(); }
  void append(const forest::PixelSite& site, std::uint16_t label) {
    sites.push_back(site);
    labels.push_back(label);
  }
  /// The samples at ascending `positions`; frames without any of these are omitted.
  SampleSet picked(const std::vector<std::uint32_t>& positions) const;
  /// Sets the frames of the samples. @param all  Frames without samples are omitted.
  /// @param starts  [all + 1] Same meaning as frame_starts.
  void set_frames(const std::vector<std::uint32_t>& all, const std::vector<std::uint32_t>& starts);
};

/// A labelled pixel chosen for training.
struct DrawnPixel {
  std::uint16_t x, y, label;
  bool mirrored;
};

/// Draws the training pixels of a tree from one frame (thesis 3.1.1, first source of randomness), without replacement:
/// the eligible pixels are divided into as many runs as samples are wanted, and one is drawn from each run; a frame
/// with fewer pixels than wanted contributes all of them. Depends only on seed, tree and frame index.
std::vector<DrawnPixel> draw_pixels(const image::LabelImage& labels, const TrainOptions& options, std::uint32_t tree,
                                    std::uint32_t frame_index, std::size_t num_classes);

/// Whether each tree sees all frames.
bool sees_all_frames(std::size_t num_frames, const TrainOptions& options);

/// Frames that a tree sees, ascending: all `frames`, or options.frames_per_tree of them at random.
/// @param frames  Ascending.
std::vector<std::uint32_t> draw_frames(std::vector<std::uint32_t> frames, const TrainOptions& options,
                                       std::uint32_t tree);
/// The frame indices 0, 1, …
std::vector<std::uint32_t> all_frames(std::size_t num_frames);

/// The samples of one frame of a tree.
struct FrameSamples {
  std::vector<forest::PixelSite> sites;
  std::vector<std::uint16_t> labels;
};

/// @throws Error(kResource) if there are more samples than a tree can have.
void check_num_samples(std::size_t num_samples);

/// Joins the samples of `frames` in frame order. @param of_frame  [frames]
SampleSet join_samples(const std::vector<std::uint32_t>& frames, const std::vector<FrameSamples>& of_frame);

/// Chooses pixels of some frames, in frame order.
/// @param frames      CachedFrames whose elements have `labels`.
/// @param indices     Frame indices, ascending.
/// @param choose      `choose(labels, index)` returns the DrawnPixels of a frame.
/// @param site_of     `site_of(frame, pixel)` returns the site of a DrawnPixel.
template <typename Frames, typename Choose, typename SiteOf>
SampleSet choose_samples(Frames& frames, const std::vector<std::uint32_t>& indices, ThreadPool& pool,
                         const Choose& choose, const SiteOf& site_of) {
  std::vector<FrameSamples> of_frame(indices.size());
  frames.visit(indices, pool, [&](std::size_t i, const auto& frame, int) {
    for (const DrawnPixel& pixel : choose(frame.labels, indices[i])) {
      of_frame[i].sites.push_back(site_of(frame, pixel));
      of_frame[i].labels.push_back(pixel.label);
    }
  });
  return join_samples(indices, of_frame);
}

/// The representative pixels of a frame's cells (see context.h), row by row; all of class 0.
std::vector<DrawnPixel> context_pixels(const image::LabelImage& labels);

}  // namespace fernwood::train
