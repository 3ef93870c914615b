// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/core/array.h"
#include "train/stage_plan.h"

namespace fernwood::train {

/// Tree number passed to draw() for evaluation pixels; no tree has this number.
inline constexpr std::uint32_t kNoTree = (1u << 24) - 1;

/// Options to draw evaluation pixels: as trees draw theirs, but with equal probability for all labelled pixels and
/// without mirroring. At most 200 per frame and at most options.samples_per_frame; fewer, but at least one per frame,
/// where they would exceed a million in total.
TrainOptions evaluated_pixels(const TrainOptions& options, std::size_t num_frames);

/// Accuracy on frames that trees have not seen (out of bag, Breiman 2001): a pixel is labelled only by the trees grown
/// without its frame, so the estimate is unbiased by training data, but for fewer trees than the forest has. Boosted
/// trees have all seen the same frames: all of them label the others. Results are identical on every device and for any
/// number of threads, because trees vote one after another.
class OutOfBag {
 public:
  /// @param forest  Each of its trees can vote once it is grown. @param frames  Training frames, ascending.
  OutOfBag(const GrowingForest& forest, const TrainOptions& options, const std::vector<std::uint32_t>& frames,
           TrainDevice& device, ThreadPool& pool, Ranks& ranks);

  /// Adds the leaf votes of a tree to the pixels of frames that it has not seen.
  /// @param tree  Position in the plan.
  /// @return  Accuracy of all trees that have voted so far.
  OutOfBagReport vote(std::size_t tree);

 private:
  enum class Vote : std::uint8_t { kNoVote, kWrong, kRight };

  std::vector<std::uint32_t> unseen_by(std::size_t tree) const;
  void add(std::size_t pixel, const float* votes);
  OutOfBagReport count(const std::vector<Vote>& before) const;

  const GrowingForest& forest_;
  const TrainOptions& options_;
  std::vector<std::uint32_t> frames_;
  TrainDevice& device_;
  ThreadPool& pool_;
  Ranks& ranks_;
  SampleSet pixels_;         // evaluation pixels in the frames held here
  Array2<float> sums_;       // [pixel][class]
  std::vector<Vote> votes_;  // [pixel]
};

/// Whether the last `trees` trees together raised out-of-bag pixel accuracy by less than 0.001. Each tree is measured
/// on pixels that had votes before it: a frame's first vote is poor, and a drop in overall accuracy that it causes does
/// not mean that further trees are useless. Always false when `trees` is 0.
bool is_flat(const std::vector<OutOfBagReport>& after_each_tree, int trees);

/// @throws Error(kUsage) for early stopping when trees leave no frame unseen.
void check_early_stopping(const TrainOptions& options, std::size_t num_frames);

}  // namespace fernwood::train
