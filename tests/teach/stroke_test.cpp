// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/teach/project.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/draw.h"
#include "fernwood/core/error.h"
#include "sentences.h"

namespace fernwood::teach {
namespace {

/// Draws a stroke as rows of digits for classes, and "." for none.
std::vector<std::string> drawn(const Stroke& stroke, std::size_t rows, std::size_t cols, std::uint16_t below = kErase) {
  stroke.check(rows, cols);
  image::LabelImage labels(rows, cols, below);
  paint(stroke, labels);
  std::vector<std::string> picture(rows, std::string(cols, '.'));
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t col = 0; col < cols; ++col)
      if (labels(row, col) != kErase) picture[row][col] = static_cast<char>('0' + labels(row, col));
  return picture;
}

/// The centre of a pixel.
Point middle(int col, int row) { return {col * kStepsPerPixel + 4, row * kStepsPerPixel + 4}; }

using Picture = std::vector<std::string>;

TEST(Stroke, ABrushTouchesWhatIsWithinItsRadius) {
  EXPECT_EQ(drawn({.class_id = 1, .points = {middle(2, 1)}}, 3, 5), (Picture{".....", "..1..", "....."}));
  EXPECT_EQ(drawn({.class_id = 1, .radius = kStepsPerPixel, .points = {middle(2, 1)}}, 3, 5),
            (Picture{"..1..", ".111.", "..1.."}));
  EXPECT_EQ(drawn({.class_id = 2, .radius = 4, .points = {middle(1, 1), middle(3, 1)}}, 3, 5),
            (Picture{".....", ".222.", "....."}));
}

TEST(Stroke, ABrushMayBeginAndEndOutside) {
  EXPECT_EQ(drawn({.class_id = 1, .radius = 4, .points = {{-kMaxSteps, 12}, {kMaxSteps, 12}}}, 3, 5),
            (Picture{".....", "11111", "....."}));
  EXPECT_EQ(drawn({.class_id = 1, .radius = 4, .points = {{-900, -900}}}, 2, 2), (Picture{"..", ".."}));
  EXPECT_EQ(drawn({.class_id = 1, .radius = kMaxSteps, .points = {{-9, 900}}}, 2, 2), (Picture{"11", "11"}));
}

TEST(Stroke, ALineHasTheSamePixelsInBothDirections) {
  for (std::uint32_t i = 0; i < 200; ++i) {
    const Draw at = draw(3, RngStream::kScene, i, 0, 0);
    const Point a = {static_cast<int>(at.below(0, 400)) - 40, static_cast<int>(at.below(1, 400)) - 40};
    const Point b = {static_cast<int>(at.below(2, 400)) - 40, static_cast<int>(at.below(3, 400)) - 40};
    const Stroke there = {.class_id = 1, .radius = 20, .points = {a, b}},
                 back = {.class_id = 1, .radius = 20, .points = {b, a}};
    EXPECT_EQ(drawn(there, 40, 40), drawn(back, 40, 40));
  }
}

TEST(Stroke, ABrushIsThePixelsNearItsLineWhereverThatLies) {
  // The distance from each pixel to each line segment, in integers.
  const auto is_near = [](Point p, Point a, Point b, std::int64_t radius) {
    const std::int64_t dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy;
    const std::int64_t along = (p.x - a.x) * dx + (p.y - a.y) * dy;
    const Point end = along <= 0 ? a : b;
    if (along <= 0 || along >= length2)
      return std::int64_t{p.x - end.x} * (p.x - end.x) + std::int64_t{p.y - end.y} * (p.y - end.y) <= radius * radius;
    const std::int64_t across = dx * (p.y - a.y) - dy * (p.x - a.x);
    return across * across <= radius * radius * length2;
  };
  constexpr std::size_t kRows = 23, kCols = 31;
  std::mt19937 random(5);
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const auto coordinate = [&] { return static_cast<std::int32_t>(random() % 500) - 120; };
    Stroke stroke = {.class_id = 1, .radius = static_cast<std::int32_t>(random() % (i % 3 == 0 ? 200 : 24))};
    for (std::uint32_t k = 0; k <= i % 4; ++k) {
      stroke.points.push_back({coordinate(), coordinate()});
      if (i % 5 == 0) stroke.points.push_back({stroke.points.back().x, coordinate()});
      if (i % 7 == 0) stroke.points.push_back({coordinate(), stroke.points.back().y});
    }
    image::LabelImage labels(kRows, kCols, 0), expected(kRows, kCols, 0);
    paint(stroke, labels);
    for (std::size_t row = 0; row < kRows; ++row)
      for (std::size_t col = 0; col < kCols; ++col)
        for (std::size_t p = 0; p < stroke.points.size(); ++p)
          if (is_near(middle(static_cast<int>(col), static_cast<int>(row)), stroke.points[p > 0 ? p - 1 : 0],
                      stroke.points[p], stroke.radius))
            expected(row, col) = 1;
    EXPECT_EQ(labels, expected) << i;
  }
}

TEST(Stroke, WorkIsThatOfPixelsAndPoints) {
  const Stroke dot = {.class_id = 1, .points = {middle(2, 1)}};
  EXPECT_EQ(work_of(dot, 480, 640), 4096u + 64 + 64 + 1) << "a stroke, a point, a row of it, a pixel";
  EXPECT_EQ(work_of({.tool = Tool::kRegion, .class_id = 3, .runs = {{1, 2}, {4, 3}}}, 2, 4), 4096u + 2 * 8 + 5);
  // However large the radius, only the rows and pixels of the image count.
  const Stroke wide = {.class_id = 1, .radius = kMaxSteps, .points = std::vector<Point>(1000, middle(2, 1))};
  EXPECT_EQ(work_of(wide, 480, 640), 4096u + 1000 * 64 + 999 * 480 * 64 + 480 * 640);
}

TEST(Stroke, APolygonTakesWhatIsInside) {
  const Stroke square = {.tool = Tool::kPolygon, .class_id = 1, .points = {{8, 8}, {32, 8}, {32, 24}, {8, 24}}};
  EXPECT_EQ(drawn(square, 4, 5), (Picture{".....", ".111.", ".111.", "....."}));
  const Stroke twice = {
      .tool = Tool::kPolygon,
      .class_id = 1,
      .points = {{0, 0}, {40, 0}, {40, 32}, {0, 32}, {0, 0}, {8, 8}, {32, 8}, {32, 24}, {8, 24}, {8, 8}}};
  EXPECT_EQ(drawn(twice, 4, 5), (Picture{"11111", "1...1", "1...1", "11111"})) << "even and odd";
}

TEST(Stroke, PolygonsWithACommonEdgePartThePixelsBetweenThem) {
  for (std::uint32_t i = 0; i < 200; ++i) {
    const Draw at = draw(4, RngStream::kScene, i, 0, 0);
    const Point top = {static_cast<int>(at.below(0, 320)), 0}, bottom = {static_cast<int>(at.below(1, 320)), 320};
    image::LabelImage count(40, 40, 0);
    for (const int side : {0, 320}) {
      image::LabelImage labels(40, 40, 0);
      paint({.tool = Tool::kPolygon, .class_id = 1, .points = {{side, 0}, top, bottom, {side, 320}}}, labels);
      for (std::size_t p = 0; p < labels.size(); ++p) count.data()[p] += labels.data()[p];
    }
    EXPECT_TRUE(std::ranges::all_of(count, [](int n) { return n == 1; })) << i;
  }
}

TEST(Stroke, ARegionIsItsRuns) {
  EXPECT_EQ(drawn({.tool = Tool::kRegion, .class_id = 3, .runs = {{1, 2}, {4, 3}}}, 2, 4), (Picture{".33.", "333."}));
}

TEST(Stroke, OfLabelsGivesEachPixelItsClassExceptProtectedOnes) {
  image::LabelImage found(2, 4, image::kVoid);
  found(0, 1) = found(0, 2) = 0;
  found(0, 3) = found(1, 0) = 1;
  found(1, 3) = 2;
  const Stroke stroke = labels_stroke(found, {7, 5, kErase});
  EXPECT_EQ(stroke.runs, (std::vector<PixelRun>{{1, 2}, {3, 2}})) << "a run ends where the class does, or has none";
  EXPECT_EQ(stroke.run_classes, (std::vector<std::uint16_t>{7, 5}));
  EXPECT_EQ(drawn(stroke, 2, 4), (Picture{".775", "5..."}));
  Stroke careful = stroke;
  careful.protected_classes = {2};
  EXPECT_EQ(drawn(careful, 2, 4, 2), (Picture{"2222", "2222"}));
}

TEST(Stroke, LockedClassesAreSparedAndAnEraserTakesAway) {
  EXPECT_EQ(drawn({.class_id = 1, .radius = 400, .points = {{0, 0}}, .protected_classes = {2}}, 1, 3, 2),
            (Picture{"222"}));
  EXPECT_EQ(drawn({.class_id = kErase, .points = {middle(1, 0)}}, 1, 3, 2), (Picture{"2.2"}));
}

TEST(Stroke, WhatIsOutOfRangeIsRefused) {
  const auto refused = [](const Stroke& stroke) {
    try {
      stroke.check(4, 5);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      return std::string(error.what());
    }
    return std::string();
  };
  testdata::expect_sentence(refused({}));
  testdata::expect_sentence(refused({.points = std::vector<Point>(kMaxPoints + 1)}));
  testdata::expect_sentence(refused({.radius = -1, .points = {{}}}));
  testdata::expect_sentence(refused({.points = {{kMaxSteps + 1, 0}}}));
  testdata::expect_sentence(refused({.tool = Tool::kPolygon, .points = {{}, {}}}));
  testdata::expect_sentence(refused({.tool = Tool::kLabels, .runs = {{1, 1}}}));
  testdata::expect_sentence(refused({.tool = Tool::kRegion}));
  testdata::expect_sentence(refused({.tool = Tool::kRegion, .runs = {{19, 2}}}));
  testdata::expect_sentence(refused({.tool = Tool::kRegion, .runs = {{4, 2}, {5, 1}}}));
  testdata::expect_sentence(refused({.tool = Tool::kRegion, .runs = {{0xffffffffu, 0xffffffffu}}}));
}

}  // namespace
}  // namespace fernwood::teach
