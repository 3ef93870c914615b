// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/wide_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "records/imported.h"

namespace fernwood::records {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

std::vector<float> ranks_of(const WideForest& wide, const std::vector<double>& values, std::size_t num_attributes) {
  ThreadPool pool(2);
  std::vector<float> ranks(values.size());
  const WideView view = {values.data(), values.size() / num_attributes, num_attributes,
                         static_cast<std::ptrdiff_t>(num_attributes), 1};
  rank_records(wide, view, pool, ranks.data());
  return ranks;
}

TEST(WideRecords, RanksTellApartWhatFloatsDoNot) {
  // size <= 0.1 in 64 bits; the next double goes right, although both round to the same float.
  const WideForest wide = import_wide_text(kLightgbmModel, "model");
  EXPECT_THAT(wide.thresholds, ElementsAre(ElementsAre(0.1), ElementsAre(-2.0)));
  const std::vector<double> sizes = {0.1, std::nextafter(0.1, 1.0), -INFINITY, INFINITY};
  std::vector<double> values;
  for (const double size : sizes) values.insert(values.end(), {size, -2});
  EXPECT_THAT(ranks_of(wide, values, 2), ElementsAre(0, 1, 0, 1, 0, 0, 0, 0));
  EXPECT_THAT(sums_of(wide.forest, {0, 0}), ElementsAre(1.25));
  EXPECT_THAT(sums_of(wide.forest, {1, 0}), ElementsAreArray(sums_of(import_text(kLightgbmModel), {0.2f, -2})));
}

TEST(WideRecords, UnknownValuesStayUnknown) {
  const WideForest wide = import_wide_text(kLightgbmModel, "model");
  const std::vector<float> ranks = ranks_of(wide, {std::nan(""), std::nan("")}, 2);
  EXPECT_TRUE(std::isnan(ranks[0]) && std::isnan(ranks[1]));
  const std::vector<float> unknown = {ranks[0], ranks[1]};
  EXPECT_EQ(sums_of(wide.forest, unknown), sums_of(import_text(kLightgbmModel), unknown));
}

TEST(WideRecords, RanksAreThoseOfASearch) {
  WideForest wide;
  for (std::size_t count = 0; count <= 40; ++count) {
    wide.thresholds = {{}};
    for (std::size_t i = 0; i < count; ++i) wide.thresholds[0].push_back(static_cast<double>(3 * i));
    std::vector<double> values;
    std::vector<float> expected;
    for (int v = -1; v < 130; ++v) {
      values.push_back(v);
      expected.push_back(static_cast<float>(std::min<int>(static_cast<int>(count), v < 1 ? v : (v + 2) / 3)));
      if (v < 1) expected.back() = 0;
    }
    EXPECT_THAT(ranks_of(wide, values, 1), ElementsAreArray(expected)) << count;
  }
}

TEST(WideRecords, CategoriesKeepTheirNumbersAndWhetherTheyHaveAFraction) {
  const std::string model =
      with(with(with(kLightgbmModel, "num_cat=0", "num_cat=1\ncat_boundaries=0 1\ncat_threshold=2"),
                "decision_type=10 2", "decision_type=9 2"),
           "threshold=0.10000000000000001", "threshold=0");
  const WideForest wide = import_wide_text(model, "model");
  EXPECT_THAT(wide.categories, ElementsAre(0));
  const double under_two = std::nextafter(2.0, 0.0);  // rounds to the float 2
  const std::vector<double> sizes = {0, 1, under_two, -1e-9, -1, -INFINITY, INFINITY, 4e9};
  std::vector<double> values;
  for (const double size : sizes) values.insert(values.end(), {size, -2});
  std::vector<float> categories = ranks_of(wide, values, 2);
  categories.resize(sizes.size());
  EXPECT_THAT(categories, ElementsAre(0, 1, 1.5, -0.5, -1, -2, 16777216, 16777216));
  EXPECT_THAT(sums_of(wide.forest, {1.5, 0}), ElementsAre(1.25));
  EXPECT_TRUE(std::isnan(ranks_of(wide, {std::nan(""), 0}, 2)[0]));
}

TEST(WideRecords, ZerosThatAreMissingAreUnknown) {
  const WideForest wide = import_wide_text(with(kLightgbmModel, "decision_type=10", "decision_type=6"), "model");
  EXPECT_TRUE(wide.forest.columns.empty());  // a rank of 0 is not a zero value
  const std::vector<float> ranks = ranks_of(wide, {0, -2, 1e-36, 0, 1, 0}, 2);
  EXPECT_TRUE(std::isnan(ranks[0]) && std::isnan(ranks[1]));
  EXPECT_THAT((std::vector<float>{ranks.begin() + 2, ranks.end()}), ElementsAre(1, 0, 1, 1));
}

TEST(WideRecords, LinearLeavesAskValuesAndNotRanks) {
  const WideForest wide = import_wide_text(kLightgbmLinear, "model");
  const double exact = 0.1 + std::ldexp(1.0, -50);  // not representable as a float
  const std::vector<double> values = {-1, exact, std::nan(""), exact};
  ThreadPool pool(1);
  std::vector<double> sums(2);
  const std::vector<RecordTree>& trees = wide.forest.trees;
  const std::size_t last = trees[0].linear_leaves[1].terms.size() == 3 ? 1 : 2;  // depends on the order of nodes
  const std::int32_t first = trees[0].leaf_numbers[last], second = trees[1].leaf_numbers[0];
  const std::vector<std::int32_t> leaves = {first, second, first, second};
  sum_wide_leaves(wide, {values.data(), 2, 2, 2, 1}, leaves.data(), 2, pool, sums.data());
  EXPECT_THAT(sums, ElementsAre(0.25 + 1e-17 * -1 + 4 * -1 - exact + 0.125, 0.25 + 0.125));
  sum_wide_leaves(wide, {values.data(), 1, 2, 2, 1}, leaves.data(), 1, pool, sums.data());
  EXPECT_EQ(sums[0], 0.25 + 1e-17 * -1 + 4 * -1 - exact) << "of the first iteration";
  EXPECT_THROW(sum_wide_leaves(wide, {values.data(), 1, 4, 4, 1}, leaves.data(), 2, pool, sums.data()), Error);
}

TEST(WideRecords, OtherModelsAndOtherRecordsAreRefused) {
  EXPECT_THROW(import_wide_text(kXgboostModel, "model"), Error);
  EXPECT_THROW(ranks_of(import_wide_text(kLightgbmModel, "model"), {1, 2, 3}, 3), Error);
}

}  // namespace
}  // namespace fernwood::records
