// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/dataset_folder.h"

#include <gtest/gtest.h>

#include "dataset/frame_files.h"

namespace fernwood::dataset {
namespace {

TEST(ColorLookup, FindsClassesAndVoidAndNothingElse) {
  const ColorLookup lookup(image::ClassMap{{{"red", kRed}, {"floor", kFloor}}, {kProp}, {}});
  EXPECT_EQ(lookup.find(kRed), std::optional<std::uint16_t>(0));
  EXPECT_EQ(lookup.find(kFloor), std::optional<std::uint16_t>(1));
  EXPECT_EQ(lookup.find(kProp), std::optional<std::uint16_t>(image::kVoid));
  EXPECT_EQ(lookup.find(kBlack), std::optional<std::uint16_t>(image::kVoid));
  EXPECT_EQ(lookup.find({254, 0, 0}), std::nullopt);
  EXPECT_EQ(lookup.find({0, 0, 255}), std::nullopt);  // red with its channels reversed
  EXPECT_EQ(lookup.find({255, 255, 255}), std::nullopt);
}

TEST(ColorLookup, BlackIsVoidUnlessItIsAClass) {
  EXPECT_EQ(ColorLookup(image::ClassMap{{{"black", kBlack}}, {}, {}}).find(kBlack), std::optional<std::uint16_t>(0));
}

TEST(ColorLookup, IgnoringAClassMakesItVoid) {
  EXPECT_EQ(ColorLookup(image::ClassMap{{{"red", kRed}}, {kRed}, {}}).find(kRed),
            std::optional<std::uint16_t>(image::kVoid));
}

TEST(ColorLookup, HoldsThousandsOfClasses) {
  image::ClassMap classes;
  for (int i = 0; i < 5000; ++i) {
    const auto low = static_cast<std::uint8_t>(i % 256), high = static_cast<std::uint8_t>(i / 256);
    classes.classes.push_back({std::to_string(i), {high, 7, low}});
  }
  const ColorLookup lookup(classes);
  EXPECT_EQ(lookup.find({19, 7, 135}), std::optional<std::uint16_t>(4999));  // 19 * 256 + 135
  EXPECT_EQ(lookup.find({19, 7, 136}), std::nullopt);
}

TEST(ClassColors, CountsRunsAndRepetitions) {
  const std::vector<ColorCount> counts = count_colors(rgb_image(2, 3, {kRed, kRed, kFloor, kRed, kFloor, kBlack}));
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_EQ(counts[0].color, kBlack);
  EXPECT_EQ(counts[0].num_pixels, 1u);
  EXPECT_EQ(counts[1].color, kFloor);
  EXPECT_EQ(counts[1].num_pixels, 2u);
  EXPECT_EQ(counts[2].color, kRed);
  EXPECT_EQ(counts[2].num_pixels, 3u);
}

TEST(ClassColors, CountingEndsSoonInAPhotograph) {
  Array2<image::Rgb> photo(256, 256);
  for (std::size_t i = 0; i < photo.size(); ++i)
    photo.data()[i] = {0, static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i)};
  EXPECT_EQ(count_colors(photo).size(), 4097u);
}

TEST(ClassColors, CountsAddUpInOrder) {
  std::vector<ColorCount> total = {{kFloor, 2}, {kRed, 1}};
  add_counts({{kBlack, 5}, {kProp, 1}, {kRed, 3}}, &total);
  ASSERT_EQ(total.size(), 4u);
  EXPECT_EQ(total[0].color, kBlack);
  EXPECT_EQ(total[1].color, kFloor);
  EXPECT_EQ(total[2].color, kProp);
  EXPECT_EQ(total[3].color, kRed);
  EXPECT_EQ(total[3].num_pixels, 4u);
}

TEST(ClassColors, TextsAreForPeople) {
  EXPECT_EQ(to_hex(image::Rgb{7, 54, 66}), "#073642");
  EXPECT_EQ(to_string(image::Rgb{7, 54, 255}), "(7, 54, 255)");
  EXPECT_EQ(to_string(std::vector<image::ClassInfo>{{"a", kRed}, {"b", kFloor}}), "a (255, 0, 0), b (7, 54, 66)");
  EXPECT_EQ(to_string(std::vector<image::ClassInfo>{}), "none");
  EXPECT_NE(to_string(std::vector<image::ClassInfo>(20, {"a", kRed})).find("and 8 more"), std::string::npos);
}

}  // namespace
}  // namespace fernwood::dataset
