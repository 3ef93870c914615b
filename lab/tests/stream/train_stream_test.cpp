// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/stream/train_stream.h"

#include <unistd.h>

#include "fernwood/records/train_records.h"
#include "lab/stream/value_sketches.h"
#include "sentences.h"
#include "stream/stream_runs.h"
#include "stream/train_stream_laws.h"

namespace fernwood::stream {

INSTANTIATE_TEST_SUITE_P(OfTheExperiments, EveryDivision,
                         testing::Combine(testing::ValuesIn(kSchedulesOfOneTree),
                                          testing::Values(lab::exact_leaf_sketches(), lab::ben_haim_leaf_sketches())),
                         [](const auto& info) {
                           const bool exact = std::get<1>(info.param).exact;
                           return to_string(std::get<0>(info.param)) + (exact ? "_exact" : "_ben_haim");
                         });
INSTANTIATE_TEST_SUITE_P(OfTheExperiments, EveryStreamSketch,
                         testing::Values(lab::exact_leaf_sketches(), lab::ben_haim_leaf_sketches()),
                         [](const auto& info) { return info.param.exact ? "exact" : "ben_haim"; });
INSTANTIATE_TEST_SUITE_P(OfTheExperiments, EveryExactStreamSketch, testing::Values(lab::exact_leaf_sketches()),
                         [](const auto&) { return "exact"; });

}  // namespace fernwood::stream

namespace fernwood::lab {
namespace {

using stream::clouds;
using stream::empty_table;
using stream::options_for;
using stream::Schedule;
using stream::StreamOptions;
using stream::StreamWork;
using stream::train;

class ExactPasses : public testing::TestWithParam<std::tuple<records::Criterion, int, int>> {};
INSTANTIATE_TEST_SUITE_P(TrainStream, ExactPasses,
                         testing::Combine(testing::ValuesIn(records::kCriteria), testing::Values(2, 5),
                                          testing::Values(6, 24)));

TEST_P(ExactPasses, GrowTheTreeOfTheExactTrainer) {
  const auto [criterion, num_classes, depth] = GetParam();
  for (std::uint32_t series = 0; series < 4; ++series)
    for (const int min_leaf_samples : {1, 5}) {
      const records::RecordTable table = clouds(1500, static_cast<std::uint32_t>(num_classes), series);
      StreamOptions options = options_for(Schedule::kPasses);
      options.criterion = criterion, options.max_depth = depth, options.min_leaf_samples = min_leaf_samples;
      const records::RecordForest forest = train(table, options, exact_leaf_sketches());
      ThreadPool pool(1);
      const records::RecordForest expected = records::train_records(table,
                                                                    {.trees = 1,
                                                                     .max_depth = depth,
                                                                     .min_leaf_samples = min_leaf_samples,
                                                                     .criterion = criterion,
                                                                     .bootstrap = false},
                                                                    pool);
      const records::RecordTree &tree = forest.trees[0], &exact = expected.trees[0];
      EXPECT_EQ(forest.classes, expected.classes);
      ASSERT_EQ(tree.nodes.size(), exact.nodes.size());
      for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
        const records::RecordNode &node = tree.nodes[n], &other = exact.nodes[n];
        ASSERT_EQ(node, other) << "series " << series << ", node " << n << ": attribute " << node.attribute << " at "
                               << node.threshold << " instead of " << other.attribute << " at " << other.threshold;
      }
      const double unit = std::exp2(-forest.fraction_bits), exact_unit = std::exp2(-expected.fraction_bits);
      for (std::size_t i = 0; i < tree.leaf_values.size(); ++i)
        ASSERT_NEAR(tree.leaf_values.data()[i] * unit, exact.leaf_values.data()[i] * exact_unit, 2 * unit);
    }
}

TEST(TrainStreamExactly, ASplitThatGainsNothingIsMadeHoweverItsGainIsRounded) {
  // Both sides have equal class shares, but their rounded purities sum to less than that of the node: 1 + 2 against 7 +
  // 14 records for Gini, 1 + 1 against 5 + 5 for entropy.
  for (const auto& [criterion, ones, left, right] :
       {std::tuple(records::Criterion::kGini, 2u, 1u, 7u), std::tuple(records::Criterion::kEntropy, 1u, 1u, 5u)}) {
    records::RecordTable table = empty_table((1 + ones) * (left + right), 1, 2);
    for (std::size_t i = 0; i < table.labels.size(); ++i) {
      table.labels[i] = i % (1 + ones) > 0;
      table.values(i, 0) = i >= (1 + ones) * left;
    }
    StreamOptions options = options_for(Schedule::kPasses);
    options.criterion = criterion;
    EXPECT_EQ(train(table, options, exact_leaf_sketches()).trees[0].num_leaves(), 2u) << to_string(criterion);
  }
}

TEST(TrainStreamExactly, OnAGpuIsRefused) {
  const records::RecordTable table = clouds(10, 2);
  testdata::expect_refused(ErrorKind::kUsage, [&] {
    const auto source = stream::make_table_source("clouds", table);
    ThreadPool pool(1);
    StreamWork work;
    work.device = "cuda:0";
    train_stream_with(exact_leaf_sketches(), source.get(), {}, work, pool, *make_communicator());
  });
}

TEST(TrainStreamExactly, CheckpointsOfOtherSketchesAreRefusedByName) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / ("fernwood_sketches_" + std::to_string(::getpid()));
  const records::RecordTable table = clouds(2000, 3);
  const StreamOptions options = options_for(Schedule::kFresh);
  const auto grow = [&](const stream::LeafSketchMaker& sketches, bool resume) {
    const auto source = stream::make_table_source("clouds", table);
    ThreadPool pool(1);
    StreamWork work;
    work.checkpoint = {path, 0, resume};
    return train_stream_with(sketches, source.get(), options, work, pool, *make_communicator());
  };
  const records::RecordForest forest = grow(exact_leaf_sketches(), false);
  EXPECT_TRUE(grow(exact_leaf_sketches(), true) == forest);
  testdata::expect_refused(ErrorKind::kUsage, [&] { grow({}, true); });
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace fernwood::lab
