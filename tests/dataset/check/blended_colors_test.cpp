// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/index_labels.h"

#include <gmock/gmock.h>

#include <cmath>

#include "dataset/frame_files.h"
#include "fernwood/dataset/check.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

using testing::IsEmpty;

constexpr image::Rgb kReddish{200, 30, 30}, kBluish{20, 60, 220};

/// Two classes with a blended, slanted border of this width.
Array2<image::Rgb> two_sides(double border_px) {
  Array2<image::Rgb> truth(48, 64);
  for (std::size_t row = 0; row < truth.rows(); ++row)
    for (std::size_t col = 0; col < truth.cols(); ++col) {
      const double from_border = static_cast<double>(col) - 25 - 0.3 * static_cast<double>(row);
      const double share = border_px > 0 ? std::clamp(from_border / border_px + 0.5, 0.0, 1.0) : from_border > 0;
      const auto mix = [&](int a, int b) { return static_cast<std::uint8_t>(std::lround(a + share * (b - a))); };
      truth(row, col) = {mix(kReddish.r, kBluish.r), mix(kReddish.g, kBluish.g), mix(kReddish.b, kBluish.b)};
    }
  return truth;
}

std::string check_problems(const TestFolder& folder) {
  ThreadPool pool(2);
  return messages_of(check_dataset(folder.path(), {}, pool).problems);
}

void add_frame_with(const TestFolder& folder, const Array2<image::Rgb>& truth) {
  write_png(folder / "a_colors.png", Array2<image::Rgb>(truth.rows(), truth.cols(), image::Rgb{1, 2, 3}));
  write_png(folder / "a_ground_truth.png", truth);
}

TEST(BlendedColors, OfSmoothedBordersMakeNoClasses) {
  for (const double border_px : {3.0, 6.0, 12.0}) {
    const TestFolder folder;
    add_frame_with(folder, two_sides(border_px));
    ThreadPool pool(2);
    testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(folder.path()).scan_truth(pool); });
    testdata::expect_sentence(check_problems(folder));
  }
}

TEST(BlendedColors, FewAreAWarning) {
  const TestFolder folder;
  Array2<image::Rgb> truth = two_sides(0);
  for (std::size_t row = 0; row < truth.rows(); row += 7) {
    std::size_t col = 0;
    while (truth(row, col) == kReddish) ++col;
    truth(row, col) = {110, 45, 125};
  }
  add_frame_with(folder, truth);
  ThreadPool pool(2);
  const Dataset::Scan scan = Dataset::open(folder.path()).scan_truth(pool);
  EXPECT_EQ(scan.classes.size(), 3u);
  testdata::expect_sentence(join(scan.warnings, "\n"));
}

TEST(BlendedColors, FlatColoursAndRareOnesAreClasses) {
  Array2<image::Rgb> truth = two_sides(0);
  EXPECT_THAT(judge_blends(count_colors(truth)).sentence, IsEmpty());
  // A thin object on the border with a colour of its own, and a small one with a colour between the two classes.
  for (std::size_t row = 10; row < 20; ++row) truth(row, 30) = {20, 200, 20};
  for (std::size_t row = 30; row < 33; ++row)
    for (std::size_t col = 5; col < 8; ++col) truth(row, col) = {110, 45, 125};
  EXPECT_THAT(judge_blends(count_colors(truth)).sentence, IsEmpty());
}

TEST(BlendedColors, WhereClassesAreListedTheErrorSaysWhatTheColourIs) {
  const TestFolder folder;
  add_frame_with(folder, two_sides(6));
  folder.write("dataset.toml", std::string("classes = [{name = \"l\", color = [200, 30, 30]}, {name = \"r\", color = "
                                           "[20, 60, 220]}]"));
  ThreadPool pool(2);
  testdata::expect_refused(ErrorKind::kData, [&] { Dataset::open(folder.path()).scan_truth(pool); });
}

TEST(VocPalette, ItsBorderColourAsAClassIsWarnedOf) {
  const TestFolder folder;
  Array2<image::Rgb> truth(20, 30, image::Rgb{});
  std::fill_n(truth.begin(), 200, image::Rgb{128, 0, 0});
  std::fill_n(truth.begin() + 200, 60, image::Rgb{224, 224, 192});
  add_frame_with(folder, truth);
  testdata::expect_sentence(check_problems(folder));
  folder.write("dataset.toml", std::string("ignored_colors = [[224, 224, 192]]"));
  testdata::expect_sentence(check_problems(folder));
}

}  // namespace
}  // namespace fernwood::dataset
