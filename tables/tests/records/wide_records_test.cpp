// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/wide_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "fernwood/records/evaluator.h"
#include "fernwood/records/table_reader.h"
#include "records/imported.h"
#include "records/record_bytes_of.h"

namespace fernwood::records {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

WideView view_of(const std::vector<double>& values, std::size_t num_attributes) {
  return {values.data(), values.size() / num_attributes, num_attributes, static_cast<std::ptrdiff_t>(num_attributes),
          1};
}

std::vector<float> ranks_of(const WideForest& wide, const std::vector<double>& values, std::size_t num_attributes) {
  std::vector<float> ranks;
  rank_records(wide, view_of(values, num_attributes), 2, ranks);
  return ranks;
}

WideForest import_wide(const std::string& text) { return WideForest(import_text(text)); }

TEST(WideRecords, RanksTellApartWhatFloatsDoNot) {
  // size <= 0.1 in 64 bits; the next double goes right, although both round to the same float.
  const WideForest wide = import_wide(kLightgbmModel);
  EXPECT_THAT(wide.thresholds, ElementsAre(ElementsAre(0.1), ElementsAre(-2.0)));
  const std::vector<double> sizes = {0.1, std::nextafter(0.1, 1.0), -INFINITY, INFINITY};
  std::vector<double> values;
  for (const double size : sizes) values.insert(values.end(), {size, -2});
  EXPECT_THAT(ranks_of(wide, values, 2), ElementsAre(0, 1, 0, 1, 0, 0, 0, 0));
  EXPECT_THAT(sums_of(wide.forest, {0, 0}), ElementsAre(1.25));
  EXPECT_THAT(sums_of(wide.forest, {1, 0}), ElementsAreArray(sums_of(import_text(kLightgbmModel), {0.2f, -2})));
}

TEST(WideRecords, RanksAreThoseOfASearch) {
  WideForest wide = import_wide(kTreeliteModel);
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
  const WideForest wide = import_wide(model);
  EXPECT_THAT(wide.is_category, ElementsAre(true, false));
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
  const WideForest wide = import_wide(with(kLightgbmModel, "decision_type=10", "decision_type=6"));
  EXPECT_TRUE(wide.forest.columns.empty());  // a rank of 0 is not a zero value
  const std::vector<float> ranks = ranks_of(wide, {0, -2, 1e-36, 0, 1, 0}, 2);
  EXPECT_TRUE(std::isnan(ranks[0]) && std::isnan(ranks[1]));
  EXPECT_THAT((std::vector<float>{ranks.begin() + 2, ranks.end()}), ElementsAre(1, 0, 1, 1));
}

TEST(WideRecords, LinearLeavesAskValuesAndNotRanks) {
  const WideForest wide = import_wide(kLightgbmLinear);
  const double exact = 0.1 + std::ldexp(1.0, -50);  // not representable as a float
  const std::vector<double> values = {-1, exact, std::nan(""), exact};
  std::vector<float> ranks;
  const RecordView view = rank_records(wide, view_of(values, 2), 1, ranks);
  std::vector<double> sums(2);
  ValueEvaluator evaluator(wide.forest, {.device = "cpu", .threads = 1, .remember = false});
  evaluator.find_margins(view, sums.data());
  EXPECT_THAT(sums, ElementsAre(0.25 + 1e-17 * -1 + 4 * -1 - exact + 0.125, 0.25 + 0.125));
  evaluator.find_margins(view.part(1, 1), sums.data());
  EXPECT_EQ(sums[0], 0.25 + 0.125) << "of a part";
}

TEST(WideRecords, AModelFileKeepsThresholdsOf64Bits) {
  const RecordForest forest = import_text(kLightgbmModel);
  EXPECT_TRUE(read_records(record_bytes(forest), "model") == forest);
  EXPECT_EQ(forest.trees[0].wide_thresholds[0], 0.1);
  RecordForest damaged = forest;
  damaged.trees[0].wide_thresholds[0] = 0.2;  // not the nearest float below
  EXPECT_THROW(check_records(damaged, "model"), Error);
}

TEST(WideRecords, TablesAreReadWith64Bits) {
  const std::string days = with(kLightgbmModel, "threshold=0.10000000000000001 -2", "threshold=20240103.5 -2");
  TableOptions options;
  const RecordForest forest = options.match(import_text(days));
  ThreadPool pool(1);
  const auto sums = [&](const std::string& day) {
    const auto path = std::filesystem::path(testing::TempDir()) / ("days" + std::to_string(::getpid()) + ".csv");
    std::ofstream(path) << "size,weight\n" << day << ",-2\n";
    options.labels = LabelKind::kIgnored;
    const RecordTable table = read_table(path, options, pool);
    std::filesystem::remove(path);
    return sums_of(forest, {table.values(0, 0), table.values(0, 1)});
  };
  const auto low = sums_of(import_text(days), {0, -2}), high = sums_of(import_text(days), {3e7f, -2});
  for (const char* day : {"20240103", "+20240103", "\"20240103\"", "20240103.5"}) EXPECT_EQ(sums(day), low) << day;
  for (const char* day : {"20240104", "20240103.6", "1e300"}) EXPECT_EQ(sums(day), high) << day;
}

TEST(WideRecords, OtherRecordsAreRefused) { EXPECT_THROW(ranks_of(import_wide(kLightgbmModel), {1, 2, 3}, 3), Error); }

}  // namespace
}  // namespace fernwood::records
