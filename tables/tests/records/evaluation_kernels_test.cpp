// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/evaluation_kernels.h"

#include <gtest/gtest.h>

#include "records/evaluate/block_columns.h"
#include "records/evaluate/cut_forest.h"
#include "records/record_models.h"

namespace fernwood::records {
namespace {

constexpr std::size_t kKernelRecords = 256;

/// A tree of seven levels with nine classes, records, and the class of each record.
struct Example {
  RecordForest forest;
  std::vector<float> rows;
  std::vector<std::int32_t> classes;
  RecordView view() const { return records_by_rows(rows.data(), kKernelRecords, forest.attributes.size()); }
};
Example make_example(int nan) {
  Example example;
  example.forest = random_forest({.depth = 7, .classes = 9, .attributes = 6, .growth = 0.97, .nan = nan, .seed = 21});
  example.rows = tricky_records(example.forest, kKernelRecords, 3);
  std::vector<std::int32_t> sums(9);
  for (std::size_t i = 0; i < kKernelRecords; ++i) {
    sum_trees(example.forest, example.rows.data() + i * 6, sums.data());
    example.classes.push_back(choose_class(example.forest.link, sums.data(), 9));
  }
  return example;
}

/// Checks that the kernels of each instruction set compute the classes by merging the tree, and by merging its layers
/// and walking the rest.
template <typename T>
void check_kernels(const EvaluationModel& model, const BlockValues<T>& values, const NodeOf<T>* nodes,
                   const std::vector<std::int32_t>& classes) {
  const CutForest<T> merged = cut_forest<T>(model, Cut::kAll), layered = cut_forest<T>(model, Cut::kLayers);
  const CutTree &of_any = merged.trees[0], &of_layers = layered.trees[0];
  ASSERT_GE(of_layers.num_layers, 5u);  // more than one chunk
  const NanSide side = model.flat.nan_side;
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(to_string(isa));
    const EvaluationKernels& kernels = evaluation_kernels(isa);
    std::vector<std::int32_t> places(kKernelRecords, -1);
    AlignedVector<Lane<T>> lanes((merged.most_exits + merged.most_tests) * kGroup<T>);
    for (std::size_t i = 0; i < merged.most_exits * kGroup<T>; ++i) lanes[i] = static_cast<Lane<T>>(i / kGroup<T>);
    kernels.merge->of(side, T{})({{merged.tests.data(), of_any.num_tests},
                                  merged.most_exits * kGroup<T>,
                                  merged.exits.data(),
                                  values,
                                  lanes.data(),
                                  places.data()});
    EXPECT_EQ(places, classes) << "merge";

    kernels.merge_layers->of(
        side, T{})({layered.layer_tests.data(), of_layers.num_layers, layered.exits.data(), values, places.data()});
    kernels.walk->of(side, T{})({nodes, model.flat.bits, of_layers.num_steps, values, places.data()});
    if (of_layers.num_steps > 0)
      for (std::int32_t& place : places) place = model.flat.answers[static_cast<std::size_t>(place)];
    EXPECT_EQ(places, classes) << "layers and walk";
  }
}

TEST(EvaluationKernels, EveryInstructionSetFindsTheClassOfFloats) {
  for (const int nan : {0, 1, 2}) {
    SCOPED_TRACE(nan);
    const Example example = make_example(nan);
    const SharedModel model = make_evaluation_model(example.forest);
    BlockColumns<float> columns(kKernelRecords, 6);
    check_kernels<float>(*model, FloatColumns(example.forest).fill(example.view(), columns), model->flat.nodes.data(),
                         example.classes);
  }
}

TEST(EvaluationKernels, EveryInstructionSetFindsTheClassOfRanks) {
  const Example example = make_example(0);
  const SharedModel model = make_evaluation_model(example.forest);
  const std::vector<RankNode> nodes = rank_nodes(*model);
  const RankColumns ranks(model->ranks);
  BlockColumns<std::uint16_t> words(kKernelRecords, 6);
  check_kernels<std::uint16_t>(*model, ranks.fill(example.view(), words), nodes.data(), example.classes);
  ASSERT_TRUE(model->ranks.fits_8_bits());
  BlockColumns<std::uint8_t> bytes(kKernelRecords, 6);
  check_kernels<std::uint8_t>(*model, ranks.fill(example.view(), bytes), nodes.data(), example.classes);
}

/// Thresholds in [0, 1), of which the first `crowded` lie below 0.001.
RecordForest forest_of_thresholds(int count, int crowded) {
  std::vector<std::pair<int, float>> tests;
  for (int i = 0; i < count; ++i) {
    const float place = static_cast<float>(i) / static_cast<float>(count);
    tests.emplace_back(0, i < crowded ? place * 0.001f : place);
  }
  return stumps(tests);
}

TEST(EvaluationKernels, RanksAreTheNumbersOfThresholdsBelow) {
  for (const auto& [count, crowded] : {std::pair{3, 0}, {64, 0}, {300, 0}, {300, 3}, {300, 12}, {300, 200}}) {
    SCOPED_TRACE(std::to_string(count) + " thresholds, crowded " + std::to_string(crowded));
    const RankTable table = rank_thresholds(forest_of_thresholds(count, crowded));
    std::vector<float> values = {not_a_number(), -1, 2, 0, 3e38f, -3e38f};
    for (float threshold : table.thresholds) {
      values.push_back(threshold);
      values.push_back(std::nextafter(threshold, 9.0f));
    }
    values.resize(kKernelRecords);
    const RecordView view{values.data(), values.size(), 1, 1, 1};
    BlockColumns<std::uint16_t> columns(kKernelRecords, 1);
    const BlockValues<std::uint16_t> ranks = RankColumns(table).fill(view, columns);
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(ranks.at(i, 0), rank_or_nan(table.view(), table.attributes[0], values[i])) << values[i];
  }
}

}  // namespace
}  // namespace fernwood::records
