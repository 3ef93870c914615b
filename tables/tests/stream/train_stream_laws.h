// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <tuple>

#include "fernwood/core/error.h"
#include "stream/grow/stream_rounds.h"
#include "stream/memory_source.h"
#include "stream/noise_values.h"

namespace fernwood::stream {

inline records::RecordTable empty_table(std::size_t num_records, std::size_t num_attributes, std::size_t num_classes) {
  records::RecordTable table;
  table.values = Array2<float>(num_records, num_attributes);
  for (std::size_t a = 0; a < num_attributes; ++a) table.attributes.push_back("a" + std::to_string(a));
  for (std::size_t c = 0; c < num_classes; ++c) table.classes.push_back("c" + std::to_string(c));
  table.labels.resize(num_records);
  return table;
}

/// Overlapping clouds of classes, with a tenth of the labels wrong. Attribute 1 has few values; attribute 2 has unknown
/// values, which also depend on the class; attribute 3 is noise, and attribute 4 is constant.
inline records::RecordTable clouds(std::size_t num_records, std::uint32_t num_classes, std::uint32_t series = 0) {
  records::RecordTable table = empty_table(num_records, 5, num_classes);
  for (std::uint32_t i = 0; i < num_records; ++i) {
    const Draw a = draw(5, RngStream::kSample, series, 0, i), b = draw(5, RngStream::kSample, series, 1, i);
    const std::uint32_t label = i < num_classes ? i : a.below(0, num_classes);
    const auto shift = static_cast<float>(label);
    float* const values = table.values.row(i);
    values[0] = 0.8f * shift + a.unit(1);
    values[1] = static_cast<float>((label * 3 + a.below(2, 4)) % 7) - 2;
    values[2] = b.below(0, 20) < 1 + label % 2 * 3 ? __builtin_nanf("") : a.unit(3) - 0.6f * shift;
    values[3] = b.unit(1);
    values[4] = 7;
    const bool is_wrong = i >= num_classes && b.below(2, 10) == 0;
    table.labels[i] = static_cast<std::int32_t>(is_wrong ? b.below(3, num_classes) : label);
  }
  return table;
}

inline records::RecordForest train(const records::RecordTable& table, StreamOptions options,
                                   Parallel parallel = Parallel::kDataFeature, int threads = 2,
                                   const LeafSketchMaker& sketches = {}, std::size_t memory_budget_bytes = 0) {
  if (!sketches.in_bins) options.leaf_prediction = LeafPrediction::kMajority;
  MemorySource source(table);
  const auto process = make_communicator();
  ThreadPool pool(threads);
  StreamWork work;
  work.parallel = parallel;
  work.memory_budget_bytes = memory_budget_bytes;
  records::RecordForest forest = train_stream_with(sketches, &source, options, work, pool, *process);
  records::check_records(forest, "forest");
  return forest;
}
inline records::RecordForest train(const records::RecordTable& table, const StreamOptions& options,
                                   const LeafSketchMaker& sketches) {
  return train(table, options, Parallel::kDataFeature, 2, sketches);
}

inline StreamOptions options_for(Schedule schedule) {
  StreamOptions options = StreamOptions::for_schedule(schedule);
  options.max_depth = 8;
  options.batch = 250;
  options.samples_per_leaf = 100;
  options.grace_period = 50;
  // Sure decisions need more records than tests have time for.
  if (schedule == Schedule::kHoeffding || schedule == Schedule::kAdaptive)
    options.failure_probability = options.tie = 0.2;
  return options;
}

inline double accuracy(const records::RecordForest& forest, const records::RecordTable& table, std::size_t begin = 0) {
  std::vector<std::int32_t> sums(forest.num_outputs());
  std::size_t num_right = 0;
  for (std::size_t i = begin; i < table.values.rows(); ++i) {
    records::sum_trees(forest, table.values.row(i), sums.data());
    num_right += records::choose_class(forest.link, sums.data(), sums.size()) == table.labels[i];
  }
  return static_cast<double>(num_right) / static_cast<double>(table.values.rows() - begin);
}

inline std::vector<std::size_t> records_of_leaves(const records::RecordTree& tree, const records::RecordTable& table) {
  std::vector<std::size_t> counts(tree.num_leaves());
  for (std::size_t i = 0; i < table.values.rows(); ++i) {
    const float* const values = table.values.row(i);
    ++counts[static_cast<std::size_t>(records::find_leaf_of(tree.nodes, [&](std::size_t a) { return values[a]; }))];
  }
  return counts;
}

/// Properties of all schedules and leaf sketches. Each program instantiates the tests for its own sketches.
class EveryDivision : public testing::TestWithParam<std::tuple<Schedule, LeafSketchMaker>> {};

TEST_P(EveryDivision, GrowsTheSameTree) {
  const auto& [schedule, sketches] = GetParam();
  for (const std::uint32_t num_classes : {2u, 5u}) {
    const records::RecordTable table = clouds(2000, num_classes);
    StreamOptions options = options_for(schedule);
    options.criterion = num_classes == 2 ? records::Criterion::kGini : records::Criterion::kEntropy;
    const records::RecordForest forest = train(table, options, Parallel::kSequential, 1, sketches);
    EXPECT_GE(forest.trees[0].num_leaves(), 4u);
    for (const Parallel parallel : kParallels)
      for (int threads = 1; threads <= 4; ++threads) {
        const bool shares_records = parallel == Parallel::kData ? threads > 1 : threads == 4;
        const bool depends =
            !sketches.exact && shares_records && (parallel == Parallel::kData || parallel == Parallel::kDataFeature);
        const records::RecordForest expected = depends ? train(table, options, parallel, threads, sketches) : forest;
        ASSERT_TRUE(train(table, options, parallel, threads, sketches) == expected)
            << to_string(parallel) << " by " << threads << " threads";
      }
  }
}

TEST_P(EveryDivision, LeavesHaveSharesOfClassesHoweverDeepTheTree) {
  const auto& [schedule, sketches] = GetParam();
  records::RecordTable table = clouds(4000, 5);
  for (std::uint32_t i = 5; i < 4000; ++i) table.labels[i] = static_cast<std::int32_t>(noise(3, i) % 5);
  StreamOptions options = options_for(schedule);
  options.max_depth = 20, options.samples_per_leaf = 20, options.batch = 100, options.grace_period = 5;
  options.failure_probability = 0;
  options.leaf_prediction = LeafPrediction::kMajority;
  const records::RecordTree tree = train(table, options, sketches).trees[0];
  EXPECT_GT(tree.depth(), 7);
  for (std::size_t leaf = 0; leaf < tree.num_leaves(); ++leaf) {
    const std::int32_t* const values = tree.leaf_values.row(leaf);
    ASSERT_EQ(std::accumulate(values, values + 5, 0), 1 << 28) << leaf;
    ASSERT_GE(*std::min_element(values, values + 5), 0) << leaf;
  }
}

TEST_P(EveryDivision, AClassThatAppearsLateIsLearnt) {
  const auto& [schedule, sketches] = GetParam();
  records::RecordTable table = clouds(6000, 3);
  // Exchanges records of class 2 with others of the second half.
  std::size_t first = 0;
  for (std::size_t i = 0; i < 3000; ++i) {
    if (table.labels[i] != 2) continue;
    while (first < 3000 && table.labels[3000 + first] == 2) ++first;
    if (first == 3000) break;
    std::swap_ranges(table.values.row(i), table.values.row(i) + 5, table.values.row(3000 + first));
    std::swap(table.labels[i], table.labels[3000 + first]);
  }
  ASSERT_GT(std::ranges::find(table.labels, 2) - table.labels.begin(), 2000);
  StreamOptions options = options_for(schedule);
  options.samples_per_leaf = 1500;
  const records::RecordForest forest = train(table, options, sketches);
  EXPECT_EQ(forest.classes.size(), 3u);
  EXPECT_GT(accuracy(forest, clouds(2000, 3, 2)), 0.75);
}

/// Properties of all leaf sketches in passes.
class EveryStreamSketch : public testing::TestWithParam<LeafSketchMaker> {};
/// Properties of the leaf sketches that have exact counts on the sides of a split.
class EveryExactStreamSketch : public testing::TestWithParam<LeafSketchMaker> {};

TEST_P(EveryExactStreamSketch, OfTheSplitsOfALevelThatWhichGainsMostComesFirst) {
  // Attribute 0 separates 90 + 10 records from 60 + 40, which attribute 1 would make pure: gains of 18 and of 48.
  records::RecordTable table = empty_table(200, 2, 4);
  for (std::size_t i = 0; i < 200; ++i) {
    const bool high = i >= 100, odd = i % 100 >= (high ? 60 : 90);
    table.values(i, 0) = high, table.values(i, 1) = odd;
    table.labels[i] = 2 * high + odd;
  }
  StreamOptions options = options_for(Schedule::kPasses);
  options.max_leaves = 3;
  const records::RecordTree tree = train(table, options, GetParam()).trees[0];
  EXPECT_EQ(tree.nodes,
            (std::vector<records::RecordNode>{{0.5f, 1, 0, 0}, {0, ~0}, {0.5f, 3, 1, 0}, {0, ~1}, {0, ~2}}));
}

TEST_P(EveryExactStreamSketch, NoLeafHasFewerRecordsThanAllowed) {
  const records::RecordTable table = clouds(3000, 3);
  StreamOptions options = options_for(Schedule::kPasses);
  options.max_depth = 20, options.min_leaf_samples = 37;
  const records::RecordTree tree = train(table, options, GetParam()).trees[0];
  EXPECT_GT(tree.num_leaves(), 15u);
  EXPECT_GE(std::ranges::min(records_of_leaves(tree, table)), 37u);
}

TEST_P(EveryStreamSketch, MemoryForFewLeavesOnlyMakesMorePassesOfTheSameTree) {
  const records::RecordTable table = clouds(2000, 3);
  const StreamOptions options = options_for(Schedule::kPasses);
  EXPECT_TRUE(train(table, options, Parallel::kDataFeature, 1, GetParam(), 1) ==
              train(table, options, Parallel::kSequential, 1, GetParam()));
}

}  // namespace fernwood::stream
