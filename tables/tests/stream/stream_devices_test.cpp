// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>

#include "core/failing_gpu.h"
#include "devices.h"
#include "fernwood/core/error.h"
#include "fernwood/stream/train_stream.h"
#include "stream/noise_values.h"
#include "stream/stream_runs.h"

namespace fernwood::stream {
namespace {

/// Random records whose class depends on a sum of some attributes, where these are known.
records::RecordTable noise_table(std::uint32_t num_records, std::uint32_t num_attributes, std::uint32_t num_classes,
                                 float unknown) {
  records::RecordTable table;
  table.values = Array2<float>(num_records, num_attributes);
  for (std::uint32_t c = 0; c < num_classes; ++c) table.classes.push_back("class " + std::to_string(c));
  for (std::uint32_t a = 0; a < num_attributes; ++a) {
    table.attributes.push_back("attribute " + std::to_string(a));
    const std::vector<float> column = noise_values(a, num_records, -1, 2);
    for (std::uint32_t i = 0; i < num_records; ++i)
      table.values(i, a) = a % 3 == 2 ? static_cast<float>(static_cast<int>(column[i] * 5)) / 5 : column[i];
  }
  const std::vector<float> errors = noise_values(300, num_records, -0.2f, 0.4f);
  for (std::uint32_t i = 0; i < num_records; ++i) {
    const float sum = table.values(i, 0) + table.values(i, 1) * table.values(i, num_attributes - 1) + errors[i];
    const auto label = static_cast<std::int32_t>((sum + 1) / 2 * static_cast<float>(num_classes));
    table.labels.push_back(std::clamp(label, 0, static_cast<std::int32_t>(num_classes) - 1));
  }
  for (std::uint32_t a = 0; a < num_attributes; ++a)
    for (std::uint32_t i = 0; i < num_records; ++i)
      if (static_cast<float>(noise(200 + a, i)) < unknown * 4294967296.0f) table.values(i, a) = __builtin_nanf("");
  return table;
}

records::RecordForest train_with(const records::RecordTable& table, const StreamOptions& options,
                                 const StreamWork& work) {
  const auto source = make_table_source("noise", table);
  ThreadPool pool(2);
  const auto alone = make_communicator();
  return train_stream(source.get(), options, work, pool, *alone);
}

class SameStreamTree : public testing::TestWithParam<Schedule> {
 protected:
  void SetUp() override {
    if (is_missing(gpus().front())) GTEST_SKIP() << gpu_status().problem;
    options_ = StreamOptions::for_schedule(GetParam());
  }
  void expect_same(const records::RecordTable& table, std::size_t least_leaves, std::size_t memory_budget_bytes = 0) {
    StreamWork work;
    work.memory_budget_bytes = memory_budget_bytes;
    const records::RecordForest expected = train_with(table, options_, work);
    EXPECT_GE(expected.trees[0].num_leaves(), least_leaves);
    work.device = to_string(gpus().front());
    EXPECT_EQ(train_with(table, options_, work), expected);
  }

  StreamOptions options_;
};
INSTANTIATE_TEST_SUITE_P(EverySchedule, SameStreamTree, testing::ValuesIn(kSchedulesOfOneTree),
                         [](const auto& schedule) { return to_string(schedule.param); });

TEST_P(SameStreamTree, GrowsOnTheGpuAsOnTheCpu) {
  expect_same(noise_table(20000, 9, 2, 0), 3);
  options_.bins = 64;
  if (options_.schedule != Schedule::kAdaptive) options_.max_leaves = 64;  // not supported by the adaptive schedule
  expect_same(noise_table(100000, 5, 2, 0), 3);
}

TEST_P(SameStreamTree, GrowsFromUnknownValuesAndManyClasses) {
  options_.min_leaf_samples = 3;
  expect_same(noise_table(20000, 6, 5, 0.2f), 3);
  options_.criterion = records::Criterion::kEntropy;
  expect_same(noise_table(20000, 6, 26, 0.1f), 3);
}

TEST_P(SameStreamTree, GrowsInLittleMemory) {
  options_.bins = 30;
  expect_same(noise_table(15000, 4, 4, 0), 3, 100000);
}

TEST_P(SameStreamTree, GrowsAfterTheGpusMemoryRanOutAtAnyAllocation) {
  const records::RecordTable table = noise_table(5000, 5, 3, 0.1f);
  const records::RecordForest expected = train_with(table, options_, {});
  StreamWork work;
  work.device = to_string(gpus().front());
  expect_gpu_memory_errors([&] { EXPECT_EQ(train_with(table, options_, work), expected); });
  EXPECT_EQ(train_with(table, options_, work), expected);
}

TEST(StreamDevices, SaysThatABuildWithoutCudaHasNone) {
  if (gpu_status().built) GTEST_SKIP() << "this build has CUDA";
  StreamWork work;
  work.device = "cuda:0";
  try {
    train_with(noise_table(10, 2, 2, 0), {}, work);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDevice);
    EXPECT_EQ(error.sentence(), "cuda:0: " + gpu_status().problem);
  }
}

}  // namespace
}  // namespace fernwood::stream
