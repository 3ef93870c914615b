// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/train_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "dataset/test_files.h"
#include "devices.h"
#include "forest/noise.h"
#include "kernel_variants.h"
#include "sentences.h"
#include "train/cpu/cpu_backend.h"
#include "train/data/sampler.h"
#include "train/grow/grow_tree.h"
#include "train/samples.h"

namespace fernwood::train {
namespace {

/// The best splits of a level's evaluated candidates, as TreeLevels takes them from the backend of a single rank.
LevelOutcome choose(LevelBackend& backend, const OpenNodes& nodes) {
  std::vector<ChosenSplit> chosen = backend.best(nodes).chosen;
  Array2<std::uint32_t> counts = backend.split(nodes, chosen);
  return {std::move(chosen), std::move(counts)};
}

/// A backend that grows levels: a kernel variant of the CPU, or a GPU.
struct Way {
  Device device;
  KernelVariant loops = {Isa::kBaseline, Gather::kGather};
};

std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const Device gpu : gpus()) ways.push_back({gpu});
  for (const KernelVariant& loops : kernel_variants()) ways.push_back({Device{}, loops});
  return ways;
}

std::string name_of(const Way& way) {
  return way.device.is_cpu() ? to_string(way.loops) : fernwood::name_of(way.device);
}

/// Three noise frames whose classes depend on their colours, and a level with four open nodes of a tree on them. A
/// Frontier is updated beside the backend as a reference for the positions of samples.
class LevelBackendOf : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (is_missing(GetParam().device)) GTEST_SKIP() << gpu_status().problem;
    for (std::uint32_t i = 0; i < 3; ++i) write_frame(i);
    dataset_.emplace(dataset::Dataset::open(folder_.path()));
    forest_.classes = dataset_->scan_truth(pool_).classes;
    forest_.preparation = {channels_};
    store_.emplace(*dataset_, forest_.classes, forest_.preparation, std::size_t{1} << 24);
    options_.samples_per_frame = 700;
    options_.min_samples = 1;
    options_.max_offset = 12;
    options_.max_half_extent = 4;
    options_.features = 12;
    options_.mirror_augmentation = true;
    options_.score = ScoreKind::kInformationGain;
    options_.sampling = Sampling::kPixels;
    options_.unary_feature_fraction = 0.2f;
    samples_ = draw_samples(*store_, options_, 0, num_classes(), pool_);
    growing_ = start_tree(samples_, num_classes(), options_);
    frontier_.emplace(samples_, growing_, *store_, pool_);
    open_device();
    backend_->start(samples_, growing_, OpenNodes(growing_), options_);
    for (std::size_t t = 0; t < 2; ++t) {
      options_.thresholds = 5;
      const OpenNodes nodes(growing_);
      backend_->evaluate(nodes, make_chunk(8, 5), options_);
      descend(choose(*backend_, nodes));
    }
    options_.thresholds = 9;
  }

  void open_device() {
    if (GetParam().device.is_cpu()) {
      cpu_backend_.emplace(*store_, pool_, GetParam().loops, LevelBudget{.bytes = std::size_t{1} << 20},
                           std::stop_token(), meter_);
      backend_ = &*cpu_backend_;
      return;
    }
    device_ = open_gpu();
    backend_ = &device_->backend();
  }

  std::unique_ptr<TrainDevice> open_gpu() {
    std::unique_ptr<TrainDevice> device = make_cuda_device(
        {*dataset_, forest_, resources_, memory_, pool_, hooks_, meter_, one_.ranks}, GetParam().device.gpu);
    device->load_frames([] {});
    return device;
  }

  std::size_t num_classes() const { return forest_.classes.size(); }

  /// Reference for the side of each sample under the split of its node.
  std::vector<std::uint8_t> plain_sides(const std::vector<ChosenSplit>& chosen) {
    std::vector<std::uint8_t> sides;
    for (std::size_t s = 0; s < frontier_->num_samples(); ++s) {
      const ChosenSplit& split = chosen[frontier_->node_of()[s]];
      sides.push_back(
          static_cast<std::uint8_t>(side(response_of(frontier_->samples(), s, split.feature), split.threshold)));
    }
    return sides;
  }

  /// Moves tree, frontier and backend to the next level.
  void descend(const LevelOutcome& outcome) {
    const auto sides = plain_sides(outcome.chosen);
    const auto children = split_nodes(growing_, outcome, options_);
    const OpenNodes nodes(growing_);
    frontier_->descend(children, sides, nodes);
    backend_->descend(children, nodes);
  }

  void write_frame(std::uint32_t index) const {
    const std::string name(1, static_cast<char>('a' + index));
    const image::Frame frame = forest::noise_frame(30, 40, 10 + index);
    Array2<image::Rgb> truth(30, 40);
    for (std::size_t i = 0; i < truth.size(); ++i)
      truth.data()[i] = {static_cast<std::uint8_t>(1 + frame.color.data()[i].r / 64), 9, 9};
    dataset::write_png(folder_ / (name + "_colors.png"), frame.color);
    dataset::write_png16(folder_ / (name + "_depth.png"), frame.depth_mm);
    dataset::write_png(folder_ / (name + "_ground_truth.png"), truth);
  }

  /// `count` features with `num_thresholds` thresholds each.
  CandidateChunk make_chunk(std::size_t count, std::size_t num_thresholds, std::size_t first = 0) {
    forest::Noise noise(5);
    CandidateChunk chunk{first, std::vector<forest::RegionFeature>(count), Array2<float>(count, num_thresholds)};
    for (forest::RegionFeature& feature : chunk.features) feature = forest::noise_feature(channels_, noise);
    for (std::size_t row = 0; row < count; ++row) {
      float* thresholds = chunk.thresholds.row(row);
      for (std::size_t t = 0; t < num_thresholds; ++t) thresholds[t] = static_cast<float>(noise.between(-3000, 3000));
      std::sort(thresholds, thresholds + num_thresholds);
    }
    return chunk;
  }

  float response_of(const SampleSet& samples, std::size_t s, const forest::RegionFeature& feature) {
    const std::size_t f =
        static_cast<std::size_t>(std::ranges::upper_bound(samples.frame_starts, static_cast<std::uint32_t>(s)) -
                                 samples.frame_starts.begin() - 1);
    float out = 0;
    store_->visit({samples.frames[f]}, pool_, [&](std::size_t, const LoadedFrame& frame, int) {
      out = forest::response(feature, frame.view(), samples.sites[s]);
    });
    return out;
  }

  /// Reference for the best split of every node, which counts sides for one sample and threshold at a time.
  std::vector<BestSplit> plain_best(const CandidateChunk& chunk, ScoreKind kind) {
    const std::size_t num_nodes = growing_.open.size(), num_classes = this->num_classes();
    std::vector<BestSplit> best(num_nodes);
    for (std::size_t f = 0; f < chunk.size(); ++f) {
      std::vector<float> responses;
      const SampleSet& samples = frontier_->samples();
      for (std::size_t s = 0; s < samples.size(); ++s) responses.push_back(response_of(samples, s, chunk.features[f]));
      for (std::size_t n = 0; n < num_nodes; ++n)
        for (std::size_t t = 0; t < chunk.thresholds.cols(); ++t) {
          const float threshold = chunk.thresholds(f, t);
          Array2<float> counts(3, num_classes);  // rows: left, right, both
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

  /// Reference score of a split of one node, which counts one sample at a time.
  float plain_score(std::size_t node, const forest::RegionFeature& feature, float threshold) {
    Array2<float> counts(3, num_classes());  // rows: left, right, both
    for (std::size_t s = 0; s < frontier_->num_samples(); ++s) {
      if (frontier_->node_of()[s] != node) continue;
      const float value = response_of(frontier_->samples(), s, feature);
      ++counts(static_cast<std::size_t>(side(value, threshold)), frontier_->samples().labels[s]);
      ++counts(2, frontier_->samples().labels[s]);
    }
    return score_of(counts, options_.score);
  }

  /// Splits that the backend chooses, after a check of its counts against the sides of all samples.
  LevelOutcome choose_checked() {
    const LevelOutcome outcome = choose(*backend_, OpenNodes(growing_));
    EXPECT_EQ(outcome.counts, frontier_->count_sides(plain_sides(outcome.chosen), growing_.open.size(), num_classes()));
    return outcome;
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

  std::vector<BestSplit> evaluate(const CandidateChunk& chunk, ScoreKind kind) {
    const OpenNodes nodes(growing_);
    options_.score = kind;
    backend_->evaluate(nodes, chunk, options_);
    std::vector<BestSplit> best;
    for (const ChosenSplit& split : choose(*backend_, nodes).chosen) best.push_back(split.best);
    return best;
  }

  dataset::TestFolder folder_;
  ThreadPool pool_{2};
  image::ChannelLayout channels_{{"lab", "depth"}};
  std::optional<dataset::Dataset> dataset_;
  forest::Forest forest_;
  std::optional<FrameStore> store_;
  TrainOptions options_ = defaults_of(forest::ForestKind::kForest);
  SampleSet samples_;
  GrowingTree growing_;
  std::optional<Frontier> frontier_;
  TrainHooks hooks_;
  ProgressMeter meter_{hooks_};
  OneRank one_;
  TrainResources resources_;
  std::optional<CpuBackend> cpu_backend_;
  const MemoryPlan memory_{std::size_t{1} << 26, GetParam().device};
  std::unique_ptr<TrainDevice> device_;
  LevelBackend* backend_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Each, LevelBackendOf, testing::ValuesIn(all_ways()),
                         [](const auto& info) { return name_of(info.param); });

void expect_same(const std::vector<BestSplit>& got, const std::vector<BestSplit>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t n = 0; n < got.size(); ++n) {
    EXPECT_EQ(got[n].score, wanted[n].score) << "node " << n;
    EXPECT_EQ(got[n].candidate, wanted[n].candidate) << "node " << n;
    EXPECT_EQ(got[n].threshold, wanted[n].threshold) << "node " << n;
  }
}

TEST_P(LevelBackendOf, FindsTheSplitsOfAPlainLoop) {
  ASSERT_EQ(growing_.open.size(), 4u);
  const CandidateChunk chunk = make_chunk(12, 9, 100);
  const auto best = evaluate(chunk, ScoreKind::kInformationGain);
  EXPECT_GE(best[0].candidate, 100);
  expect_same(best, plain_best(chunk, ScoreKind::kInformationGain));
}

TEST_P(LevelBackendOf, FindsTheSplitsOfAPlainLoopByNormalizedGain) {
  const CandidateChunk chunk = make_chunk(12, 9);
  expect_same(evaluate(chunk, ScoreKind::kNormalizedInformationGain),
              plain_best(chunk, ScoreKind::kNormalizedInformationGain));
}

TEST_P(LevelBackendOf, FindsTheSplitsOfMoreFeaturesThanAWarpHasLanes) {
  options_.features = 70;
  const CandidateChunk chunk = make_chunk(70, 9);
  expect_same(evaluate(chunk, ScoreKind::kInformationGain), plain_best(chunk, ScoreKind::kInformationGain));
}

TEST_P(LevelBackendOf, ChunksOneAfterAnotherGiveWhatOneChunkGives) {
  const CandidateChunk whole = make_chunk(12, 9);
  const OpenNodes nodes(growing_);
  for (const std::size_t first : {0u, 5u, 11u}) {
    const std::size_t size = first == 0 ? 5 : first == 5 ? 6 : 1;
    CandidateChunk part{first, std::vector<forest::RegionFeature>(size), Array2<float>(size, 9)};
    std::copy_n(whole.features.data() + first, size, part.features.data());
    std::copy_n(whole.thresholds.row(first), size * 9, part.thresholds.row(0));
    backend_->evaluate(nodes, part, options_);
  }
  const LevelOutcome outcome = choose(*backend_, nodes);
  std::vector<BestSplit> best;
  for (const ChosenSplit& split : outcome.chosen) best.push_back(split.best);
  expect_same(best, plain_best(whole, ScoreKind::kInformationGain));
}

TEST_P(LevelBackendOf, ChosenSplitsCarryFeatureThresholdAndCountsOfTheirSides) {
  const CandidateChunk chunk = make_chunk(12, 9, 30);
  const OpenNodes nodes(growing_);
  backend_->evaluate(nodes, chunk, options_);
  const LevelOutcome outcome = choose(*backend_, nodes);
  for (const ChosenSplit& split : outcome.chosen) {
    const auto f = static_cast<std::size_t>(split.best.candidate) - chunk.first;
    EXPECT_EQ(split.feature, chunk.features[f]);
    EXPECT_EQ(split.threshold, chunk.thresholds(f, static_cast<std::size_t>(split.best.threshold)));
  }
  EXPECT_EQ(outcome.counts, frontier_->count_sides(plain_sides(outcome.chosen), 4, num_classes()));
}

TEST_P(LevelBackendOf, SidesGoOverAsABitForEachSample) {
  const OpenNodes nodes(growing_);
  backend_->evaluate(nodes, make_chunk(12, 9), options_);
  const LevelBest best = backend_->best(nodes);
  const std::vector<std::uint8_t> sides = plain_sides(best.chosen);
  const std::vector<std::uint8_t> asked = {1, 0, 0, 1}, all(4, 1);
  std::vector<std::uint32_t> wanted(num_side_words(sides.size()), 0), wanted_of_all = wanted;
  for (std::size_t s = 0; s < sides.size(); ++s) {
    const std::uint32_t bit = std::uint32_t{sides[s]} << s % 32;
    wanted_of_all[s / 32] |= bit;
    if (asked[frontier_->node_of()[s]] == 1) wanted[s / 32] |= bit;
  }
  EXPECT_EQ(backend_->partition_bits(nodes, asked), wanted);
  EXPECT_EQ(backend_->partition_bits(nodes, all), wanted_of_all);
  for (std::uint32_t& word : wanted_of_all) word = ~word;  // as if other ranks had found different splits
  std::vector<std::uint8_t> others;
  for (const std::uint8_t side : sides) others.push_back(1 - side);
  const Array2<std::uint32_t> counts = backend_->split_by(nodes, best.chosen, wanted_of_all);
  EXPECT_EQ(counts, frontier_->count_sides(others, nodes.size(), num_classes()));
}

TEST_P(LevelBackendOf, SamplesGoDownLevelAfterLevel) {
  for (int level = 0; level < 3; ++level) {
    const OpenNodes nodes(growing_);
    const CandidateChunk chunk = make_chunk(12, 9);
    const auto plain = plain_best(chunk, ScoreKind::kInformationGain);
    backend_->evaluate(nodes, chunk, options_);
    const LevelOutcome outcome = choose(*backend_, nodes);
    std::vector<BestSplit> best;
    for (const ChosenSplit& split : outcome.chosen) best.push_back(split.best);
    expect_same(best, plain);
    ASSERT_EQ(outcome.counts, frontier_->count_sides(plain_sides(outcome.chosen), nodes.size(), num_classes()));
    descend(outcome);
  }
  EXPECT_GT(growing_.open.size(), 10u);
}

TEST_P(LevelBackendOf, NodesWithoutAUsefulCandidateChooseNone) {
  CandidateChunk chunk = make_chunk(8, 5);
  for (std::size_t f = 0; f < chunk.size(); ++f)
    for (std::size_t t = 0; t < 5; ++t) chunk.thresholds(f, t) = -1e9f;  // all go right
  for (const BestSplit& best : evaluate(chunk, ScoreKind::kInformationGain)) {
    EXPECT_EQ(best.candidate, -1);
    EXPECT_EQ(best.score, kMinUsefulScore);
  }
}

/// Reference for ferns: the split with the highest sum of scores over all nodes.
TEST_P(LevelBackendOf, FernsGetTheOneSplitThatIsBestForAllNodes) {
  options_.algorithm = forest::ForestKind::kFerns;
  options_.score = ScoreKind::kNormalizedInformationGain;
  backend_->start(samples_, growing_, OpenNodes(growing_), options_);
  const CandidateChunk chunk = make_chunk(12, 9, 100);
  SharedSplit wanted;
  for (std::size_t f = 0; f < chunk.size(); ++f)
    for (std::size_t t = 0; t < chunk.thresholds.cols(); ++t) {
      SharedSplit split{0, static_cast<std::int32_t>(100 + f), static_cast<std::int32_t>(t)};
      const OpenNodes nodes(growing_);
      for (std::size_t n = 0; n < nodes.size(); ++n)
        split.score += shared_score(plain_score(n, chunk.features[f], chunk.thresholds(f, t)),
                                    nodes.nodes[n].end - nodes.nodes[n].begin);
      if (split.is_better_than(wanted)) wanted = split;
    }
  const LevelOutcome outcome = (backend_->evaluate(OpenNodes(growing_), chunk, options_), choose_checked());
  ASSERT_GT(wanted.score, 0u);
  for (const ChosenSplit& split : outcome.chosen) {
    EXPECT_EQ(split.best.candidate, wanted.candidate);
    EXPECT_EQ(split.best.threshold, wanted.threshold);
  }
}

TEST_P(LevelBackendOf, FernsGetTheSameSplitFromChunksOneAfterAnother) {
  options_.algorithm = forest::ForestKind::kFerns;
  backend_->start(samples_, growing_, OpenNodes(growing_), options_);
  const CandidateChunk whole = make_chunk(12, 9);
  backend_->evaluate(OpenNodes(growing_), whole, options_);
  const LevelOutcome wanted = choose_checked();
  backend_->start(samples_, growing_, OpenNodes(growing_), options_);
  for (const std::size_t first : {0u, 5u, 11u}) {
    const std::size_t size = first == 0 ? 5 : first == 5 ? 6 : 1;
    CandidateChunk part{first, std::vector<forest::RegionFeature>(size), Array2<float>(size, 9)};
    std::copy_n(whole.features.data() + first, size, part.features.data());
    std::copy_n(whole.thresholds.row(first), size * 9, part.thresholds.row(0));
    backend_->evaluate(OpenNodes(growing_), part, options_);
  }
  const LevelOutcome outcome = choose_checked();
  EXPECT_EQ(outcome.counts, wanted.counts);
  EXPECT_EQ(outcome.chosen[0].best.candidate, wanted.chosen[0].best.candidate);
  EXPECT_EQ(outcome.chosen[0].best.threshold, wanted.chosen[0].best.threshold);
}

TEST_P(LevelBackendOf, FernsGetNoSplitWhereNoneIsUseful) {
  options_.algorithm = forest::ForestKind::kFerns;
  backend_->start(samples_, growing_, OpenNodes(growing_), options_);
  CandidateChunk chunk = make_chunk(2, 3);
  for (float& threshold : chunk.thresholds) threshold = -1e9f;  // all samples go right
  backend_->evaluate(OpenNodes(growing_), chunk, options_);
  for (const ChosenSplit& split : choose(*backend_, OpenNodes(growing_)).chosen) EXPECT_LT(split.best.candidate, 0);
}

TEST_P(LevelBackendOf, ResumedTreeGoesOnWithTheSameSamples) {
  const CandidateChunk chunk = make_chunk(12, 9);
  const auto best = evaluate(chunk, ScoreKind::kInformationGain);
  backend_->start(samples_, growing_, OpenNodes(growing_), options_);
  expect_same(evaluate(chunk, ScoreKind::kInformationGain), best);
  const Frontier again(samples_, growing_, *store_, pool_);
  EXPECT_EQ(again.node_of(), frontier_->node_of());
  EXPECT_EQ(again.frame_order(), frontier_->frame_order());
  EXPECT_EQ(columns(again.samples()), columns(frontier_->samples()));
  EXPECT_EQ(again.samples().frame_starts, frontier_->samples().frame_starts);
}

TEST_P(LevelBackendOf, ChunksAreNeverEmpty) {
  const OpenNodes nodes(growing_);
  EXPECT_GE(backend_->chunk_size(nodes, options_), 1u);
}

TEST(CpuBackend, KeepsTheBinsOfAChunkWithinItsBudget) {
  const dataset::Dataset nothing;
  const image::ClassMap classes;
  const image::Preparation no_channels;
  FrameStore store(nothing, classes, no_channels, 0);
  ThreadPool pool(1);
  const TrainHooks hooks;
  ProgressMeter meter(hooks);
  SampleSet samples;
  samples.frames = {0};
  samples.frame_starts = {0, 2000};
  for (int i = 0; i < 2000; ++i) samples.append({i, 0, 1}, static_cast<std::uint16_t>(i % 2));
  const TrainOptions any = defaults_of(forest::ForestKind::kForest);
  const OpenNodes nodes(start_tree(samples, 2, any));
  const auto size = [&](std::size_t budget_bytes) {
    return CpuBackend(store, pool, {Isa::kBaseline, Gather::kGather}, {.bytes = budget_bytes}, {}, meter)
        .chunk_size(nodes, any);
  };
  EXPECT_EQ(size(1), 1u);
  EXPECT_EQ(size(110000), 50u);  // a candidate has a byte for each of 2000 samples, and four for each of 50 thresholds
}

TEST_P(LevelBackendOf, BatchedLevelsAreThoseOfOneAfterAnother) {
  const std::size_t plenty = std::size_t{1} << 20;
  std::optional<CpuBackend> of_cpu;
  std::unique_ptr<TrainDevice> of_gpu;
  if (GetParam().device.is_cpu()) {
    of_cpu.emplace(*store_, pool_, GetParam().loops,
                   LevelBudget{.bytes = plenty, .all_frames_held = false, .all_frames_bytes = 1}, std::stop_token(),
                   meter_);
  } else {
    of_gpu = open_gpu();
  }
  LevelBackend& ahead = of_cpu ? *of_cpu : of_gpu->backend();
  ahead.start(samples_, growing_, OpenNodes(growing_), options_);
  options_.min_samples = 150;  // so that some samples end in leaves on the way
  std::vector<CandidateChunk> levels;
  for (int i = 0; i < 3; ++i) levels.push_back(make_chunk(static_cast<std::size_t>(options_.features), 9));
  ASSERT_GE(ahead.levels_ahead(options_, 3), 3u);
  ahead.start_levels(levels);
  EXPECT_EQ(ahead.levels_ahead(options_, 2), 0u);  // they are in memory already
  const std::size_t decoded = store_->num_decoded();
  std::size_t before = frontier_->num_samples();
  for (const CandidateChunk& level : levels) {
    const OpenNodes nodes(growing_);
    backend_->evaluate(nodes, level, options_);
    ahead.evaluate(nodes, level, options_);
    const LevelOutcome outcome = choose(*backend_, nodes), same = choose(ahead, nodes);
    std::vector<BestSplit> wanted, got;
    for (const ChosenSplit& split : outcome.chosen) wanted.push_back(split.best);
    for (const ChosenSplit& split : same.chosen) got.push_back(split.best);
    expect_same(got, wanted);
    EXPECT_EQ(same.counts, outcome.counts);
    const auto sides = plain_sides(outcome.chosen);
    const auto children = split_nodes(growing_, outcome, options_);
    frontier_->descend(children, sides, OpenNodes(growing_));
    backend_->descend(children, OpenNodes(growing_));
    ahead.descend(children, OpenNodes(growing_));
  }
  EXPECT_LT(frontier_->num_samples(), before);
  EXPECT_EQ(store_->num_decoded(), decoded);
  EXPECT_EQ(ahead.levels_ahead(options_, 1), 1u);
}

TEST(CpuBackend, StopsWhenAsked) {
  const dataset::TestFolder folder;
  dataset::write_png(folder / "a_colors.png", forest::noise_frame(4, 4, 1).color);
  dataset::write_png(folder / "a_ground_truth.png", Array2<image::Rgb>(4, 4, image::Rgb{9, 9, 9}));
  const dataset::Dataset dataset = dataset::Dataset::open(folder.path());
  ThreadPool pool(1);
  const image::ClassMap classes = dataset.scan_truth(pool).classes;
  const image::Preparation lab{image::ChannelLayout({"lab"})};
  FrameStore store(dataset, classes, lab, 0);
  const TrainHooks hooks;
  ProgressMeter meter(hooks);
  SampleSet samples;
  samples.frames = {0};
  samples.frame_starts = {0, 200};
  for (int i = 0; i < 200; ++i) samples.append({i % 4, i / 4 % 4, 1}, static_cast<std::uint16_t>(i % 2));
  TrainOptions any = defaults_of(forest::ForestKind::kForest);
  any.thresholds = 1;
  const GrowingTree growing = start_tree(samples, 2, any);
  const OpenNodes nodes(growing);
  std::stop_source stop;
  CpuBackend backend(store, pool, {Isa::kBaseline, Gather::kGather}, {1 << 20}, stop.get_token(), meter);
  backend.start(samples, growing, nodes, any);
  const CandidateChunk chunk{0, {{{0, 0, 1, 1}, {0, 0, 1, 1}, 0, 0}}, Array2<float>(1, 1)};
  stop.request_stop();
  testdata::expect_refused(ErrorKind::kInterrupted, [&] { backend.evaluate(nodes, chunk, any); });
}

}  // namespace
}  // namespace fernwood::train
