// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "image/prepare_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "devices.h"
#include "fernwood/core/error.h"

namespace fernwood::image {
namespace {

/// Noise over the whole range. One in `unknown_in` depths is unknown (0: none), half of them beyond the limit.
Frame noise(std::size_t rows, std::size_t cols, unsigned unknown_in = 5) {
  std::mt19937 random(static_cast<unsigned>(rows * 1000 + cols));
  Frame frame{Array2<Rgb>(rows, cols), Array2<std::uint16_t>(rows, cols)};
  for (Rgb& color : frame.color) {
    const auto bits = static_cast<std::uint32_t>(random());
    color = {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8),
             static_cast<std::uint8_t>(bits >> 16)};
  }
  for (std::uint16_t& depth : frame.depth_mm) {
    depth = static_cast<std::uint16_t>(1 + random() % kMaxDepthMm);
    if (unknown_in > 0 && random() % unknown_in == 0) depth = random() % 2 ? 0 : 40000;
  }
  return frame;
}

Preparation preparation_of(const std::vector<std::string>& channels, DepthFilling filling = DepthFilling::kNone) {
  return {ChannelLayout(channels), filling};
}

class PrepareOn : public DeviceTest {
 protected:
  void expect_same(const std::vector<Frame>& frames, const Preparation& how) {
    const auto wanted = prepare_on(Device{}, frames, how), got = prepare_on(GetParam(), frames, how);
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      SCOPED_TRACE(testing::Message() << "frame " << i << ", " << frames[i].cols() << " x " << frames[i].rows());
      const PlanesView &a = got[i].layout, &b = wanted[i].layout;
      EXPECT_EQ(a.rows, b.rows);
      EXPECT_EQ(a.cols, b.cols);
      EXPECT_EQ(a.stride, b.stride);
      EXPECT_EQ(a.plane_size, b.plane_size);
      EXPECT_EQ(a.depth_channel, b.depth_channel);
      for (int c = 0; c < kMaxChannels; ++c) EXPECT_EQ(a.count_plane[c], b.count_plane[c]);
      EXPECT_TRUE(got[i].planes == wanted[i].planes);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Each, PrepareOn, testing::ValuesIn(gpus()), name_of_device);

TEST_P(PrepareOn, PlanesAreThoseOfTheCpu) {
  const std::vector<Frame> frames = {noise(37, 53), noise(1, 1),     noise(1, 700),  noise(700, 1),  noise(3, 1500),
                                     noise(2, 256), noise(1030, 33), noise(512, 31), noise(511, 32), noise(480, 640)};
  expect_same(frames, preparation_of({"lab", "depth"}));
}

TEST_P(PrepareOn, EveryChannelSetIsThere) {
  std::vector<std::string> all;
  for (const ChannelSet& set : channel_sets()) {
    all.insert(all.begin(), std::string(set.name));
    expect_same({noise(29, 41)}, preparation_of({std::string(set.name)}));
  }
  expect_same({noise(29, 41)}, preparation_of(all));
}

TEST_P(PrepareOn, SurfacesAndTheirRoomAreThoseOfTheCpu) {
  std::vector<std::string> measured;
  for (const ChannelSet& set : channel_sets())
    if (set.needs_geometry) measured.emplace_back(set.name);
  // A floor, a wall with a niche, and holes; plain noise has no surfaces.
  Frame room = noise(480, 640, 3);
  for (std::size_t y = 0; y < 480; ++y)
    for (std::size_t x = 0; x < 640; ++x) {
      const std::size_t wall_mm = x % 200 < 60 ? 3500 : 2800, floor_mm = y > 240 ? 600000 / (y - 240) : wall_mm;
      std::uint16_t& depth = room.depth_mm(y, x);
      depth = is_known_depth(depth) ? static_cast<std::uint16_t>(std::min(wall_mm, floor_mm) + depth % 16) : 0;
    }
  Frame none = noise(30, 40);
  none.depth_mm = Array2<std::uint16_t>(30, 40);
  std::vector<Frame> frames = {room, none, noise(1, 1), noise(3, 1500), noise(240, 320)};
  for (const Vector3& up : {kImageUp, Vector3{0, 0, -1}, Vector3{0.4f, -1.0f, 0.5f}, Vector3{0, 1, 0}}) {
    for (Frame& frame : frames) frame.up = up;
    expect_same(frames, preparation_of(measured));
    expect_same(frames, preparation_of(measured, DepthFilling::kSimple));
  }
}

TEST_P(PrepareOn, EightBitColorsAllHaveTheSameLab) {
  Frame frame;
  frame.color = Array2<Rgb>(512, 512);
  std::mt19937 random(1);
  for (std::size_t i = 0; i < frame.color.size(); ++i) {  // every pair of red and green, with random blue
    frame.color.data()[i] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i >> 8),
                             static_cast<std::uint8_t>(random())};
  }
  expect_same({frame}, preparation_of({"lab"}));
}

TEST_P(PrepareOn, CompleteDepthNeedsNoCounts) {
  const std::vector<Frame> frames = {noise(20, 30, 0), noise(20, 30), noise(11, 9, 0)};
  expect_same(frames, preparation_of({"depth", "rgb"}));
  EXPECT_EQ(prepare_on(GetParam(), frames, preparation_of({"depth", "rgb"}))[0].layout.count_plane[0], -1);
}

TEST_P(PrepareOn, CountsOfCompleteDepthAreAreas) {
  const std::vector<Frame> frames = {noise(20, 30, 0)};
  const HostPlanes got = prepare_on(GetParam(), frames, preparation_of({"depth"}), false)[0];
  ASSERT_EQ(got.layout.count_plane[0], 1);
  for (std::size_t y = 0; y <= 20; ++y)
    for (std::size_t x = 0; x <= 30; ++x) ASSERT_EQ(got.planes[21 * 31 + y * 31 + x], x * y);
}

TEST_P(PrepareOn, OneKindOfImageIsEnough) {
  Frame color = noise(17, 19), depth = noise(17, 19);
  color.depth_mm = {};
  depth.color = {};
  expect_same({color}, preparation_of({"lab", "gradient"}));
  expect_same({depth}, preparation_of({"depth"}));
}

TEST_P(PrepareOn, SimpleFillingIsThatOfTheCpu) {
  std::vector<Frame> frames;
  for (const unsigned known_in : {2u, 40u, 3000u}) {  // from few holes to rows without depth
    Frame frame = noise(67, 300, 0);
    std::mt19937 random(known_in);
    for (std::uint16_t& depth : frame.depth_mm) depth = random() % known_in ? 0 : depth;
    frames.push_back(frame);
  }
  Frame one = noise(40, 200), none = noise(40, 200);
  one.depth_mm = none.depth_mm = Array2<std::uint16_t>(40, 200);
  one.depth_mm(17, 130) = 1234;
  none.depth_mm(3, 3) = 40000;
  for (const Frame& frame : {one, none, noise(1, 1), noise(5, 1), noise(1, 129), noise(480, 640)})
    frames.push_back(frame);
  expect_same(frames, preparation_of({"lab", "depth"}, DepthFilling::kSimple));
}

TEST_P(PrepareOn, ColorizedFillingIsDoneBefore) {
  if (!is_built_for("filling depth by colourisation")) GTEST_SKIP() << "built without Eigen";
  expect_same({noise(12, 10)}, preparation_of({"depth"}, DepthFilling::kColorized));
}

TEST_P(PrepareOn, MissingImagesAreADataError) {
  Frame color = noise(4, 4);
  color.depth_mm = {};
  EXPECT_THROW(prepare_on(GetParam(), std::vector<Frame>{color}, preparation_of({"lab", "depth"})), Error);
}

TEST(PrepareOnCpu, IsThePreparedFrame) {
  const Frame frame = noise(6, 7);
  const PreparedFrame prepared(frame, preparation_of({"lab", "depth", "height"}));
  const FrameView view = prepared.view();
  const HostPlanes got = prepare_on(Device{}, std::vector<Frame>{frame}, preparation_of({"lab", "depth", "height"}))[0];
  EXPECT_EQ(got.layout.planes, nullptr);
  const auto size = static_cast<std::size_t>(view.plane_size);
  ASSERT_EQ(got.planes.size(), 6 * size);
  EXPECT_TRUE(std::equal(got.planes.begin(), got.planes.begin() + 3 * view.plane_size, view.sums));
  std::uint32_t known = 0;
  for (const std::uint16_t depth : frame.depth_mm) known += is_known_depth(depth);
  EXPECT_EQ(got.planes.back(), known);
  for (const std::size_t channel : {3u, 4u}) {
    ASSERT_EQ(got.layout.count_plane[channel], 5);
    const std::uint64_t* pairs = view.pairs + (channel - 3) * size;
    for (std::size_t i = 0; i < size; ++i)
      ASSERT_EQ(got.planes[channel * size + i], static_cast<std::uint32_t>(pairs[i])) << i;
  }
}

}  // namespace
}  // namespace fernwood::image
