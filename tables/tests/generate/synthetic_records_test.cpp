// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/generate/synthetic_records.h"

#include <gmock/gmock.h>

#include <cmath>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "generate/normal.h"
#include "sentences.h"

namespace fernwood::generate {
namespace {

using testing::ElementsAre;

std::vector<float> row(const records::RecordTable& table, std::size_t i) {
  return {table.values.row(i), table.values.row(i) + table.values.cols()};
}

std::string refusal_of(const SyntheticRecordOptions& options) {
  try {
    options.check();
  } catch (const Error& failure) {
    return std::to_string(static_cast<int>(failure.kind())) + ": " + failure.what();
  }
  return "";
}

SyntheticRecordOptions few_records() {
  SyntheticRecordOptions options;
  options.records = 1000;
  options.attributes = 12;
  options.informative = 4;
  options.redundant = 3;
  options.repeated = 2;
  options.classes = 3;
  return options;
}

records::RecordTable made(const SyntheticRecordOptions& options, int threads = 2) {
  ThreadPool pool(threads);
  return SyntheticRecords(options).records(0, static_cast<std::size_t>(options.records), pool);
}

double mean_of(const records::RecordTable& table, std::size_t attribute, std::int32_t label) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < table.labels.size(); ++i)
    if (table.labels[i] == label) sum += static_cast<double>(table.values(i, attribute)), ++count;
  return sum / count;
}

TEST(SyntheticRecords, NormalNumbersAreQuantiles) {
  // Bits of the quantiles 0.75, 0.9, 0.975, 1 - 1e-4 (all in printed tables) and 1 - 1.0477e-9.
  EXPECT_NEAR(normal_of(1073741824), 0.67449, 1e-5);
  EXPECT_NEAR(normal_of(429496730), 1.281552, 1e-5);
  EXPECT_NEAR(normal_of(107374182), 1.959964, 1e-5);
  EXPECT_NEAR(normal_of(429496), 3.719016, 2e-5);
  EXPECT_NEAR(normal_of(4), 5.990228, 2e-5);
  for (const std::uint32_t bits : {0u, 77u, 1u << 27, 1u << 30})
    EXPECT_EQ(normal_of(bits | 1u << 31), -normal_of(bits));
  // The boundary between two approximations.
  EXPECT_NEAR(normal_of((1u << 27) - 1), normal_of(1u << 27), 1e-5);
}

TEST(SyntheticRecords, RecordsAreTheSameOnEveryMachine) {
  const records::RecordTable table = made(few_records());
  EXPECT_EQ(to_hex(checksum(table.values.data(), table.values.size() * sizeof(float))), "87e65e4c9275d7c8");
  EXPECT_EQ(to_hex(checksum(table.labels.data(), table.labels.size() * sizeof(std::int32_t))), "1575ddc4ce1fc25f");
}

TEST(SyntheticRecords, RecordsAreTheSameHoweverTheyAreCutAndOnAnyNumberOfThreads) {
  const SyntheticRecordOptions options = few_records();
  const records::RecordTable whole = made(options);
  EXPECT_TRUE(whole.values == made(options, 1).values);
  ThreadPool pool(2);
  const SyntheticRecords synthetic(options);
  for (const std::size_t size : {7, 999})
    for (std::size_t begin = 0; begin < 1000; begin += size) {
      const records::RecordTable part = synthetic.records(begin, std::min<std::size_t>(size, 1000 - begin), pool);
      for (std::size_t i = 0; i < part.values.rows(); ++i) {
        ASSERT_EQ(row(part, i), row(whole, begin + i));
        ASSERT_EQ(part.labels[i], whole.labels[begin + i]);
      }
    }
  SyntheticRecordOptions later = options;
  later.skip = 990;
  EXPECT_EQ(row(made(later), 5), row(whole, 995));
  later.skip = std::uint64_t{1} << 33;  // more than 32 bits
  EXPECT_NE(row(made(later), 0), row(whole, 0));
}

TEST(SyntheticRecords, ColumnsAreInformativeThenSumsThenCopiesThenNoise) {
  const records::RecordTable table = made(few_records());
  EXPECT_EQ(table.attributes.front(), "1");
  EXPECT_EQ(table.attributes.back(), "12");
  EXPECT_THAT(table.classes, ElementsAre("0", "1", "2"));
  for (std::size_t copy = 7; copy < 9; ++copy) {
    int equal = 0;
    for (std::size_t a = 0; a < 7; ++a) {
      bool same = true;
      for (std::size_t i = 0; i < 1000; ++i) same = same && table.values(i, a) == table.values(i, copy);
      equal += same;
    }
    EXPECT_EQ(equal, 1) << copy;
  }
  for (std::size_t noise = 9; noise < 12; ++noise)
    for (int label = 0; label < 3; ++label) EXPECT_NEAR(mean_of(table, noise, label), 0, 0.2);
}

/// Determines the factors from records 0 ... 3 by elimination and checks them on the others.
TEST(SyntheticRecords, RedundantAttributesAreSumsOfInformativeOnes) {
  const records::RecordTable table = made(few_records());
  for (std::size_t redundant = 4; redundant < 7; ++redundant) {
    double m[4][5];
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 5; ++j) m[i][j] = static_cast<double>(table.values(i, j < 4 ? j : redundant));
    for (std::size_t p = 0; p < 4; ++p)
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 5; i != p && j-- > p;) m[i][j] -= m[p][j] * m[i][p] / m[p][p];
    for (std::size_t i = 4; i < 1000; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < 4; ++j) sum += m[j][4] / m[j][j] * static_cast<double>(table.values(i, j));
      ASSERT_NEAR(static_cast<double>(table.values(i, redundant)), sum, 1e-3);
    }
  }
}

TEST(SyntheticRecords, OptionsOutOfRangeAreNamed) {
  const auto refused = [](auto SyntheticRecordOptions::*field, auto value) {
    SyntheticRecordOptions options;
    options.*field = value;
    return refusal_of(options);
  };
  EXPECT_EQ(refused(&SyntheticRecordOptions::seed, 0u), "");
  testdata::expect_sentence(refused(&SyntheticRecordOptions::records, 0u));
  testdata::expect_sentence(refused(&SyntheticRecordOptions::attributes, 65537));
  testdata::expect_sentence(refused(&SyntheticRecordOptions::informative, 51));
  testdata::expect_sentence(refused(&SyntheticRecordOptions::repeated, 39));
  testdata::expect_sentence(refused(&SyntheticRecordOptions::classes, 1));
  testdata::expect_sentence(refused(&SyntheticRecordOptions::clusters_per_class, 513));
  testdata::expect_sentence(refused(&SyntheticRecordOptions::class_sep, std::nan("")));
  testdata::expect_sentence(refused(&SyntheticRecordOptions::flip, 1.5));
  SyntheticRecordOptions large;
  large.attributes = large.informative = 60'000;
  large.redundant = 0;
  testdata::expect_sentence(refusal_of(large));
}

}  // namespace
}  // namespace fernwood::generate
