// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/cpu_backend.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "dataset/test_files.h"
#include "forest/noise.h"
#include "train/candidates.h"
#include "train/sampler.h"
#include "train/samples.h"

namespace fernwood {
namespace {

/// Three noise frames with classes that go with their colours, one level of a tree over them with four open nodes.
class CpuBackendOf : public testing::TestWithParam<Isa> {
 protected:
  CpuBackendOf() {
    for (std::uint32_t i = 0; i < 3; ++i) write_frame(i);
    dataset_.emplace(Dataset::open(folder_.path()));
    classes_ = dataset_->scan_truth(pool_).classes;
    store_.emplace(*dataset_, classes_, Preparation{channels_}, std::size_t{1} << 24);
    options_.samples_per_frame = 700;
    options_.min_samples = 1;
    options_.box_radius = 12;
    options_.region_size = 3;
    options_.flip = true;
    samples_ = draw_samples(*store_, options_, 0, classes_.size(), pool_);
    growing_ = start_tree(samples_, classes_.size(), options_);
    frontier_.emplace(samples_, growing_, *store_, pool_);
    for (int level = 0; level < 2; ++level) split_by_place();
  }

  void write_frame(std::uint32_t index) const {
    const std::string name(1, static_cast<char>('a' + index));
    const Frame frame = noise_frame(30, 40, 10 + index);
    Array2<Rgb> truth(30, 40);
    for (std::size_t i = 0; i < truth.size(); ++i)
      truth.data()[i] = {static_cast<std::uint8_t>(1 + frame.color.data()[i].r / 64), 9, 9};
    write_png(folder_ / (name + "_colors.png"), frame.color);
    write_png16(folder_ / (name + "_depth.png"), frame.depth_mm);
    write_png(folder_ / (name + "_ground_truth.png"), truth);
  }

  void split_by_place() {
    std::vector<std::uint8_t> sides;
    for (const std::int32_t x : columns(frontier_->samples()))
      sides.push_back(static_cast<std::uint8_t>(growing_.level == 0 ? x > 25 : x % 2));
    frontier_->split(growing_, std::vector<ChosenSplit>(frontier_->num_nodes(), {{1, 0, 0}, {}, 0}), sides, options_);
  }

  /// `count` features with `num_thresholds` thresholds for each of `sets` sets.
  CandidateChunk make_chunk(std::size_t sets, std::size_t count, std::size_t num_thresholds, std::size_t first = 0) {
    Noise noise(5);
    CandidateChunk chunk{first, Array2<RegionFeature>(sets, count), Array2<float>(sets * count, num_thresholds)};
    for (RegionFeature& feature : chunk.features) feature = noise_feature(channels_, noise);
    for (std::size_t row = 0; row < sets * count; ++row) {
      float* thresholds = chunk.thresholds.row(row);
      for (std::size_t t = 0; t < num_thresholds; ++t) thresholds[t] = static_cast<float>(noise.between(-3000, 3000));
      std::sort(thresholds, thresholds + num_thresholds);
    }
    return chunk;
  }

  float response_of(const SampleSet& samples, std::size_t s, const RegionFeature& feature) {
    const std::size_t f =
        static_cast<std::size_t>(std::ranges::upper_bound(samples.frame_starts, static_cast<std::uint32_t>(s)) -
                                 samples.frame_starts.begin() - 1);
    float out = 0;
    store_->visit({samples.frames[f]}, pool_, [&](std::size_t, const LoadedFrame& frame, int) {
      out = response(feature, frame.prepared.view(), samples.sites[s]);
    });
    return out;
  }

  /// The best split of every node by counting sides one sample and threshold at a time.
  std::vector<BestSplit> plain_best(const CandidateChunk& chunk, ScoreKind kind) {
    const std::size_t num_nodes = frontier_->num_nodes(), num_classes = classes_.size();
    std::vector<BestSplit> best(num_nodes);
    for (std::size_t f = 0; f < chunk.size(); ++f) {
      std::vector<float> responses;
      const SampleSet& samples = frontier_->samples();
      for (std::size_t s = 0; s < samples.size(); ++s)
        responses.push_back(response_of(samples, s, chunk.features(chunk.per_node() ? frontier_->node_of()[s] : 0, f)));
      for (std::size_t n = 0; n < num_nodes; ++n)
        for (std::size_t t = 0; t < chunk.thresholds.cols(); ++t) {
          const float threshold = chunk.thresholds((chunk.per_node() ? n : 0) * chunk.size() + f, t);
          Array2<float> counts(3, num_classes);  // left, right, both
          for (std::size_t s = 0; s < responses.size(); ++s)
            if (frontier_->node_of()[s] == n)
              for (const std::size_t row : {static_cast<std::size_t>(side(responses[s], threshold)), std::size_t{2}})
                ++counts(row, samples.labels[s]);
          const BestSplit split{score_of(counts, kind), static_cast<std::int32_t>(chunk.first + f),
                                static_cast<std::int32_t>(t)};
          if (is_better(split, best[n])) best[n] = split;
        }
    }
    return best;
  }

  static float score_of(const Array2<float>& counts, ScoreKind kind) {
    float totals[3] = {}, entropies[3] = {};
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t c = 0; c < counts.cols(); ++c) totals[row] += counts(row, c);
      for (std::size_t c = 0; c < counts.cols(); ++c)
        entropies[row] += entropy_term(counts(row, c), 1.0f / std::max(totals[row], 1.0f));
    }
    return split_score(kind, entropies[2], entropies[0], entropies[1], totals[0], totals[1]);
  }

  CpuBackend make_backend(std::size_t bins_budget_bytes = 1 << 20, std::stop_token stop = {}) {
    return CpuBackend(*store_, pool_, GetParam(), bins_budget_bytes, stop, meter_);
  }
  std::vector<BestSplit> evaluate(const CandidateChunk& chunk, ScoreKind kind) {
    CpuBackend backend = make_backend();
    std::vector<BestSplit> best(frontier_->num_nodes());
    backend.evaluate(*frontier_, chunk, kind, best);
    return best;
  }

  TestFolder folder_;
  ThreadPool pool_{2};
  ChannelLayout channels_{{"lab", "depth"}};
  std::optional<Dataset> dataset_;
  ClassMap classes_;
  std::optional<FrameStore> store_;
  TrainOptions options_;
  SampleSet samples_;
  GrowingTree growing_;
  std::optional<Frontier> frontier_;
  TrainHooks hooks_;
  ProgressMeter meter_{hooks_};
};
INSTANTIATE_TEST_SUITE_P(Each, CpuBackendOf, testing::ValuesIn(available_isas()),
                         [](const auto& info) { return to_string(info.param); });

void expect_same(const std::vector<BestSplit>& got, const std::vector<BestSplit>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t n = 0; n < got.size(); ++n) {
    EXPECT_EQ(got[n].score, wanted[n].score) << "node " << n;
    EXPECT_EQ(got[n].candidate, wanted[n].candidate) << "node " << n;
    EXPECT_EQ(got[n].threshold, wanted[n].threshold) << "node " << n;
  }
}

TEST_P(CpuBackendOf, FindsTheSplitsOfAPlainLoop) {
  ASSERT_EQ(frontier_->num_nodes(), 4u);
  for (const ScoreKind kind : {ScoreKind::kInformationGain, ScoreKind::kNormalizedInformationGain}) {
    const CandidateChunk chunk = make_chunk(1, 12, 9, 100);
    const auto best = evaluate(chunk, kind);
    EXPECT_GE(best[0].candidate, 100);
    expect_same(best, plain_best(chunk, kind));
  }
}

TEST_P(CpuBackendOf, FindsTheSplitsOfAPlainLoopWhenNodesHaveTheirOwnCandidates) {
  const CandidateChunk chunk = make_chunk(4, 10, 7);
  const auto best = evaluate(chunk, ScoreKind::kInformationGain);
  expect_same(best, plain_best(chunk, ScoreKind::kInformationGain));
}

TEST_P(CpuBackendOf, ChunksOneAfterAnotherGiveWhatOneChunkGives) {
  const CandidateChunk whole = make_chunk(1, 12, 9);
  CpuBackend backend = make_backend();
  std::vector<BestSplit> best(4);
  for (const std::size_t first : {5u, 0u, 11u})  // in any order
    backend.evaluate(
        *frontier_,
        [&] {
          const std::size_t size = first == 0 ? 5 : first == 5 ? 6 : 1;
          CandidateChunk part{first, Array2<RegionFeature>(1, size), Array2<float>(size, 9)};
          std::copy_n(whole.features.row(0) + first, size, part.features.row(0));
          std::copy_n(whole.thresholds.row(first), size * 9, part.thresholds.row(0));
          return part;
        }(),
        ScoreKind::kInformationGain, best);
  expect_same(best, evaluate(whole, ScoreKind::kInformationGain));
}

TEST_P(CpuBackendOf, ProbesGiveTheResponses) {
  CpuBackend backend = make_backend();
  std::vector<std::uint32_t> positions, node_of;
  for (std::uint32_t p = 5; p < samples_.size(); p += 37) positions.push_back(p);
  const SampleSet probes = frontier_->samples().picked(positions);
  for (const std::uint32_t p : positions) node_of.push_back(frontier_->node_of()[p]);
  for (const std::size_t sets : {1u, 4u}) {
    const CandidateChunk chunk = make_chunk(sets, 5, 1);
    const Array2<float> responses =
        backend.probe(chunk, probes, sets == 1 ? std::vector<std::uint32_t>(positions.size(), 0) : node_of);
    ASSERT_EQ(responses.rows(), 5u);
    ASSERT_EQ(responses.cols(), positions.size());
    for (std::size_t f = 0; f < 5; ++f)
      for (std::size_t p = 0; p < positions.size(); ++p)
        ASSERT_EQ(bits_of(responses(f, p)),
                  bits_of(response_of(probes, p, chunk.features(sets == 1 ? 0 : node_of[p], f))));
  }
}

TEST_P(CpuBackendOf, SidesAreThoseOfEachSamplesNode) {
  CpuBackend backend = make_backend();
  const CandidateChunk chunk = make_chunk(4, 1, 1);
  std::vector<ChosenSplit> chosen;
  for (std::size_t n = 0; n < 4; ++n)
    chosen.push_back({{1, 0, 0}, chunk.features(n, 0), 40.0f * static_cast<float>(n)});
  const auto sides = backend.sides(*frontier_, chosen);
  ASSERT_EQ(sides.size(), frontier_->num_samples());
  for (std::size_t s = 0; s < sides.size(); ++s) {
    const ChosenSplit& split = chosen[frontier_->node_of()[s]];
    ASSERT_EQ(+sides[s], side(response_of(frontier_->samples(), s, split.feature), split.threshold)) << s;
  }
  EXPECT_GT(std::ranges::count(sides, 0), 100);
}

TEST_P(CpuBackendOf, ChunksAreWithinTheBudgetAndNeverEmpty) {
  EXPECT_EQ(make_backend(1).chunk_size(*frontier_, 0), 1u);
  const std::size_t large = make_backend(std::size_t{1} << 24).chunk_size(*frontier_, 0);
  EXPECT_GE(large, 10u);
  EXPECT_LE(large * frontier_->num_samples(), std::size_t{1} << 24);  // a byte for each bin
}

TEST_P(CpuBackendOf, StopsWhenAsked) {
  std::stop_source stop;
  CpuBackend backend = make_backend(1 << 20, stop.get_token());
  stop.request_stop();
  std::vector<BestSplit> best(4);
  expect_error([&] { backend.evaluate(*frontier_, make_chunk(1, 2, 2), ScoreKind::kInformationGain, best); },
               ErrorKind::kInterrupted, {"interrupted"});
}

TEST_P(CpuBackendOf, ResumedFrontierHoldsTheSameSamples) {
  // Splits by true features, so that samples find their way again.
  GrowingTree growing = start_tree(samples_, classes_.size(), options_);
  Frontier frontier(samples_, growing, *store_, pool_);
  CpuBackend backend = make_backend();
  for (int level = 0; level < 3; ++level) {
    const CandidateChunk chunk = make_chunk(frontier.num_nodes(), 1, 1);
    std::vector<ChosenSplit> chosen;
    for (std::size_t n = 0; n < frontier.num_nodes(); ++n) chosen.push_back({{1, 0, 0}, chunk.features(n, 0), -200.0f});
    frontier.split(growing, chosen, backend.sides(frontier, chosen), options_);
  }
  ASSERT_GT(frontier.num_nodes(), 2u);
  const Frontier again(samples_, growing, *store_, pool_);
  EXPECT_EQ(again.node_of(), frontier.node_of());
  EXPECT_EQ(again.frame_order(), frontier.frame_order());
  EXPECT_EQ(again.class_counts(), frontier.class_counts());
  EXPECT_EQ(columns(again.samples()), columns(frontier.samples()));
  EXPECT_EQ(again.samples().frame_starts, frontier.samples().frame_starts);
}

}  // namespace
}  // namespace fernwood
