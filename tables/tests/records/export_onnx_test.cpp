// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>
#include <sstream>

#include "fernwood/core/error.h"
#include "fernwood/records/record_file.h"
#include "records/every_strategy.h"
#include "records/record_models.h"
#include "sentences.h"

namespace fernwood::records {

namespace {

std::string as_onnx(const RecordForest& forest) {
  std::ostringstream out;
  write_onnx(forest, out);
  return std::move(out).str();
}

/// A forest for one target, whose leaves have single-precision values.
RecordForest values_of_one_target(std::uint32_t seed) {
  const RecordForest grown =
      random_forest({.trees = 6, .depth = 5, .classes = 2, .link = Link::kLogistic, .nan = 2, .seed = seed});
  RecordForest forest = with_float_sums(grown, {.is_single = true});
  forest.float_sums->base = {0.5};
  return forest;
}

// python/tests/test_export_onnx.py compares the results of onnxruntime.
TEST(WriteOnnx, IsReadBackWithTheSameSums) {
  const RecordForest forest = values_of_one_target(61);
  const RecordForest read = import_text_of(as_onnx(forest), "forest.onnx", {});
  ASSERT_EQ(read.num_outputs(), 1u);
  ASSERT_EQ(read.attributes.size(), forest.attributes.size());
  for (std::uint32_t i = 0; i < 500; ++i) {
    std::vector<float> record;
    for (std::uint32_t a = 0; a < forest.attributes.size(); ++a)
      record.push_back(i % 7 == a ? not_a_number()
                                  : static_cast<float>(draw(62, RngStream::kScene, i, a, 0).below(0, 2001)) - 1000.0f);
    double expected = 0, found = 0;
    sum_values(forest, record.data(), &expected);
    sum_values(read, record.data(), &found);
    EXPECT_EQ(found, expected);
  }
}

TEST(WriteOnnx, EqualForestsGiveEqualFiles) {
  const RecordForest forest =
      random_forest({.trees = 5, .depth = 5, .classes = 3, .nan = 2, .seed = 63, .sets = 17, .missing = 3});
  EXPECT_EQ(as_onnx(forest), as_onnx(RecordForest(forest)));
  EXPECT_NE(as_onnx(forest), as_onnx(values_of_one_target(64)));
}

TEST(WriteOnnx, RefusesAForestWithoutTrees) {
  RecordForest forest = stumps({});
  std::ostringstream out;
  testdata::expect_refused(ErrorKind::kModel, [&] { write_onnx(forest, out); });
  EXPECT_EQ(out.str(), "");
}

}  // namespace

}  // namespace fernwood::records
