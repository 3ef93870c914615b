// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "evaluate/altered_frames.h"

#include <gtest/gtest.h>

#include <limits>

#include "dataset/test_files.h"
#include "sentences.h"

namespace fernwood::evaluate {
namespace {

/// Labels 1, 2, 3, ... row by row; depth is 100 times the label, red is the label.
LabelledFrame counted(std::size_t rows, std::size_t cols) {
  LabelledFrame counted{{Array2<image::Rgb>(rows, cols), Array2<std::uint16_t>(rows, cols)},
                        image::LabelImage(rows, cols)};
  for (std::size_t i = 0; i < counted.labels.size(); ++i) {
    const auto number = static_cast<std::uint16_t>(i + 1);
    counted.labels.data()[i] = number;
    counted.frame.depth_mm.data()[i] = static_cast<std::uint16_t>(100 * number);
    counted.frame.color.data()[i] = {static_cast<std::uint8_t>(number), 7, 9};
  }
  return counted;
}

image::LabelImage labels_of(std::size_t rows, std::size_t cols, const std::vector<std::uint16_t>& values) {
  return dataset::depth_image(rows, cols, values);
}

image::LabelImage turned(const LabelledFrame& labelled, double degrees) {
  return rotated(labelled.frame, labelled.labels, degrees).labels;
}

TEST(Rotated, QuartersOfASquareAreExact) {
  const LabelledFrame frame = counted(3, 3);
  EXPECT_EQ(turned(frame, 0), frame.labels);
  EXPECT_EQ(turned(frame, 90), labels_of(3, 3, {7, 4, 1, 8, 5, 2, 9, 6, 3}));  // clockwise: the left column is on top
  EXPECT_EQ(turned(frame, 180), labels_of(3, 3, {9, 8, 7, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(turned(frame, 270), labels_of(3, 3, {3, 6, 9, 2, 5, 8, 1, 4, 7}));
  EXPECT_EQ(turned(frame, -90), turned(frame, 270));
  EXPECT_EQ(turned(frame, 360 * 7 + 90), turned(frame, 90));
}

TEST(Rotated, HalfATurnOfAnEvenFrameIsExact) {
  EXPECT_EQ(turned(counted(2, 4), 180), labels_of(2, 4, {8, 7, 6, 5, 4, 3, 2, 1}));
}

TEST(Rotated, WhatComesFromBeyondTheBordersIsUnknown) {
  const LabelledFrame frame = counted(2, 4);
  const LabelledFrame turned = rotated(frame.frame, frame.labels, 90);
  constexpr std::uint16_t v = image::kVoid;
  EXPECT_EQ(turned.labels, labels_of(2, 4, {v, 6, 2, v, v, 7, 3, v}));
  EXPECT_EQ(turned.frame.depth_mm, dataset::depth_image(2, 4, {0, 600, 200, 0, 0, 700, 300, 0}));
  EXPECT_EQ(turned.frame.color(0, 0), (image::Rgb{0, 0, 0}));
  EXPECT_EQ(turned.frame.color(1, 2), (image::Rgb{3, 7, 9}));
}

TEST(Rotated, TurnsAboutThePrincipalPointOfTheCameraForItsSize) {
  LabelledFrame frame = counted(3, 3);
  frame.frame.camera = image::Camera{6, 6, 10.0f, 10.0f, 0.5f, 0.5f};  // for twice the size: the first pixel's centre
  constexpr std::uint16_t v = image::kVoid;
  EXPECT_EQ(turned(frame, 180), labels_of(3, 3, {1, v, v, v, v, v, v, v, v}));
  EXPECT_EQ(turned(frame, 90), labels_of(3, 3, {1, v, v, 2, v, v, 3, v, v}));
}

TEST(Rotated, TurnsRaysWherePixelsAreNotSquare) {
  LabelledFrame frame = counted(3, 5);
  frame.frame.camera = image::Camera{5, 3, 20.0f, 10.0f, 2.0f, 1.0f};  // two columns are as wide as one row is high
  EXPECT_EQ(turned(frame, 90).row(0)[0], 11);
  EXPECT_EQ(turned(frame, 90).row(0)[2], 6);
  EXPECT_EQ(turned(frame, 90).row(0)[4], 1);
  EXPECT_EQ(turned(frame, 90).row(2)[4], 5);
}

TEST(Rotated, SmallAnglesTakeTheNearestPixel) {
  // 20 columns right of the centre; rotated by 30 degrees, 17.3 right and 10 down.
  LabelledFrame frame = counted(61, 61);
  const LabelledFrame turned = rotated(frame.frame, frame.labels, 30);
  EXPECT_EQ(turned.labels(30, 30), frame.labels(30, 30));
  EXPECT_EQ(turned.labels(40, 47), frame.labels(30, 50));
  EXPECT_EQ(turned.labels(0, 0), image::kVoid);
}

TEST(Rotated, NobodyTells) {
  LabelledFrame frame = counted(3, 3);
  frame.frame.camera = image::Camera{3, 3, 4.0f, 4.0f, 1.0f, 1.0f};
  frame.frame.up = {0.0f, 1.0f, 0.25f};
  const image::Frame turned = rotated(frame.frame, frame.labels, 15).frame;
  EXPECT_EQ(turned.camera, frame.frame.camera);
  EXPECT_EQ(turned.up, frame.frame.up);
}

TEST(Rotated, ImagesThatAreNotThereStayAway) {
  LabelledFrame frame = counted(3, 3);
  frame.frame.color = {};
  EXPECT_TRUE(rotated(frame.frame, frame.labels, 15).frame.color.empty());
  EXPECT_EQ(rotated(frame.frame, frame.labels, 180).frame.depth_mm(0, 0), 900);
}

TEST(Rotated, WhatDoesNotFitIsASentence) {
  const LabelledFrame frame = counted(3, 3);
  fernwood::testdata::expect_refused(ErrorKind::kUsage, [&] { rotated(frame.frame, image::LabelImage(3, 4), 15); });
  fernwood::testdata::expect_refused(
      ErrorKind::kUsage, [&] { rotated(frame.frame, frame.labels, std::numeric_limits<double>::infinity()); });
}

}  // namespace
}  // namespace fernwood::evaluate
