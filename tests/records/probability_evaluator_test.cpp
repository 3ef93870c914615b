// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>

#include "fernwood/records/evaluator.h"
#include "records/every_strategy.h"

namespace fernwood::records {
namespace {

TEST(ProbabilityEvaluator, GivesTheProbabilitiesOfEveryForestBitForBit) {
  for (const ForestKind& kind : forest_kinds()) {
    const RecordForest forest = forest_of(kind);
    const std::size_t num_attributes = forest.attributes.size(), num_classes = forest.classes.size();
    const std::size_t num_records = kind.num_records;
    const std::vector<float> values = tricky_records(forest, num_records, 5);
    ProbabilityEvaluator evaluator(forest, 2);
    std::vector<float> found(num_records * num_classes), expected(num_classes);
    evaluator.find(records_by_rows(values.data(), num_records, num_attributes), found.data());
    std::vector<std::int32_t> sums(forest.num_outputs());
    for (std::size_t i = 0; i < num_records; ++i) {
      sum_trees(forest, values.data() + i * num_attributes, sums.data());
      probabilities_of(forest, sums.data(), expected.data());
      for (std::size_t c = 0; c < num_classes; ++c)
        ASSERT_EQ(found[i * num_classes + c], expected[c]) << kind.name << ", record " << i << ", class " << c;
    }
  }
}

}  // namespace
}  // namespace fernwood::records
