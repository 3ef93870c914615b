// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/out_of_bag.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "forest/leaf.h"
#include "train/data/sampler.h"

namespace fernwood::train {

namespace {

constexpr std::size_t kMaxTestedOfAFrame = 200, kMaxTested = 1'000'000;
constexpr double kWorthwhileRise = 0.001;

}  // namespace

TrainOptions evaluated_pixels(const TrainOptions& options, std::size_t num_frames) {
  const std::size_t share = std::clamp<std::size_t>(kMaxTested / num_frames, 1, kMaxTestedOfAFrame);
  TrainOptions drawn = options;
  drawn.samples_per_frame = std::min(options.samples_per_frame, static_cast<int>(share));
  drawn.sampling = Sampling::kPixels;
  drawn.mirror_augmentation = false;
  return drawn;
}

OutOfBag::OutOfBag(const GrowingForest& forest, const TrainOptions& options, const std::vector<std::uint32_t>& frames,
                   TrainDevice& device, ThreadPool& pool, Ranks& ranks)
    : forest_(forest),
      options_(options),
      frames_(frames),
      device_(device),
      pool_(pool),
      ranks_(ranks),
      pixels_(device.draw_samples(evaluated_pixels(options, frames.size()), frames, kNoTree)),
      sums_(pixels_.size(), forest.model.classes.size()),
      votes_(pixels_.size(), Vote::kNoVote) {}

OutOfBagReport OutOfBag::vote(std::size_t tree) {
  const std::vector<std::uint32_t> unseen = unseen_by(tree);
  const std::vector<std::uint32_t> leaves = device_.find_leaves(pixels_.picked(unseen), forest_.trees[tree].nodes);
  const std::vector<Vote> before = votes_;
  const Array2<float> votes =
      forest::leaf_votes(forest_.model, forest_.trees[tree], static_cast<std::size_t>(forest_.plan[tree].index));
  constexpr std::size_t kAtOnce = 4096;
  pool_.for_each((unseen.size() + kAtOnce - 1) / kAtOnce, [&](std::size_t part, int) {
    for (std::size_t i = part * kAtOnce; i < std::min(unseen.size(), (part + 1) * kAtOnce); ++i)
      add(unseen[i], votes.row(leaves[i]));
  });
  OutOfBagReport report = count(before);
  report.tree = forest_.plan[tree].index;
  return report;
}

/// Indices of the pixels in frames that a tree has not seen, ascending.
std::vector<std::uint32_t> OutOfBag::unseen_by(std::size_t tree) const {
  std::vector<bool> seen(frames_.back() + 1, false);
  for (const std::uint32_t frame : draw_frames(frames_, options_, drawing_tree(forest_.plan, tree, options_)))
    seen[frame] = true;
  std::vector<std::uint32_t> unseen;
  for (std::size_t f = 0; f < pixels_.frames.size(); ++f)
    if (!seen[pixels_.frames[f]])
      for (std::uint32_t p = pixels_.frame_starts[f]; p < pixels_.frame_starts[f + 1]; ++p) unseen.push_back(p);
  return unseen;
}

void OutOfBag::add(std::size_t pixel, const float* votes) {
  float* const sums = sums_.row(pixel);
  for (std::size_t c = 0; c < sums_.cols(); ++c) sums[c] += votes[c];
  const forest::SoftmaxNormalizer scale = forest::scale_of_row(options_.algorithm, sums, sums_.cols(), 1);
  forest::BestClass best;
  for (std::size_t c = 0; c < sums_.cols(); ++c) best.offer(static_cast<std::int32_t>(c), scale.probability(sums[c]));
  votes_[pixel] = best.label == pixels_.labels[pixel] ? Vote::kRight : Vote::kWrong;
}

/// @param before  Votes before this tree's.
OutOfBagReport OutOfBag::count(const std::vector<Vote>& before) const {
  std::vector<std::uint64_t> right(sums_.cols(), 0), voted(sums_.cols(), 0);
  std::array<std::int64_t, 2> before_too = {};  // pixels with an earlier vote, and the rise in right ones among them
  auto& [known, more_right] = before_too;
  for (std::size_t p = 0; p < votes_.size(); ++p) {
    if (votes_[p] == Vote::kNoVote) continue;
    ++voted[pixels_.labels[p]];
    right[pixels_.labels[p]] += votes_[p] == Vote::kRight;
    if (before[p] == Vote::kNoVote) continue;
    ++known;
    more_right += (votes_[p] == Vote::kRight) - (before[p] == Vote::kRight);
  }
  ranks_.sum_over_samples(std::span(right));
  ranks_.sum_over_samples(std::span(voted));
  ranks_.sum_over_samples(std::span<std::int64_t>(before_too));
  OutOfBagReport report;
  report.pixels = std::accumulate(voted.begin(), voted.end(), std::size_t{0});
  if (known > 0) report.rise = static_cast<double>(more_right) / static_cast<double>(known);
  report.accuracy = fernwood::accuracy_of(right, voted);
  return report;
}

bool is_flat(const std::vector<OutOfBagReport>& after_each_tree, int trees) {
  if (trees == 0 || after_each_tree.size() <= static_cast<std::size_t>(trees)) return false;
  double rise = 0;
  for (auto last = after_each_tree.end() - trees; last != after_each_tree.end(); ++last)
    rise += last->rise.value_or(1.0);  // the first votes always count as an improvement
  return rise < kWorthwhileRise;
}

void check_early_stopping(const TrainOptions& options, std::size_t num_frames) {
  if (options.early_stopping_rounds == 0) return;
  const NamedOption rounds = {"early-stopping-rounds"};
  require_together(
      num_frames > 1,
      "{} needs frames that a tree was not trained on, but there is only one frame; use more, or leave {} out",
      {rounds, rounds});
  require_together(!sees_all_frames(num_frames, options),
                   "{} needs frames that a tree was not trained on, but with {} each sees all " +
                       std::to_string(num_frames) + " frames; use {}, two thirds of them, or leave {} out",
                   {rounds,
                    {"frames-per-tree", std::to_string(options.frames_per_tree)},
                    {"frames-per-tree", std::to_string(num_frames * 2 / 3)},
                    rounds});
}

}  // namespace fernwood::train
