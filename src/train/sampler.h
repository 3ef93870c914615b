// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/train/options.h"
#include "train/frame_store.h"
#include "train/sample_set.h"

namespace fernwood {

/// A labelled pixel chosen for training.
struct DrawnPixel {
  std::uint16_t x, y, label;
  bool mirrored;
};

/// The pixels of one frame that a tree learns from (thesis 3.1.1, first source of randomness). Without replacement: the
/// pixels in question are cut into as many runs as samples are wanted, and one is drawn from each run, so a frame with
/// fewer pixels than wanted gives them all. A function of seed, tree and frame index alone.
std::vector<DrawnPixel> draw_pixels(const LabelImage& labels, const TrainOptions& options, std::uint32_t tree,
                                    std::uint32_t frame_index, std::size_t num_classes);

/// Frames that a tree sees, ascending: all, or options.frames_per_tree of them at random.
std::vector<std::uint32_t> draw_frames(std::size_t num_frames, const TrainOptions& options, std::uint32_t tree);

/// All samples of a tree, in frame order.
SampleSet draw_samples(FrameStore& store, const TrainOptions& options, std::uint32_t tree, std::size_t num_classes,
                       ThreadPool& pool);

}  // namespace fernwood
