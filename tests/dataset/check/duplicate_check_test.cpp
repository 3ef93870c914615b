// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/check/check_summary.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "dataset/frame_files.h"
#include "fernwood/dataset/check.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

namespace fs = std::filesystem;

/// 64 x 48 pixels of random brightness in 8 x 8 blocks.
Array2<image::Rgb> picture(std::uint32_t seed) {
  Array2<image::Rgb> image(48, 64);
  std::array<std::uint8_t, 48> blocks{};
  for (std::uint8_t& block : blocks) block = static_cast<std::uint8_t>((seed = seed * 1664525u + 1013904223u) >> 24);
  for (std::size_t row = 0; row < image.rows(); ++row)
    for (std::size_t col = 0; col < image.cols(); ++col) {
      const std::uint8_t grey = blocks[row / 8 * 8 + col / 8];
      const auto slope = static_cast<std::uint8_t>(grey / 2 + 2 * (col % 8) + row % 8);
      image(row, col) = {slope, grey, slope};
    }
  return image;
}

Fingerprint fingerprint_of(const Array2<image::Rgb>& image) {
  Fingerprint found;
  add_pixels(image, &found);
  return found;
}

std::vector<std::string> warnings_of(const fs::path& folder, int num_threads = 2) {
  DatasetOptions options;
  options.needs_truth = false;
  ThreadPool pool(num_threads);
  std::vector<std::string> warnings;
  for (const DatasetProblem& problem : check_dataset(folder, options, pool, {}, "train").problems)
    warnings.push_back(problem.message.on_command_line());
  return warnings;
}

/// Frames with only colour images. @param seeds  One for each frame.
void add_split(const TestFolder& folder, const std::string& split, const std::vector<std::uint32_t>& seeds) {
  fs::create_directories(folder / split);
  for (std::size_t i = 0; i < seeds.size(); ++i)
    write_png(folder / (split + "/" + split[0] + std::to_string(i) + "_colors.png"), picture(seeds[i]));
}

TEST(DuplicateCheck, OnePictureIsKnownAgainWhateverItIsStoredAs) {
  const Fingerprint a = fingerprint_of(picture(1));
  EXPECT_TRUE(a.has_gradients);
  EXPECT_TRUE(is_same_picture(a, fingerprint_of(picture(1))));
  EXPECT_FALSE(is_same_picture(a, fingerprint_of(picture(2))));
  Array2<image::Rgb> darker = picture(1);
  for (image::Rgb& pixel : darker) pixel.g = static_cast<std::uint8_t>(pixel.g - pixel.g / 50);
  EXPECT_TRUE(is_same_picture(a, fingerprint_of(darker)));
  Array2<image::Rgb> mirrored = picture(1);
  for (std::size_t row = 0; row < mirrored.rows(); ++row)
    std::reverse(mirrored.row(row), mirrored.row(row) + mirrored.cols());
  EXPECT_FALSE(is_same_picture(a, fingerprint_of(mirrored)));
}

TEST(DuplicateCheck, PicturesWithoutContrastAreComparedExactly) {
  const Fingerprint grey = fingerprint_of(Array2<image::Rgb>(48, 64, {90, 90, 90}));
  EXPECT_FALSE(grey.has_gradients);
  EXPECT_FALSE(is_same_picture(grey, fingerprint_of(Array2<image::Rgb>(48, 64, {91, 90, 90}))));
  EXPECT_TRUE(is_same_picture(grey, fingerprint_of(Array2<image::Rgb>(48, 64, {90, 90, 90}))));
  EXPECT_FALSE(is_same_picture({}, {})) << "neither could be read";
}

TEST(DuplicateCheck, NamesPicturesThatAreInTwoSplits) {
  const TestFolder folder;
  add_split(folder, "train", {1, 2, 3, 4, 5});
  add_split(folder, "test", {6, 3, 7});
  add_split(folder, "val", {8, 9});
  const std::vector<std::string> warnings = warnings_of(folder.path());
  testdata::expect_sentence(join(warnings, "\n"));
  EXPECT_EQ(warnings_of(folder / "train", 1), warnings);
  EXPECT_EQ(warnings_of(folder / "train/").size(), 1u);
  EXPECT_EQ(warnings_of(folder / "test").size(), 1u);
  EXPECT_EQ(warnings_of(folder / "val").size(), 0u);
}

TEST(DuplicateCheck, ManyAreCountedAndThreeNamed) {
  const TestFolder folder;
  add_split(folder, "train", {1, 2, 3, 4, 5});
  add_split(folder, "validation", {5, 4, 3, 2, 1});
  testdata::expect_sentence(join(warnings_of(folder.path()), "\n"));
}

TEST(DuplicateCheck, FoldersThatAreNoSplitsAreNotCompared) {
  const TestFolder folder;
  add_split(folder, "train", {1, 2});
  add_split(folder, "old", {1, 2});
  fs::create_directories(folder / "val");
  EXPECT_THAT(warnings_of(folder / "train"), testing::IsEmpty());
  EXPECT_THAT(other_splits(folder / "old"), testing::IsEmpty());
  EXPECT_THAT(other_splits(folder / "train"), testing::ElementsAre(folder / "val"));
}

TEST(DuplicateCheck, WhatCannotBeReadInAnotherSplitIsItsOwnError) {
  const TestFolder folder;
  add_split(folder, "train", {1, 2});
  add_split(folder, "test", {2, 3});
  folder.write("test/t0_colors.png", std::string("no image"));
  EXPECT_THAT(warnings_of(folder / "train"), testing::IsEmpty());
}

}  // namespace
}  // namespace fernwood::dataset
