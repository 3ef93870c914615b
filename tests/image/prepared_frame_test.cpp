// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/prepared_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "devices.h"
#include "fernwood/core/error.h"
#include "image/plane_numbers.h"
#include "sentences.h"

namespace fernwood::image {
namespace {

using testing::ElementsAre;

/// 3 x 2 pixels; depth from 1 to 6 m, of which one is unknown, red from 1 to 6.
Frame small_frame() {
  Frame frame{Array2<Rgb>(2, 3), Array2<std::uint16_t>(2, 3)};
  for (std::size_t i = 0; i < 6; ++i) {
    frame.color.data()[i] = {static_cast<std::uint8_t>(i + 1), 0, 0};
    frame.depth_mm.data()[i] = static_cast<std::uint16_t>(1000 * (i + 1));
  }
  frame.depth_mm(0, 1) = 0;
  return frame;
}

std::vector<std::uint32_t> sums_of(const FrameView& view, int channel) {
  const std::uint32_t* first = view.sums + view.sum_plane[channel] * view.plane_size;
  return {first, first + view.plane_size};
}

/// Sums and counts of the pixels above and left of each position, in a frame so small that no sum wraps.
std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>> pairs_of(const FrameView& view, int channel) {
  std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>> result;
  for (std::int32_t i = 0; i < view.plane_size; ++i) {
    const SumAndCount of = sum_and_count(view.pairs[view.pair_plane[channel] * view.plane_size + i]);
    result.first.push_back(of.sum);
    result.second.push_back(of.count);
  }
  return result;
}

Preparation preparation(const std::vector<std::string>& channels, DepthFilling filling = DepthFilling::kNone) {
  return {ChannelLayout(channels), filling};
}

TEST(PreparedFrame, PlanesAreTheIntegralsOfSumsOrOfSumsAndCounts) {
  const PreparedFrame prepared(small_frame(), preparation({"rgb", "depth"}));
  const FrameView view = prepared.view();
  EXPECT_EQ(view.rows, 2);
  EXPECT_EQ(view.cols, 3);
  EXPECT_EQ(view.stride, 4);
  EXPECT_EQ(view.plane_size, 12);
  EXPECT_EQ(view.depth_channel, 3);
  EXPECT_EQ(view.sum_plane[0], 0);
  EXPECT_EQ(view.pair_plane[0], -1);
  EXPECT_EQ(view.sum_plane[3], -1);
  EXPECT_EQ(view.pair_plane[3], 0);
  EXPECT_EQ(prepared.size_bytes(), 3u * 12 * 4 + 12 * 8);
  EXPECT_THAT(sums_of(view, 0), ElementsAre(0, 0, 0, 0,                //
                                            0, 128, 3 * 128, 6 * 128,  //
                                            0, 5 * 128, 12 * 128, 21 * 128));
  const auto [depths, counts] = pairs_of(view, 3);
  EXPECT_THAT(depths, ElementsAre(0, 0, 0, 0,           //
                                  0, 1000, 1000, 4000,  //
                                  0, 5000, 10000, 19000));
  EXPECT_THAT(counts, ElementsAre(0, 0, 0, 0,  //
                                  0, 1, 1, 2,  //
                                  0, 2, 3, 5));
}

TEST(PreparedFrame, ChannelsThatFollowDepthLeaveUnknownPixelsOut) {
  const PreparedFrame prepared(small_frame(), preparation({"depth", "rgb", "upright", "facing"}));
  const FrameView view = prepared.view();
  for (const int channel : {0, 4, 5}) {
    ASSERT_GE(view.pair_plane[channel], 0);
    const auto [sums, counts] = pairs_of(view, channel);
    // The unknown pixel (1, 0) adds nothing: the sum of its column equals that of the column before.
    EXPECT_EQ(sums[4 + 2], sums[4 + 1]) << channel;
    EXPECT_THAT(counts, ElementsAre(0, 0, 0, 0,  //
                                    0, 1, 1, 2,  //
                                    0, 2, 3, 5));
  }
  EXPECT_EQ(view.pair_plane[1], -1);
}

TEST(PreparedFrame, AnyNumberOfThreadsGivesTheSamePlanes) {
  Frame frame{Array2<Rgb>(61, 83), Array2<std::uint16_t>(61, 83)};
  for (std::size_t i = 0; i < frame.color.size(); ++i) {
    frame.color.data()[i] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(7 * i), 9};
    frame.depth_mm.data()[i] = static_cast<std::uint16_t>(i % 5 ? 900 + i % 83 * 7 : 0);
  }
  Preparation every =
      preparation({"lab", "rgb", "gradient", "depth", "height", "upright", "facing", "behind", "above"});
  every.channels = ChannelLayout(every.channels.set_names(), {"floor", "wall"});
  ContextMaps maps{16, 21, std::vector<std::uint8_t>(2 * 16 * 21)};
  for (std::size_t i = 0; i < maps.values.size(); ++i) maps.values[i] = static_cast<std::uint8_t>(i * 37);
  const auto planes = [&](ThreadPool* pool) {
    PreparedFrame prepared(frame, every, pool);
    prepared.set_context(maps, pool);
    return plane_numbers(prepared.view(), every.channels.num_channels());
  };
  const std::vector<std::uint64_t> alone = planes(nullptr);
  for (const int threads : {1, 2, 7}) {
    ThreadPool pool(threads);
    EXPECT_EQ(planes(&pool), alone) << threads;
  }
}

TEST(PreparedFrame, CompleteDepthNeedsNoCounts) {
  const PreparedFrame prepared(small_frame(), preparation({"depth"}, DepthFilling::kSimple));
  EXPECT_EQ(prepared.view().pair_plane[0], -1);
  // The unknown pixel takes the 3000 on its right: 1000 + 3000 + 3000 + 4000 + 5000 + 6000 = 22000.
  EXPECT_EQ(sums_of(prepared.view(), 0).back(), 22000u);
  EXPECT_EQ(prepared.size_bytes(), 12u * 4);
}

TEST(PreparedFrame, DepthBeyondTheLimitIsFilledToo) {
  Frame frame;
  frame.depth_mm = Array2<std::uint16_t>(1, 2, 40000);
  frame.depth_mm(0, 0) = 900;
  const PreparedFrame prepared(frame, preparation({"depth"}, DepthFilling::kSimple));
  EXPECT_EQ(sums_of(prepared.view(), 0).back(), 1800u);
}

TEST(PreparedFrame, ColorizedFillingIsApplied) {
  Frame frame{Array2<Rgb>(1, 3, Rgb{9, 9, 9}), Array2<std::uint16_t>(1, 3)};
  frame.depth_mm(0, 0) = 1000;
  frame.depth_mm(0, 2) = 2000;
  if (!is_built_for("filling depth by colourisation")) GTEST_SKIP() << "built without Eigen";
  const PreparedFrame prepared(frame, preparation({"depth"}, DepthFilling::kColorized));
  EXPECT_EQ(sums_of(prepared.view(), 0).back(), 4500u);  // 1000 + 1500 + 2000
}

TEST(PreparedFrame, NoKnownDepthIsAFrameLikeAnyOther) {
  Frame frame = small_frame();
  frame.depth_mm = Array2<std::uint16_t>(2, 3);
  for (const DepthFilling filling : {DepthFilling::kNone, DepthFilling::kSimple}) {
    const PreparedFrame prepared(frame, preparation({"depth"}, filling));
    EXPECT_EQ(prepared.view().pair_plane[0], 0);
    EXPECT_EQ(plane_numbers(prepared.view(), 1), std::vector<std::uint64_t>(12, 0));
  }
}

TEST(PreparedFrame, ColorAloneAndDepthAloneWork) {
  Frame color = small_frame(), depth = small_frame();
  color.depth_mm = {};
  depth.color = {};
  EXPECT_EQ(PreparedFrame(color, preparation({"lab"})).view().depth_channel, -1);
  EXPECT_EQ(PreparedFrame(depth, preparation({"depth"})).view().depth_channel, 0);
}

TEST(PreparedFrame, OddSizesWork) {
  for (const auto& [rows, cols] : {std::pair{1, 1}, std::pair{1, 5}, std::pair{5, 1}}) {
    Frame frame{Array2<Rgb>(rows, cols, Rgb{255, 255, 255}), Array2<std::uint16_t>(rows, cols, 7)};
    const PreparedFrame prepared(frame, preparation({"lab", "gradient", "depth"}, DepthFilling::kSimple));
    EXPECT_EQ(sums_of(prepared.view(), 0).back(), 25600u * rows * cols);
    EXPECT_EQ(sums_of(prepared.view(), 3).back(), 0u);
    EXPECT_EQ(sums_of(prepared.view(), 4).back(), 7u * rows * cols);
  }
}

TEST(PreparedFrame, RealSizeFits) {
  Frame frame{Array2<Rgb>(480, 640, Rgb{255, 255, 255}), Array2<std::uint16_t>(480, 640, 20000)};
  frame.depth_mm(479, 639) = 0;
  const PreparedFrame prepared(std::move(frame), preparation({"lab", "depth"}));
  // 307199 * 20000 exceeds 2^32.
  EXPECT_EQ(plane_numbers(prepared.view(), 4).back(), 6143980000u + (std::uint64_t{307199} << 32));
  EXPECT_EQ(prepared.size_bytes(), (3u * 4 + 8) * 481 * 641);
}

TEST(PreparedFrame, ItsViewOutlivesAMove) {
  PreparedFrame first(small_frame(), preparation({"depth"}));
  const PreparedFrame second = std::move(first);
  EXPECT_EQ(plane_numbers(second.view(), 1).back(), 19000u + (std::uint64_t{5} << 32));
}

TEST(PreparedFrame, WhatIsMissingOrDoesNotFitIsTold) {
  Frame color = small_frame(), depth = small_frame(), uneven = small_frame();
  color.depth_mm = {};
  depth.color = {};
  uneven.depth_mm = Array2<std::uint16_t>(4, 3);
  const auto expect_refused = [](const Frame& frame, const Preparation& prepare) {
    testdata::expect_refused(ErrorKind::kData, [&] { PreparedFrame(frame, prepare); });
  };
  for (const Frame& frame : {color, depth, uneven}) expect_refused(frame, preparation({"lab", "depth"}));
  expect_refused(depth, preparation({"depth"}, DepthFilling::kColorized));
  expect_refused(Frame{}, preparation({"depth"}));
}

}  // namespace
}  // namespace fernwood::image
