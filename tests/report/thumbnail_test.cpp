// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "report/thumbnail.h"

#include <gtest/gtest.h>

#include "dataset/frame_files.h"

namespace fernwood::report {
namespace {

using dataset::kFloor, dataset::kRed, dataset::rgb_image;

// Two blocks of 2 x 2 pixels.
const Array2<image::Rgb> kImage =
    rgb_image(2, 4, {{0, 0, 8}, {2, 0, 8}, kRed, kRed, {4, 8, 8}, {5, 100, 8}, kRed, kFloor});

TEST(Thumbnail, PicturesAreMeansOfBlocks) {
  // (0 + 2 + 4 + 5) / 4 = 2.75, 108 / 4 = 27, 8; (3 * 255 + 7) / 4 = 193, 54 / 4 = 13.5, 66 / 4 = 16.5.
  EXPECT_EQ(shrink_picture(kImage, 2), rgb_image(1, 2, {{3, 27, 8}, {193, 14, 17}}));
}

TEST(Thumbnail, LabelsDoNotMix) { EXPECT_EQ(shrink_labels(kImage, 2), rgb_image(1, 2, {{5, 100, 8}, kFloor})); }

TEST(Thumbnail, SmallImagesStayAsTheyAre) {
  EXPECT_EQ(shrink_picture(kImage, 200), kImage);
  EXPECT_EQ(shrink_labels(kImage, 4), kImage);
}

TEST(Thumbnail, ProportionsStayAndOneRowRemains) {
  EXPECT_EQ(shrink_picture(Array2<image::Rgb>(480, 640), 200).rows(), 150u);
  EXPECT_EQ(shrink_picture(Array2<image::Rgb>(1, 640), 200).rows(), 1u);
  EXPECT_EQ(shrink_labels(Array2<image::Rgb>(7, 201), 200).cols(), 200u);
}

}  // namespace
}  // namespace fernwood::report
