// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/fill.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fernwood/core/error.h"
#include "image/geometry.h"

namespace fernwood::teach {
namespace {

constexpr std::size_t kRows = 120, kCols = 160;
const image::Camera kSeenBy = {160, 120, 131.25f, 131.25f, 79.5f, 59.5f};

/// A depth image in mm; depth_at(u, v) returns the depth along a pixel's ray.
template <typename Depth>
image::Frame seen(const Depth& depth_at) {
  image::Frame frame;
  frame.camera = kSeenBy;
  frame.depth_mm = Array2<std::uint16_t>(kRows, kCols);
  for (std::size_t y = 0; y < kRows; ++y)
    for (std::size_t x = 0; x < kCols; ++x)
      frame.depth_mm(y, x) =
          static_cast<std::uint16_t>(std::lround(depth_at(image::ray(static_cast<float>(x), kSeenBy.cx, kSeenBy.fx),
                                                          image::ray(static_cast<float>(y), kSeenBy.cy, kSeenBy.fy))));
  return frame;
}

image::LabelImage filled(const image::Frame& frame, std::size_t row, std::size_t col, int turn_degrees) {
  Stroke stroke;
  stroke.tool = Tool::kRegion;
  stroke.class_id = 1;
  stroke.runs = fill_region(frame, {col, row, static_cast<double>(turn_degrees)});
  stroke.check(kRows, kCols);
  image::LabelImage labels(kRows, kCols, 0);
  paint(stroke, labels);
  return labels;
}

double share(const image::LabelImage& labels, std::size_t first_row, std::size_t end_row, std::size_t first_col,
             std::size_t end_col) {
  std::size_t count = 0;
  for (std::size_t y = first_row; y < end_row; ++y)
    for (std::size_t x = first_col; x < end_col; ++x) count += labels(y, x);
  return static_cast<double>(count) / static_cast<double>((end_row - first_row) * (end_col - first_col));
}

TEST(Fill, EndsAtAStepOfDepth) {
  const image::Frame frame = seen([](float u, float) { return u < 0 ? 2000.0f : 3000.0f; });
  const image::LabelImage labels = filled(frame, 60, 20, 20);
  EXPECT_EQ(share(labels, 0, kRows, 0, 80), 1.0);
  EXPECT_EQ(share(labels, 0, kRows, 80, kCols), 0.0);
}

TEST(Fill, FollowsAFloorSeenFromTheSide) {
  // Seen from 1.5 m above: 1.7 m away in the lowest row, 5 m in row 30; beyond that, depths of adjacent cells differ by
  // more than a tenth.
  const image::Frame frame = seen([](float, float v) { return 1500.0f / (0.5f + 0.9f * v); });
  EXPECT_EQ(share(filled(frame, 110, 80, 20), 30, kRows, 0, kCols), 1.0);
}

/// A corner of a room: walls to the left and the right that meet at a right angle in the middle, 3 m away.
image::Frame corner() {
  return seen([](float u, float) { return 3000.0f / (1 + std::abs(u)); });
}

TEST(Fill, EndsWhereTheSurfaceTurns) {
  const image::LabelImage labels = filled(corner(), 60, 20, 20);
  EXPECT_EQ(share(labels, 0, kRows, 0, 64), 1.0) << "the wall, up to where planes are of both walls";
  EXPECT_EQ(share(labels, 0, kRows, 80, kCols), 0.0) << "the other wall";
}

TEST(Fill, GoesAsFarAsItMayTurn) {
  EXPECT_EQ(share(filled(corner(), 60, 20, 120), 0, kRows, 0, kCols), 1.0) << "round the corner of 90 degrees";
  const image::Frame ball = seen([](float u, float v) {
    const float across2 = 4 * (u * u + v * v);  // a ball of 1 m at 2 m, nearly in parallel projection
    return across2 < 0.9f ? 2000.0f - 1000.0f * (std::sqrt(1 - across2) - 1) : 5000.0f;
  });
  const auto size = [&](int turn) { return share(filled(ball, 60, 80, turn), 0, kRows, 0, kCols); };
  EXPECT_LT(size(10), size(30));
  EXPECT_LT(size(30), size(60));
}

TEST(Fill, UnknownDepthIsNeverCrossed) {
  image::Frame frame = seen([](float, float) { return 2000.0f; });
  for (std::size_t y = 0; y < kRows; ++y)
    for (std::size_t x = 100; x < 108; ++x) frame.depth_mm(y, x) = 0;
  const image::LabelImage labels = filled(frame, 5, 5, 20);
  EXPECT_EQ(share(labels, 0, kRows, 0, 100), 1.0);
  EXPECT_EQ(share(labels, 0, kRows, 100, kCols), 0.0);
}

TEST(Fill, ClosesPinholesAndLeavesWindowsOpen) {
  image::Frame frame = seen([](float, float) { return 2000.0f; });
  const auto punch = [&](std::size_t row, std::size_t col, std::size_t size) {
    for (std::size_t y = row; y < row + size; ++y)
      for (std::size_t x = col; x < col + size; ++x) frame.depth_mm(y, x) = 0;
  };
  punch(40, 40, 8);
  punch(0, 120, 3);
  punch(80, 80, 9);
  const image::LabelImage labels = filled(frame, 5, 5, 20);
  EXPECT_EQ(share(labels, 40, 48, 40, 48), 1.0);
  EXPECT_EQ(share(labels, 0, 3, 120, 123), 1.0);
  EXPECT_EQ(share(labels, 80, 89, 80, 89), 0.0);
}

TEST(Fill, WhatCannotBeFilledIsTold) {
  image::Frame frame = seen([](float, float) { return 2000.0f; });
  frame.depth_mm(3, 4) = 0;
  const auto failure = [&](std::size_t row, std::size_t col, int turn) -> std::string {
    try {
      fill_region(frame, {col, row, static_cast<double>(turn)});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(failure(3, 4, 20), "the depth at 4,3 is unknown; fill from a pixel next to it");
  EXPECT_EQ(failure(120, 4, 20), "there is no pixel 4,120; the frame has 160 x 120");
  EXPECT_EQ(failure(0, 0, 0), "a fill turns by 0 degrees at most; use 1 to 180");
}

TEST(Fill, WithoutDepthGoesByColor) {
  image::Frame frame;
  frame.color = Array2<image::Rgb>(kRows, kCols, image::Rgb{90, 80, 70});
  for (std::size_t y = 0; y < kRows; ++y)
    for (std::size_t x = 60; x < kCols; ++x) frame.color(y, x).r = x < 100 ? 100 : 200;
  const image::LabelImage labels = filled(frame, 7, 7, 20);  // 30 steps
  EXPECT_EQ(share(labels, 0, kRows, 0, 100), 1.0);
  EXPECT_EQ(share(labels, 0, kRows, 100, kCols), 0.0);
}

}  // namespace
}  // namespace fernwood::teach
