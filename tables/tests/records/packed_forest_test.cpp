// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Evaluates packed nodes, perfect trees and record groups on the host, with the functions that the kernels call.
#include "records/evaluate/packed_forest.h"

#include <gtest/gtest.h>

#include "records/held_value.h"
#include "records/record_models.h"
#include "sentences.h"

namespace fernwood::records {
namespace {

constexpr std::size_t kRecords = 500;

RecordForest example(int nan) {
  return random_forest(
      {.trees = 1, .depth = 12, .classes = 9, .growth = 0.9, .most_nodes = 601, .nan = nan, .seed = 21});
}

std::int32_t expected_class(const RecordForest& forest, const float* record) {
  std::vector<std::int32_t> sums(forest.num_outputs());
  sum_trees(forest, record, sums.data());
  return choose_class(forest.link, sums.data(), sums.size());
}

template <typename Held>
std::int32_t walk_packed(const EvaluationModel& model, const PackedForest& packed, const float* record) {
  PackedRecordNode node = packed.nodes[kRootSlot];
  while (!PackedBits::is_leaf(node.link))
    node =
        packed.nodes[packed_step<Held>(node, packed.bits, held<Held>(model, record, packed.bits.attribute(node.link)))];
  return static_cast<std::int32_t>(node.payload);
}

template <typename Held>
std::int32_t walk_heap(const EvaluationModel& model, const HeapForest& forest, const float* record) {
  const std::uint32_t* words = forest.words.data() + forest.trees[0].first_word;
  std::uint32_t test = 0;
  for (std::uint32_t level = 0; level < forest.trees[0].depth; ++level)
    test = 2 * test + 1 + heap_side<Held>(words, test, [&](std::uint32_t slot) {
             return held<Held>(model, record,
                               std::is_same_v<Held, Ranks16> ? slot : model.ranks.attributes[slot].attribute);
           });
  return static_cast<std::int32_t>(words[heap_answer<Held>(test, forest.trees[0].depth)]);
}

template <typename Held>
std::int32_t jump(const EvaluationModel& model, const LaneTree& tree, const float* record) {
  std::vector<std::int32_t> next;
  for (const LaneTest& lane : tree.lanes) {
    const auto value = held<Held>(model, record, tree.bits.attribute(lane.test.link));
    next.push_back(lane.next[Held::side(value, lane.test.payload, tree.bits.nan_left(lane.test.link))]);
  }
  for (std::uint32_t k = 0; k < tree.jumps; ++k) {
    const std::vector<std::int32_t> before = next;
    for (std::int32_t& each : next)
      if (each >= 0) each = before[static_cast<std::size_t>(each)];
  }
  return ~next[0];
}

template <typename Held>
void expect_same_classes(const RecordForest& forest, Values values) {
  const SharedModel model = make_evaluation_model(forest);
  ASSERT_EQ(packed_unsupported(*model, values), "");
  const PackedForest packed = pack(*model, values, AttributeNames::kRecord);
  const LaneTree tree = lane_tree(*model, values);
  ASSERT_EQ(heap_unsupported(*model), "");
  const HeapForest heaps = fill_up(*model, values);
  const std::vector<float> records = tricky_records(forest, kRecords, 3);
  for (std::size_t i = 0; i < kRecords; ++i) {
    const float* record = records.data() + i * forest.attributes.size();
    const std::int32_t expected = expected_class(forest, record);
    ASSERT_EQ(walk_packed<Held>(*model, packed, record), expected);
    ASSERT_EQ(jump<Held>(*model, tree, record), expected);
    ASSERT_EQ(walk_heap<Held>(*model, heaps, record), expected);
  }
}

TEST(PackedForest, EveryWayThroughATreeEndsInTheSameLeaf) {
  expect_same_classes<FloatsNanRight>(example(0), Values::kFloat);
  expect_same_classes<FloatsNanEither>(example(2), Values::kFloat);
  expect_same_classes<Ranks16>(example(0), Values::kRanks);
  expect_same_classes<Ranks16>(example(1), Values::kRanks);
}

TEST(PackedForest, RanksAreRefusedWhereTestsDisagreeAboutNanOrNothingIsAsked) {
  for (const RecordForest& forest : {example(2), random_forest({.depth = 0, .classes = 2, .seed = 4})})
    testdata::expect_sentence(packed_unsupported(*make_evaluation_model(forest), Values::kRanks).on_command_line());
}

TEST(HeapForest, IsRefusedForDeepTrees) {
  RecordForest deep;
  for (std::uint32_t seed = 1; summarize(deep).max_depth <= 12; ++seed)
    deep = random_forest({.depth = 40, .classes = 4, .growth = 0.6, .most_nodes = 301, .seed = seed});
  testdata::expect_sentence(heap_unsupported(*make_evaluation_model(deep)).on_command_line());
}

TEST(LaneTree, JumpsDoubleThePathUntilItReachesTheDepth) {
  const auto jumps_for = [](int depth) {
    return lane_tree(*make_evaluation_model(random_forest({.depth = depth, .seed = 4})), Values::kFloat).jumps;
  };
  EXPECT_EQ(jumps_for(0), 0u);
  EXPECT_EQ(jumps_for(1), 0u);
  EXPECT_EQ(jumps_for(2), 1u);
  EXPECT_EQ(jumps_for(8), 3u);
  EXPECT_EQ(jumps_for(9), 4u);
}

}  // namespace
}  // namespace fernwood::records
