// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/teach/stroke.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/draw.h"
#include "fernwood/core/error.h"

namespace fernwood::teach {
namespace {

using testing::HasSubstr;

/// Rows of "." for nothing and digits for classes.
std::vector<std::string> drawn(const Stroke& stroke, std::size_t rows, std::size_t cols,
                               std::uint16_t below = kErases) {
  stroke.check(rows, cols);
  image::LabelImage labels(rows, cols, below);
  paint(stroke, labels);
  std::vector<std::string> picture(rows, std::string(cols, '.'));
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t col = 0; col < cols; ++col)
      if (labels(row, col) != kErases) picture[row][col] = static_cast<char>('0' + labels(row, col));
  return picture;
}

/// The middle of a pixel.
Point middle(int col, int row) { return {col * kStepsPerPixel + 4, row * kStepsPerPixel + 4}; }

using Picture = std::vector<std::string>;

TEST(Stroke, ABrushTouchesWhatIsWithinItsRadius) {
  EXPECT_EQ(drawn({.gives = 1, .points = {middle(2, 1)}}, 3, 5), (Picture{".....", "..1..", "....."}));
  EXPECT_EQ(drawn({.gives = 1, .radius = kStepsPerPixel, .points = {middle(2, 1)}}, 3, 5),
            (Picture{"..1..", ".111.", "..1.."}));
  EXPECT_EQ(drawn({.gives = 2, .radius = 4, .points = {middle(1, 1), middle(3, 1)}}, 3, 5),
            (Picture{".....", ".222.", "....."}));
}

TEST(Stroke, ABrushMayBeginAndEndOutside) {
  EXPECT_EQ(drawn({.gives = 1, .radius = 4, .points = {{-kMostSteps, 12}, {kMostSteps, 12}}}, 3, 5),
            (Picture{".....", "11111", "....."}));
  EXPECT_EQ(drawn({.gives = 1, .radius = 4, .points = {{-900, -900}}}, 2, 2), (Picture{"..", ".."}));
  EXPECT_EQ(drawn({.gives = 1, .radius = kMostSteps, .points = {{-9, 900}}}, 2, 2), (Picture{"11", "11"}));
}

TEST(Stroke, ALineHasTheSamePixelsInBothDirections) {
  for (std::uint32_t i = 0; i < 200; ++i) {
    const Draw at = draw(3, Purpose::kScene, i, 0, 0);
    const Point a = {static_cast<int>(at.below(0, 400)) - 40, static_cast<int>(at.below(1, 400)) - 40};
    const Point b = {static_cast<int>(at.below(2, 400)) - 40, static_cast<int>(at.below(3, 400)) - 40};
    const Stroke there = {.gives = 1, .radius = 20, .points = {a, b}},
                 back = {.gives = 1, .radius = 20, .points = {b, a}};
    EXPECT_EQ(drawn(there, 40, 40), drawn(back, 40, 40));
  }
}

/// Whether the centre of a pixel is within the radius of a line, as the header tells it, in whole numbers.
bool is_within(Point centre, Point a, Point b, std::int64_t radius) {
  const auto square = [](std::int64_t x, std::int64_t y) { return x * x + y * y; };
  const std::int64_t dx = b.x - a.x, dy = b.y - a.y, x = centre.x - a.x, y = centre.y - a.y;
  const std::int64_t along = x * dx + y * dy, length2 = square(dx, dy);
  if (along <= 0) return square(x, y) <= radius * radius;
  if (along >= length2) return square(x - dx, y - dy) <= radius * radius;
  const std::int64_t across = dx * y - dy * x;
  return across * across <= radius * radius * length2;
}

TEST(Stroke, ABrushTouchesEachPixelOfEachLineAndNoOther) {
  for (std::uint32_t i = 0; i < 3000; ++i) {
    const Draw at = draw(4, Purpose::kScene, i, 0, 0), more = draw(4, Purpose::kScene, i, 1, 0);
    const auto place = [](std::uint32_t wide) { return static_cast<int>(wide) - 100; };
    Stroke stroke = {.gives = 1, .radius = static_cast<std::int32_t>(i % 5 == 0 ? i % 7 : more.below(0, 150))};
    for (std::uint32_t p = 0; p < 2; ++p)
      stroke.points.push_back({place(at.below(2 * p, 400)), place(at.below(2 * p + 1, 350))});
    // Upright, level and single points, and those that touch a centre exactly.
    if (i % 4 == 0) stroke.points.push_back({stroke.points[1].x, place(more.below(1, 350))});
    if (i % 4 == 1) stroke.points.push_back({place(more.below(1, 400)), stroke.points[1].y});
    if (i % 4 == 2)
      stroke.points.push_back(middle(static_cast<int>(more.below(1, 24)), static_cast<int>(more.below(2, 18))));
    if (i % 4 == 2) stroke.radius -= stroke.radius % kStepsPerPixel;
    image::LabelImage labels(18, 24, kErases);
    paint(stroke, labels);
    for (int row = 0; row < 18; ++row)
      for (int col = 0; col < 24; ++col) {
        bool is_touched = false;
        for (std::size_t p = 1; p < stroke.points.size(); ++p)
          is_touched |= is_within(middle(col, row), stroke.points[p - 1], stroke.points[p], stroke.radius);
        ASSERT_EQ(labels(static_cast<std::size_t>(row), static_cast<std::size_t>(col)) == 1, is_touched)
            << "stroke " << i << ", pixel " << col << "," << row;
      }
  }
}

TEST(Stroke, WhatPaintingTakesIsCountedInRowsOfItsLines) {
  const Stroke brush = {.gives = 1, .radius = 16, .points = {middle(3, 10), middle(90, 10), middle(9, 12)}};
  EXPECT_EQ(painting_work(brush, 100), 5u + 5u + 7u);  // a point, and two lines
  EXPECT_EQ(painting_work(brush, 9), 1u + 1u + 1u);
  const Stroke polygon = {.tool = Tool::kPolygon, .gives = 1, .points = {middle(1, 2), middle(8, 2), middle(4, 6)}};
  EXPECT_EQ(painting_work(polygon, 100), 0u + 4u + 4u);
}

TEST(Stroke, APolygonTakesWhatIsInside) {
  const Stroke square = {.tool = Tool::kPolygon, .gives = 1, .points = {{8, 8}, {32, 8}, {32, 24}, {8, 24}}};
  EXPECT_EQ(drawn(square, 4, 5), (Picture{".....", ".111.", ".111.", "....."}));
  const Stroke twice = {
      .tool = Tool::kPolygon,
      .gives = 1,
      .points = {{0, 0}, {40, 0}, {40, 32}, {0, 32}, {0, 0}, {8, 8}, {32, 8}, {32, 24}, {8, 24}, {8, 8}}};
  EXPECT_EQ(drawn(twice, 4, 5), (Picture{"11111", "1...1", "1...1", "11111"})) << "even and odd";
}

TEST(Stroke, PolygonsWithACommonEdgePartThePixelsBetweenThem) {
  for (std::uint32_t i = 0; i < 200; ++i) {
    const Draw at = draw(4, Purpose::kScene, i, 0, 0);
    const Point top = {static_cast<int>(at.below(0, 320)), 0}, bottom = {static_cast<int>(at.below(1, 320)), 320};
    image::LabelImage count(40, 40, 0);
    for (const int side : {0, 320}) {
      image::LabelImage labels(40, 40, 0);
      paint({.tool = Tool::kPolygon, .gives = 1, .points = {{side, 0}, top, bottom, {side, 320}}}, labels);
      for (std::size_t p = 0; p < labels.size(); ++p) count.data()[p] += labels.data()[p];
    }
    EXPECT_TRUE(std::ranges::all_of(count, [](int n) { return n == 1; })) << i;
  }
}

TEST(Stroke, ARegionIsItsRuns) {
  EXPECT_EQ(drawn({.tool = Tool::kRegion, .gives = 3, .runs = {{1, 2}, {4, 3}}}, 2, 4), (Picture{".33.", "333."}));
}

TEST(Stroke, OfLabelsGivesEachPixelItsClassAndSparesLockedOnes) {
  image::LabelImage found(2, 4, image::kVoid);
  found(0, 1) = found(0, 2) = 0;
  found(0, 3) = found(1, 0) = 1;
  found(1, 3) = 2;
  const Stroke stroke = labels_stroke(found, {7, 5, kErases});
  EXPECT_EQ(stroke.runs, (std::vector<PixelRun>{{1, 2}, {3, 2}})) << "a run ends where the class does, or has none";
  EXPECT_EQ(stroke.run_classes, (std::vector<std::uint16_t>{7, 5}));
  EXPECT_EQ(drawn(stroke, 2, 4), (Picture{".775", "5..."}));
  Stroke careful = stroke;
  careful.spares = {2};
  EXPECT_EQ(drawn(careful, 2, 4, 2), (Picture{"2222", "2222"}));
}

TEST(Stroke, LockedClassesAreSparedAndAnEraserTakesAway) {
  EXPECT_EQ(drawn({.gives = 1, .radius = 400, .points = {{0, 0}}, .spares = {2}}, 1, 3, 2), (Picture{"222"}));
  EXPECT_EQ(drawn({.gives = kErases, .points = {middle(1, 0)}}, 1, 3, 2), (Picture{"2.2"}));
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
  EXPECT_THAT(refused({}), HasSubstr("0 points"));
  EXPECT_THAT(refused({.points = std::vector<Point>(kMostPoints + 1)}), HasSubstr("100001 points"));
  EXPECT_THAT(refused({.radius = -1, .points = {{}}}), HasSubstr("radius of a brush is -1"));
  EXPECT_THAT(refused({.points = {{kMostSteps + 1, 0}}}), HasSubstr("(1048577, 0)"));
  EXPECT_THAT(refused({.tool = Tool::kPolygon, .points = {{}, {}}}), HasSubstr("give 3"));
  EXPECT_THAT(refused({.tool = Tool::kLabels, .runs = {{1, 1}}}), HasSubstr("0 classes"));
  EXPECT_THAT(refused({.tool = Tool::kRegion}), HasSubstr("no pixels"));
  EXPECT_THAT(refused({.tool = Tool::kRegion, .runs = {{19, 2}}}), HasSubstr("leaves the frame of 20"));
  EXPECT_THAT(refused({.tool = Tool::kRegion, .runs = {{4, 2}, {5, 1}}}), HasSubstr("ended, at 6"));
  EXPECT_THAT(refused({.tool = Tool::kRegion, .runs = {{0xffffffffu, 0xffffffffu}}}), HasSubstr("4294967295"));
}

}  // namespace
}  // namespace fernwood::teach
