// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>

#include "dataset/frame_files.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood {
namespace {

const ClassMap kClasses{{{"red", kRed}, {"floor", kFloor}}, {}, {}};

TEST(Colorize, LabelsTakeTheirClassColorAndVoidIsBlack) {
  EXPECT_EQ(colorize_labels(depth_image(1, 3, {1, kVoid, 0}), kClasses), rgb_image(1, 3, {kFloor, kBlack, kRed}));
  expect_error([] { colorize_labels(depth_image(1, 1, {2}), kClasses); }, ErrorKind::kUsage, {"label 2", "2 given"});
}

TEST(Colorize, NearIsWarmFarIsCoolUnknownIsBlack) {
  const Array2<Rgb> image = colorize_depth(depth_image(1, 6, {0, 400, 10000, 100, 20000, 40000}));
  EXPECT_EQ(image(0, 0), kBlack);
  EXPECT_EQ(image(0, 1), (Rgb{190, 30, 30}));  // the first colour at 0.4 m and nearer
  EXPECT_EQ(image(0, 2), (Rgb{40, 60, 150}));  // the last colour at 10 m and farther
  EXPECT_EQ(image(0, 3), image(0, 1));
  EXPECT_EQ(image(0, 4), image(0, 2));
  EXPECT_EQ(image(0, 5), kBlack);  // over kMaxDepthMm
}

TEST(Colorize, DepthIsMixedOnALogarithmicScale) {
  // The geometric mean of 0.4 and 10 m, 2 m, lies midway between the third and the fourth of the six colours:
  // (245 + 110) / 2 = 177.5, (220 + 200) / 2 = 210, (90 + 130) / 2 = 110.
  const Rgb middle = colorize_depth(depth_image(1, 1, {2000}))(0, 0);
  EXPECT_NEAR(middle.r, 177.5, 0.6);
  EXPECT_EQ(middle.g, 210);
  EXPECT_EQ(middle.b, 110);
}

TEST(Colorize, OverlayMixesByOpacityAndLeavesVoidAlone) {
  Frame frame;
  frame.color = Array2<Rgb>(1, 3, Rgb{100, 200, 40});
  const LabelImage labels = depth_image(1, 3, {0, kVoid, 1});
  // A quarter of (255, 0, 0): 100 + 155 / 4 = 138.75, 200 - 50, 40 - 10. Of (7, 54, 66): 76.75, 163.5, 46.5.
  EXPECT_EQ(overlay_labels(frame, labels, kClasses, 0.25f),
            rgb_image(1, 3, {{139, 150, 30}, {100, 200, 40}, {77, 164, 47}}));
  EXPECT_EQ(overlay_labels(frame, labels, kClasses, 0.0f), frame.color);
  EXPECT_EQ(overlay_labels(frame, labels, kClasses, 1.0f), rgb_image(1, 3, {kRed, {100, 200, 40}, kFloor}));
}

TEST(Colorize, OverlayOfADepthOnlyFrameIsOnGrey) {
  Frame frame;
  frame.depth_mm = depth_image(1, 3, {0, 400, 10000});
  const Array2<Rgb> image = overlay_labels(frame, LabelImage(1, 3, kVoid), kClasses);
  EXPECT_EQ(image, rgb_image(1, 3, {kBlack, {235, 235, 235}, {40, 40, 40}}));
}

TEST(Colorize, OverlayChecksItsArguments) {
  Frame frame;
  frame.color = Array2<Rgb>(1, 3);
  expect_error([&] { overlay_labels(frame, LabelImage(2, 3), kClasses); }, ErrorKind::kUsage, {"3 x 1", "3 x 2"});
  expect_error([&] { overlay_labels(frame, LabelImage(1, 3), kClasses, 1.5f); }, ErrorKind::kUsage, {"opacity is 1.5"});
}

}  // namespace
}  // namespace fernwood
