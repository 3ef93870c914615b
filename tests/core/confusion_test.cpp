// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/confusion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fernwood/core/error.h"
#include "sentences.h"

namespace fernwood {
namespace {

Array2<std::uint16_t> labels(std::size_t rows, std::size_t cols, const std::vector<std::uint16_t>& values) {
  Array2<std::uint16_t> image(rows, cols);
  std::copy(values.begin(), values.end(), image.begin());
  return image;
}

TEST(Confusion, CountsTruthInRowsAndPredictionInColumns) {
  Confusion confusion(2);
  // An odd number of pixels, with runs of equal pairs of odd and even length.
  confusion.add(labels(1, 9, {0, 0, 0, 1, 1, 0, 0xffff, 0xffff, 1}),
                labels(1, 9, {1, 1, 1, 0, 0, 0, 1, 0xffff, 0xffff}));
  const std::vector<std::vector<std::uint64_t>> expected = {{1, 3, 0}, {2, 0, 1}, {0, 1, 1}};
  for (std::size_t t = 0; t < 3; ++t)
    for (std::size_t p = 0; p < 3; ++p) EXPECT_EQ(confusion.count(t, p), expected[t][p]) << t << ", " << p;
  EXPECT_EQ(confusion.truth_pixels(0), 4u);
  EXPECT_EQ(confusion.truth_pixels(1), 3u);
  EXPECT_EQ(confusion.truth_pixels(2), 2u);
  const Array2<double> shares = confusion.row_shares();
  ASSERT_EQ(shares.rows(), 2u);
  ASSERT_EQ(shares.cols(), 3u) << "one more for void";
  EXPECT_EQ(shares(0, 1), 0.75);
  EXPECT_EQ(shares(1, 2), 1 / 3.0);
}

TEST(Confusion, CountsRecordsOfWhichAnUnknownClassIsVoid) {
  Confusion confusion(2);
  const std::vector<std::int32_t> truth = {0, 0, 1, 1, -1}, found = {0, 1, 1, -1, 0}, beyond = {0, 1, 2, 0, 0},
                                  below = {0, 1, 1, 0, -2}, fewer = {0};
  confusion.add(truth, found);
  const std::vector<std::vector<std::uint64_t>> expected = {{1, 1, 0}, {0, 1, 1}, {1, 0, 0}};
  for (std::size_t t = 0; t < 3; ++t)
    for (std::size_t p = 0; p < 3; ++p) EXPECT_EQ(confusion.count(t, p), expected[t][p]) << t << ", " << p;
  testdata::expect_refused(ErrorKind::kRuntime, [&] { confusion.add(truth, beyond); });
  testdata::expect_refused(ErrorKind::kRuntime, [&] { confusion.add(below, found); });
  testdata::expect_refused(ErrorKind::kRuntime, [&] { confusion.add(truth, fewer); });
}

TEST(Confusion, SumsOverImagesAndMatrices) {
  Confusion first(2), second(2);
  first.add(labels(2, 2, {0, 0, 1, 1}), labels(2, 2, {0, 1, 1, 1}));
  second.add(labels(1, 2, {0, 1}), labels(1, 2, {1, 1}));
  second.add(labels(1, 1, {0}), labels(1, 1, {1}));
  first.add(second);
  EXPECT_EQ(first.count(0, 0), 1u);
  EXPECT_EQ(first.count(0, 1), 3u);
  EXPECT_EQ(first.count(1, 0), 0u);
  EXPECT_EQ(first.count(1, 1), 3u);
}

TEST(Confusion, CountsNothingOfAnEmptyImage) {
  Confusion confusion(1);
  confusion.add(Array2<std::uint16_t>(), Array2<std::uint16_t>());
  EXPECT_EQ(confusion.truth_pixels(0) + confusion.truth_pixels(1), 0u);
}

TEST(Confusion, RefusesALabelThatIsNoClassAndCountsNothing) {
  Confusion confusion(3);
  const Array2<std::uint16_t> good = labels(2, 2, {0, 1, 2, 0xffff}), bad = labels(2, 2, {0, 1, 2, 3});
  testdata::expect_refused(ErrorKind::kRuntime, [&] { confusion.add(bad, good); });
  testdata::expect_refused(ErrorKind::kRuntime, [&] { confusion.add(good, bad); });
  const Array2<std::uint16_t> almost_void = labels(2, 2, {0, 1, 2, 0xffff - 1});
  testdata::expect_refused(ErrorKind::kRuntime, [&] { confusion.add(almost_void, good); });
  for (std::size_t t = 0; t <= 3; ++t) EXPECT_EQ(confusion.truth_pixels(t), 0u);
}

TEST(Confusion, RefusesWhatCannotBeCompared) {
  Confusion confusion(2);
  testdata::expect_refused(ErrorKind::kRuntime,
                           [&] { confusion.add(Array2<std::uint16_t>(2, 3), Array2<std::uint16_t>(3, 2)); });
  testdata::expect_refused(ErrorKind::kRuntime, [&] { confusion.add(Confusion(3)); });
}

}  // namespace
}  // namespace fernwood
