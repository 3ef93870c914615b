// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "formats/import/region.h"

#include <gmock/gmock.h>

#include "dataset/test_files.h"

namespace fernwood::formats {
namespace {

/// Draws a region: '#' is inside, '/' separates rows.
std::string picture(const Region& region) {
  std::string text;
  for (std::size_t row = 0; row < region.rows(); ++row) {
    if (row > 0) text += '/';
    for (std::size_t col = 0; col < region.cols(); ++col) text += region.has(row, col) ? '#' : '.';
  }
  return text;
}

std::string filled(const Polygon& polygon, std::size_t rows, std::size_t cols) {
  Region region(rows, cols);
  region.fill(polygon);
  return picture(region);
}

TEST(Region, HasThePixelsWhoseMiddleIsInside) {
  EXPECT_EQ(filled({{1, 0}, {3, 0}, {3, 2}, {1, 2}}, 3, 4), ".##./.##./....");
  EXPECT_EQ(filled({{0.6, 0.4}, {2.4, 0.4}, {2.4, 1.6}, {0.6, 1.6}}, 2, 4), ".#../.#..");
  EXPECT_EQ(filled({{0.5, 0.5}, {2.5, 0.5}, {2.5, 1.5}, {0.5, 1.5}}, 2, 4), "##../....")
      << "on an edge: inside to the right or below";
  EXPECT_EQ(filled({{0, 0}, {4, 0}, {0, 4}}, 4, 4), "###./##../#.../....");
}

TEST(Region, FollowsTheEvenOddRule) {
  // An inner square in the same path: points inside it have an even number of edges to their left.
  EXPECT_EQ(filled({{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}, {1, 1}, {3, 1}, {3, 3}, {1, 3}, {1, 1}}, 4, 4),
            "####/#..#/#..#/####");
}

TEST(Region, IsCutOffAtThePicture) {
  EXPECT_EQ(filled({{-5, -5}, {1e9, -5}, {1e9, 1e9}, {-5, 1e9}}, 2, 2), "##/##");
  EXPECT_EQ(filled({{5, 5}, {9, 5}, {9, 9}}, 2, 2), "../..");
  EXPECT_EQ(filled({{0, 0}, {2, 2}}, 2, 2), "../..") << "two points have no inside";
}

TEST(Region, TakesHolesAway) {
  Region region(3, 3);
  region.fill({{0, 0}, {3, 0}, {3, 3}, {0, 3}});
  region.fill({{1, 1}, {2, 1}, {2, 2}, {1, 2}}, false);
  EXPECT_EQ(picture(region), "###/#.#/###");
}

TEST(Region, TurnsBoxesAndDrawsEllipses) {
  EXPECT_EQ(filled(box_outline({3, 0}, 2, 3, 90), 3, 4), "###./###./....");
  EXPECT_EQ(filled(ellipse_outline({2, 2}, 2, 1, 0), 4, 4), "..../####/####/....");
}

TEST(Region, RunsGoAlongRowsOrDownColumns) {
  const auto of_mask = [](const Mask& mask) {
    Region region(3, 4);
    EXPECT_TRUE(region.fill(mask));
    return picture(region);
  };
  EXPECT_EQ(of_mask({{1, 2, 1, 2}, false, 1, 0, 2, 3}), "..#./.#../.##.");
  EXPECT_EQ(of_mask({{0, 3, 9}, true, 0, 0, 4, 3}), "#.../#.../#...");
  EXPECT_EQ(of_mask({{0, 3, 9}, false, 0, 0, 4, 3}), "###./..../....");
  EXPECT_EQ(of_mask({{0, 4}, false, -1, 2, 2, 2}), "..../..../#...") << "what is outside of the image is left out";
  Region region(3, 4);
  EXPECT_FALSE(region.fill(Mask{{0, 5}, false, 0, 0, 2, 2}));
}

TEST(Region, IsEmptyAgainOnceItIsDrawn) {
  Region region(3, 3);
  ImportedTruth truth{image::LabelImage(3, 3, 9), image::InstanceImage(3, 3, 0)};
  region.fill({{0, 0}, {2, 0}, {2, 2}, {0, 2}});
  region.draw(1, 7, truth);
  EXPECT_EQ(picture(region), ".../.../...");
  region.fill({{1, 1}, {3, 1}, {3, 3}, {1, 3}});
  region.fill({{2, 2}, {3, 2}, {3, 3}, {2, 3}}, false);
  region.draw(2, 8, truth);
  EXPECT_EQ(truth.labels, dataset::depth_image(3, 3, {1, 1, 9, 1, 2, 2, 9, 2, 9}));
  EXPECT_EQ(truth.instances, dataset::depth_image(3, 3, {7, 7, 0, 7, 8, 8, 0, 8, 0}));
}

TEST(Region, EndsLongWorkWhenItIsAsked) {
  std::stop_source stop;
  Region region(3, 3, stop.get_token());
  stop.request_stop();
  EXPECT_THROW(region.fill({{0, 0}, {3, 0}, {3, 3}}), Error);
  EXPECT_THROW(region.fill(Mask{{0, 1}, false, 0, 0, 3, 3}), Error);
}

}  // namespace
}  // namespace fernwood::formats
