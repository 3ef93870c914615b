// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/boost/boosted_samples.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "core/draw.h"

namespace fernwood::train {

namespace {

constexpr std::size_t kSamplesAtOnce = 4096;

class CpuBoostedSamples : public BoostedSamples {
 public:
  CpuBoostedSamples(SampleSet samples, const BoostingSetting& setting, ThreadPool& pool, FindLeaves find_leaves)
      : samples_(std::move(samples)),
        setting_(setting),
        pool_(pool),
        find_leaves_(std::move(find_leaves)),
        sums_(samples_.size(), setting.num_classes) {}

  SampleSet misclassified(std::uint32_t tree) override;
  void send_down(const std::vector<forest::Node>& nodes) override { leaves_ = find_leaves_(samples_, nodes); }
  Array2<std::int64_t> leaf_sums(std::size_t num_leaves) override;
  void add(const Array2<float>& leaf_scores) override;

 private:
  /// Calls body(begin, end, worker) for blocks of samples.
  template <typename Body>
  void for_each_block(const Body& body) const {
    pool_.for_each((samples_.size() + kSamplesAtOnce - 1) / kSamplesAtOnce, [&](std::size_t i, int worker) {
      body(i * kSamplesAtOnce, std::min((i + 1) * kSamplesAtOnce, samples_.size()), static_cast<std::size_t>(worker));
    });
  }

  const SampleSet samples_;
  const BoostingSetting setting_;
  ThreadPool& pool_;
  const FindLeaves find_leaves_;
  std::vector<std::uint32_t> leaves_;  // [S] leaves of the current tree
  Array2<float> sums_;                 // [S][class] scores summed over the trees so far
};

SampleSet CpuBoostedSamples::misclassified(std::uint32_t tree) {
  const std::vector<std::uint32_t>& starts = samples_.frame_starts;
  std::vector<std::uint16_t> labels(samples_.size());
  std::vector<std::uint32_t> picked_of_frame(samples_.frames.size(), 0);
  pool_.for_each(picked_of_frame.size(), [&](std::size_t f, int) {
    for (std::uint32_t s = starts[f]; s < starts[f + 1]; ++s) {
      const float* sums = sums_.row(s);
      const Draw random =
          draw(setting_.seed, RngStream::kMisclassified, tree, 0, setting_.first_places[f] + s - starts[f]);
      labels[s] = judge([&](std::int32_t c) { return sums[c]; }, static_cast<std::int32_t>(setting_.num_classes),
                        samples_.labels[s], random.unit(0));
      picked_of_frame[f] += labels[s] == kCorrect ? 0 : 1;
    }
  });
  std::vector<std::uint32_t> places(picked_of_frame.size() + 1, 0);
  std::partial_sum(picked_of_frame.begin(), picked_of_frame.end(), places.begin() + 1);
  SampleSet picked;
  picked.sites.resize(places.back());
  picked.labels.resize(places.back());
  pool_.for_each(picked_of_frame.size(), [&](std::size_t f, int) {
    for (std::uint32_t s = starts[f], at = places[f]; s < starts[f + 1]; ++s) {
      if (labels[s] == kCorrect) continue;
      picked.sites[at] = samples_.sites[s];
      picked.labels[at++] = labels[s];
    }
  });
  picked.set_frames(samples_.frames, places);
  return picked;
}

Array2<std::int64_t> CpuBoostedSamples::leaf_sums(std::size_t num_leaves) {
  const std::size_t num_classes = setting_.num_classes;
  std::vector<Array2<std::int64_t>> of_worker(static_cast<std::size_t>(pool_.num_threads()));
  for_each_block([&](std::size_t begin, std::size_t end, std::size_t worker) {
    Array2<std::int64_t>& part = of_worker[worker];
    if (part.rows() == 0) part = Array2<std::int64_t>(num_leaves, num_classes * kNumSums);
    for (std::size_t s = begin; s < end; ++s) {
      const float* said = sums_.row(s);
      const forest::SoftmaxNormalizer scale = forest::scale_of_row(forest::ForestKind::kBoosted, said, num_classes, 1);
      std::int64_t* sums = part.row(leaves_[s]);
      for (std::size_t c = 0; c < num_classes; ++c, sums += kNumSums) {
        const bool is = samples_.labels[s] == c;
        const LossTerm term = loss_term(scale.probability(said[c]), is);
        sums[kGradient] += term.gradient;
        sums[kCurvature] += term.curvature;
        sums[kSamples] += is ? 1 : 0;
      }
    }
  });
  Array2<std::int64_t> all(num_leaves, num_classes * kNumSums);
  for (const Array2<std::int64_t>& part : of_worker)
    std::transform(part.begin(), part.end(), all.begin(), all.begin(), std::plus<>());
  return all;
}

void CpuBoostedSamples::add(const Array2<float>& leaf_scores) {
  for_each_block([&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t s = begin; s < end; ++s) {
      const float* scores = leaf_scores.row(leaves_[s]);
      for (std::size_t c = 0; c < sums_.cols(); ++c) sums_(s, c) += scores[c];
    }
  });
}

}  // namespace

std::unique_ptr<BoostedSamples> make_boosted_samples(SampleSet samples, const BoostingSetting& setting,
                                                     ThreadPool& pool, FindLeaves find_leaves) {
  return std::make_unique<CpuBoostedSamples>(std::move(samples), setting, pool, std::move(find_leaves));
}

}  // namespace fernwood::train
