// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/channels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <set>

#include "fernwood/core/error.h"
#include "image/channel_table.h"
#include "image/geometry.h"
#include "image/scene_layout.h"
#include "image/values_of.h"
#include "sentences.h"

namespace fernwood::image {
namespace {

using testing::ElementsAre;
using testing::Pair;

Frame grey_frame(std::size_t rows, std::size_t cols, const std::vector<int>& greys) {
  Frame frame;
  frame.color = Array2<Rgb>(rows, cols);
  for (std::size_t i = 0; i < greys.size(); ++i) {
    const auto v = static_cast<std::uint8_t>(greys[i]);
    frame.color.data()[i] = {v, v, v};
  }
  return frame;
}

ChannelSource source_of(const Frame& frame) {
  return {.rows = static_cast<std::int32_t>(frame.rows()),
          .cols = static_cast<std::int32_t>(frame.cols()),
          .color = frame.color.data(),
          .depth = {frame.depth_mm.data()},
          .geometry = {},
          .room = {},
          .lab_tables = &lab_tables()};
}

/// Noise over the whole range of values; a fifth of the depths are unknown.
Frame noise_frame(std::size_t rows, std::size_t cols) {
  std::mt19937 random(7);
  const auto byte = [&] { return static_cast<std::uint8_t>(random()); };
  Frame frame{Array2<Rgb>(rows, cols), Array2<std::uint16_t>(rows, cols)};
  for (Rgb& color : frame.color) color = {byte(), byte(), byte()};
  for (std::uint16_t& depth : frame.depth_mm) depth = random() % 5 == 0 ? 0 : static_cast<std::uint16_t>(random());
  return frame;
}

int grey(const Frame& frame, int y, int x) {
  const int rows = static_cast<int>(frame.rows()), cols = static_cast<int>(frame.cols());
  const Rgb c = frame.color(static_cast<std::size_t>(std::clamp(y, 0, rows - 1)),
                            static_cast<std::size_t>(std::clamp(x, 0, cols - 1)));
  return (77 * c.r + 150 * c.g + 29 * c.b + 128) / 256;
}

/// Reference in double precision: the values of a channel set at a pixel, by the definitions of the channels.
std::vector<double> plain_values(std::string_view set, const Frame& frame, const Geometry& geometry,
                                 const SceneLayout& room, std::size_t row, std::size_t col) {
  const Rgb color = frame.color(row, col);
  if (set == "rgb") return {color.r * 128.0, color.g * 128.0, color.b * 128.0};
  if (set == "lab") {
    const Lab lab = rgb_to_lab(color, lab_tables());
    return {double(lab.l), double(lab.a), double(lab.b)};
  }
  if (set == "gradient") {
    double across = 0, down = 0;
    for (int d = -1; d <= 1; ++d)
      for (const int side : {-1, 1}) {
        const int y = static_cast<int>(row), x = static_cast<int>(col);
        across += side * (2 - std::abs(d)) * grey(frame, y + d, x + side);
        down += side * (2 - std::abs(d)) * grey(frame, y + side, x + d);
      }
    return {std::floor(16 * std::hypot(across, down) + 1e-9)};
  }
  const double depth_mm = frame.depth_mm(row, col);
  if (depth_mm == 0 || depth_mm > kMaxDepthMm) return {kUnknown};
  if (set == "depth") return {depth_mm};
  if (set == "height") {
    const Camera& camera = geometry.camera;
    const double u = (double(col) - camera.cx) / camera.fx, v = (double(row) - camera.cy) / camera.fy;
    const Vector3 up = geometry.orientation.up;
    const double height_mm = depth_mm * (u * up.x + v * up.y + up.z) - geometry.orientation.floor_mm;
    return {std::clamp<double>(height_mm, kLowestHeightMm, kHighestHeightMm)};
  }
  row /= kCellSize, col /= kCellSize;
  if (set == "upright") return {double(geometry.upright(row, col))};
  if (set == "facing") return {double(geometry.facing(row, col))};
  if (set == "behind") return {double(room.behind(row, col))};
  if (set == "above") return {double(room.above(row, col))};
  ADD_FAILURE() << "what is a pixel's " << set << "? Say it here";
  return {};
}

/// The planes of one channel set.
std::vector<ChannelImage> planes_of(const std::string& set_name, const Frame& frame) {
  const ChannelLayout layout({set_name});
  std::vector<ChannelImage> planes(layout.num_channels(), ChannelImage(frame.rows(), frame.cols(), 77));
  compute_channels(*layout.sets()[0], source_of(frame), planes);
  return planes;
}

TEST(Channels, LayoutNamesGroupsAndFindsDepth) {
  const ChannelLayout layout({"lab", "depth", "gradient"});
  ASSERT_EQ(layout.num_channels(), 5);
  EXPECT_EQ(layout.name(0), "L");
  EXPECT_EQ(layout.name(3), "depth");
  EXPECT_EQ(layout.name(4), "gradient");
  EXPECT_EQ(layout.group(0), layout.group(2));
  EXPECT_EQ(layout.group(2).name, "color");
  EXPECT_EQ(layout.group(3).name, "depth");
  EXPECT_EQ(layout.image(2), FrameImage::kColor);
  EXPECT_EQ(layout.image(3), FrameImage::kDepth);
  EXPECT_EQ(layout.depth_channel(), 3);
  EXPECT_TRUE(layout.needs_color());
  EXPECT_TRUE(layout.needs_depth());
  EXPECT_EQ(layout, ChannelLayout({"lab", "depth", "gradient"}));
  EXPECT_NE(layout, ChannelLayout({"depth", "lab", "gradient"}));
}

TEST(Channels, ColorOrDepthAloneNeedNothingElse) {
  EXPECT_EQ(ChannelLayout({"rgb"}).depth_channel(), -1);
  EXPECT_FALSE(ChannelLayout({"rgb"}).needs_depth());
  EXPECT_EQ(ChannelLayout({"depth"}).depth_channel(), 0);
  EXPECT_FALSE(ChannelLayout({"depth"}).needs_color());
}

TEST(Channels, WrongNamesAreToldWithThoseThatExist) {
  for (const std::vector<std::string>& names : {std::vector<std::string>{"lab", "normals"}, {"lab", "lab"}, {}})
    testdata::expect_refused(ErrorKind::kUsage, [&] { ChannelLayout{names}; });
}

TEST(Channels, TableNamesAreUniqueAndComplete) {
  std::set<std::string_view> sets, channels;
  for (const ChannelSet& set : channel_sets()) {
    EXPECT_TRUE(sets.insert(set.name).second) << set.name;
    for (const std::string_view name : set.channels) EXPECT_TRUE(channels.insert(name).second) << name;
    EXPECT_FALSE(set.channels.empty());
    EXPECT_FALSE(set.help.empty());
    EXPECT_TRUE(set.needs_color || set.needs_depth);
    EXPECT_TRUE(set.needs_depth || !set.needs_geometry);
    EXPECT_TRUE(set.needs_geometry || !set.needs_room);
    EXPECT_LT(set.least, set.greatest);
    EXPECT_GT(set.least, kUnknown);
  }
}

TEST(Channels, EverySetIsOfOneGroupThatIsDrawn) {
  for (const ChannelSet& set : channel_sets()) {
    EXPECT_GT(set.group.share, 0) << set.name;
    EXPECT_EQ(std::ranges::count(channel_groups(), set.group), 1) << set.name;
    EXPECT_EQ(std::ranges::count(channel_groups(), set.group.name, &ChannelGroup::name), 1) << set.name;
    EXPECT_NE(set.group, channel_groups().back()) << set.name;  // the last group is that of context stages
  }
}

TEST(Channels, OrderAndSharesOfGroupsMakeTheSameCandidatesAsEver) {
  std::vector<std::pair<std::string, int>> groups;
  for (const ChannelGroup& group : channel_groups()) groups.emplace_back(group.name, group.share);
  EXPECT_THAT(groups, ElementsAre(Pair("color", 3), Pair("depth", 3), Pair("gradient", 1), Pair("height", 1),
                                  Pair("upright", 1), Pair("facing", 1), Pair("behind", 1), Pair("above", 1),
                                  Pair("context", 4)));
}

TEST(Channels, EachSetIsWhatItIsSaidToBe) {
  const Frame frame = noise_frame(19, 14);
  const Geometry geometry = measure_geometry(frame.depth_mm, kKinect, kImageUp);
  const SceneLayout room = measure_scene_layout(geometry);
  ChannelSource source = source_of(frame);
  source.geometry = geometry.view();
  source.room = room.view();
  for (const ChannelSet& set : channel_sets()) {
    std::vector<ChannelImage> planes(set.channels.size(), ChannelImage(frame.rows(), frame.cols()));
    compute_channels(set, source, planes);
    for (std::size_t y = 0; y < frame.rows(); ++y)
      for (std::size_t x = 0; x < frame.cols(); ++x) {
        const std::vector<double> wanted = plain_values(set.name, frame, geometry, room, y, x);
        ASSERT_EQ(wanted.size(), planes.size());
        const double rounding = set.name == "height" ? 1.01 : 0;
        for (std::size_t p = 0; p < planes.size(); ++p)
          ASSERT_NEAR(planes[p](y, x), wanted[p], rounding) << set.channels[p] << " at " << x << ", " << y;
      }
  }
}

TEST(Channels, ValuesStayInTheRangeOfTheRow) {
  const Frame frame = noise_frame(40, 31);
  const Geometry geometry = measure_geometry(frame.depth_mm, kKinect, kImageUp);
  const SceneLayout room = measure_scene_layout(geometry);
  ChannelSource source = source_of(frame);
  source.geometry = geometry.view();
  source.room = room.view();
  for (const ChannelSet& set : channel_sets()) {
    std::vector<ChannelImage> planes(set.channels.size(), ChannelImage(40, 31));
    compute_channels(set, source, planes);
    for (const ChannelImage& plane : planes)
      for (std::size_t i = 0; i < plane.size(); ++i) {
        const std::int16_t value = plane.data()[i];
        if (set.needs_depth) {
          ASSERT_EQ(value == kUnknown, !is_known_depth(frame.depth_mm.data()[i])) << set.name;
        }
        if (value != kUnknown) {
          ASSERT_GE(value, set.least) << set.name;
          ASSERT_LE(value, set.greatest) << set.name;
        }
      }
  }
}

TEST(Channels, LabIsTheConversionOfEveryPixel) {
  Frame frame;
  frame.color = Array2<Rgb>(1, 2);
  frame.color(0, 0) = {255, 255, 255};
  frame.color(0, 1) = {200, 30, 90};
  const auto planes = planes_of("lab", frame);
  const Lab expected = rgb_to_lab({200, 30, 90}, lab_tables());
  EXPECT_THAT(values_of(planes[0]), ElementsAre(25600, expected.l));
  EXPECT_THAT(values_of(planes[1]), ElementsAre(0, expected.a));
  EXPECT_THAT(values_of(planes[2]), ElementsAre(0, expected.b));
}

TEST(Channels, RgbUsesFifteenBits) {
  Frame frame;
  frame.color = Array2<Rgb>(1, 1, Rgb{1, 2, 255});
  const auto planes = planes_of("rgb", frame);
  EXPECT_EQ(planes[0](0, 0), 128);
  EXPECT_EQ(planes[1](0, 0), 256);
  EXPECT_EQ(planes[2](0, 0), 32640);
}

TEST(Channels, GradientIsTheSobelMagnitudeWithTheBorderRepeated) {
  // A step of 100 between columns 1 and 2: gx = (1 + 2 + 1) * 100 in both, gy = 0; 16 * 400 = 6400.
  EXPECT_THAT(values_of(planes_of("gradient", grey_frame(3, 4, {0, 0, 100, 100, 0, 0, 100, 100, 0, 0, 100, 100}))[0]),
              ElementsAre(0, 6400, 6400, 0, 0, 6400, 6400, 0, 0, 6400, 6400, 0));
  // The same step between rows.
  EXPECT_THAT(values_of(planes_of("gradient", grey_frame(4, 1, {0, 0, 100, 100}))[0]), ElementsAre(0, 6400, 6400, 0));
  // One pixel of 10: gx = gy = 0 there, 2 * 10 beside it; gx = gy = 10 at the corners, 16 sqrt(200) = 226.27.
  EXPECT_THAT(values_of(planes_of("gradient", grey_frame(3, 3, {0, 0, 0, 0, 10, 0, 0, 0, 0}))[0]),
              ElementsAre(226, 320, 226, 320, 0, 320, 226, 320, 226));
}

TEST(Channels, GreatestGradientFitsTheChannel) {
  // gx = gy = 3 * 255 at the centre, where a white corner begins: 16 * 765 * sqrt 2 = 17309.9.
  EXPECT_EQ(planes_of("gradient", grey_frame(3, 3, {0, 0, 0, 0, 0, 255, 0, 255, 255}))[0](1, 1), 17309);
  // A vertical white edge: gx = 4 * 255, 16 * 1020 = 16320.
  EXPECT_EQ(planes_of("gradient", grey_frame(1, 2, {0, 255}))[0](0, 0), 16320);
}

TEST(Channels, DepthIsUnknownAtZeroAndBeyondFifteenBits) {
  Frame frame;
  frame.depth_mm = Array2<std::uint16_t>(1, 5);
  const std::vector<std::uint16_t> values = {0, 1, 32767, 32768, 65535};
  std::copy(values.begin(), values.end(), frame.depth_mm.begin());
  EXPECT_THAT(values_of(planes_of("depth", frame)[0]), ElementsAre(kUnknown, 1, 32767, kUnknown, kUnknown));
}

}  // namespace
}  // namespace fernwood::image
