// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/core/array.h"
#include "train/stage_plan.h"

namespace fernwood::train {

/// What draw() is told in place of a tree when pixels to judge by are drawn; no tree has this number.
inline constexpr std::uint32_t kNoTree = (1u << 24) - 1;

/// How the pixels are drawn by which a training is judged: from every frame as trees draw theirs, but each labelled
/// pixel as likely as any other and none mirrored. At most 200 of a frame, no more than a tree draws, and so many
/// frames that there would be more than a million pixels give fewer, but one each.
TrainOptions evaluated_pixels(const TrainOptions& options, std::size_t num_frames);

/// Accuracy on frames that trees have not seen (out of bag, Breiman 2001): a pixel is labelled by those trees alone
/// that were grown without its frame, so the figure is honest, and that of fewer trees than the forest has. Boosted
/// trees have all seen the same frames: all of them label the others. All of it is the same on every device and any
/// number of threads: trees vote one after another.
class OutOfBag {
 public:
  /// @param forest  Its trees vote when they are there. @param frames  That trees are grown from, ascending.
  OutOfBag(const GrowingForest& forest, const TrainOptions& options, const std::vector<std::uint32_t>& frames,
           TrainDevice& device, ThreadPool& pool, Ranks& ranks);

  /// Lets a tree vote on the pixels of the frames that it has not seen: what its leaves say is added up.
  /// @param tree  Its place in the plan.
  /// @return  What all trees that voted so far get right.
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
  SampleSet pixels_;         // of the frames held here
  Array2<float> sums_;       // [pixel][class]
  std::vector<Vote> votes_;  // [pixel]
};

/// Whether the last `trees` trees raised pixel accuracy out of bag by less than 0.001 together. Each is judged by the
/// pixels that others had labelled before it: a frame's first vote is a poor one, and where it lowers accuracy over all
/// pixels, trees are no less worth adding. Never when `trees` is 0.
bool is_flat(const std::vector<OutOfBagReport>& after_each_tree, int trees);

/// @throws Error(kUsage) when training is to end by frames that trees have not seen, and there are none.
void check_stop_when_flat(const TrainOptions& options, std::size_t num_frames);

}  // namespace fernwood::train
