// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/stream/train_stream.h"

#include "stream/train_stream_laws.h"

namespace fernwood::stream {
namespace {

INSTANTIATE_TEST_SUITE_P(OfTheProduct, EveryDivision,
                         testing::Combine(testing::ValuesIn(kSchedules), testing::Values(LeafSketchMaker{})),
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

TEST(TrainStream, PlacesToSplitAtFollowTheStream) {
  // From record 2000 on the values lie in another range, and determine the class.
  records::RecordTable table = empty_table(32000, 1, 2);
  for (std::uint32_t i = 0; i < 32000; ++i) {
    const float value = draw(5, RngStream::kSample, 3, 0, i).unit(0);
    table.values(i, 0) = i < 2000 ? value : 100 + value;
    table.labels[i] = i < 2000 ? static_cast<std::int32_t>(i % 2) : value > 0.5f;
  }
  StreamOptions options = options_for(Schedule::kHoeffding);
  options.batch = 1000, options.grace_period = 200;
  EXPECT_GT(accuracy(train(table, options), table, 2000), 0.97);
}

TEST(TrainStream, RefusesStreamsWithoutRecordsOrClasses) {
  const StreamOptions options = options_for(Schedule::kPasses);
  EXPECT_THROW(train(empty_table(0, 1, 1), options), Error);
  records::RecordTable table = clouds(10, 2);
  table.labels[7] = records::kNoClass;
  EXPECT_THROW(train(table, options), Error);
}

TEST(TrainStream, FindsPlacesAmongValuesThatAreFarFromWhatMostRecordsHave) {
  records::RecordTable table = empty_table(2000, 1, 2);
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const Draw drawn = draw(6, RngStream::kSample, 0, 0, i);
    table.values(i, 0) = drawn.below(0, 10) < 6 ? 0 : static_cast<float>(1990 + drawn.below(1, 31));
    table.labels[i] = table.values(i, 0) >= 2007 ? 1 : 0;
  }
  const records::RecordForest forest = train(table, {});
  EXPECT_EQ(accuracy(forest, table), 1);
  EXPECT_EQ(forest.trees[0].num_leaves(), 2u);
}

}  // namespace
}  // namespace fernwood::stream
