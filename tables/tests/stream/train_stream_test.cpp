// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/stream/train_stream.h"

#include "stream/stream_runs.h"
#include "stream/train_stream_laws.h"

namespace fernwood::stream {
namespace {

INSTANTIATE_TEST_SUITE_P(OfTheProduct, EveryDivision,
                         testing::Combine(testing::ValuesIn(kSchedulesOfOneTree), testing::Values(LeafSketchMaker{})),
                         [](const auto& info) { return to_string(std::get<0>(info.param)); });
INSTANTIATE_TEST_SUITE_P(OfTheProduct, EveryStreamSketch, testing::Values(LeafSketchMaker{}),
                         [](const auto&) { return "bins"; });
INSTANTIATE_TEST_SUITE_P(OfTheProduct, EveryExactStreamSketch, testing::Values(LeafSketchMaker{}),
                         [](const auto&) { return "bins"; });

TEST(TrainStream, ALeafHasTheSharesOfAllRecordsAlsoOfThoseBeforeALateClass) {
  // There is no attribute to split by; the third class appears in the middle of a round.
  records::RecordTable table = empty_table(100000, 1, 3);
  for (std::size_t i = 0; i < 100000; ++i) table.labels[i] = i < 80000 ? static_cast<std::int32_t>(i % 2) : 2;
  StreamOptions options = options_for(Schedule::kHoeffding);
  options.batch = 1000000;
  const records::RecordTree tree = train(table, options).trees[0];
  ASSERT_EQ(tree.num_leaves(), 1u);
  for (const auto& [c, share] : {std::pair(0, 0.4), std::pair(1, 0.4), std::pair(2, 0.2)})
    EXPECT_NEAR(tree.leaf_values(0, static_cast<std::size_t>(c)), share * (1 << 28), 1);
}

TEST(TrainStream, RefusesStreamsWithoutRecordsOrClasses) {
  const StreamOptions options = options_for(Schedule::kPasses);
  EXPECT_THROW(train(empty_table(0, 1, 1), options), Error);
  records::RecordTable table = clouds(10, 2);
  table.labels[7] = records::kNoClass;
  EXPECT_THROW(train(table, options), Error);
}

}  // namespace
}  // namespace fernwood::stream
