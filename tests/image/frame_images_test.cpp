// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/image/frame.h"
#include "image/plane_numbers.h"
#include "sentences.h"

namespace fernwood::image {
namespace {

Frame numbered_frame() {
  Frame frame{Array2<Rgb>(3, 4), Array2<std::uint16_t>(3, 4)};
  for (std::size_t i = 0; i < frame.color.size(); ++i) {
    const auto value = static_cast<std::uint8_t>(i);
    frame.color.data()[i] = {value, static_cast<std::uint8_t>(value + 100), static_cast<std::uint8_t>(3 * value)};
    frame.depth_mm.data()[i] = static_cast<std::uint16_t>(1000 + 10 * i);
  }
  frame.depth_mm(1, 2) = 0;
  frame.camera = kKinect;
  frame.up = {0.1f, -0.9f, 0.2f};
  return frame;
}

/// The rows of an image, `pitch_bytes` apart, with arbitrary bytes between them.
template <typename Pixel>
std::vector<std::uint8_t> rows_apart(const Array2<Pixel>& image, std::size_t pitch_bytes) {
  std::vector<std::uint8_t> bytes(image.rows() * pitch_bytes, 0xa5);
  for (std::size_t row = 0; row < image.rows(); ++row)
    std::memcpy(bytes.data() + row * pitch_bytes, image.row(row), image.cols() * sizeof(Pixel));
  return bytes;
}

void expect_same(const Frame& a, const Frame& b) {
  EXPECT_EQ(a.color, b.color);
  EXPECT_EQ(a.depth_mm, b.depth_mm);
  EXPECT_EQ(a.camera, b.camera);
  EXPECT_EQ(a.up, b.up);
}

TEST(FrameImages, OfAFrameIsItsMemory) {
  const Frame frame = numbered_frame();
  const FrameImages borrowed = frame;
  EXPECT_EQ(borrowed.color, frame.color.data());
  EXPECT_EQ(borrowed.depth_mm, frame.depth_mm.data());
  EXPECT_TRUE(borrowed.is_plain());
  expect_same(copy_of(borrowed), frame);
  EXPECT_EQ(FrameImages(Frame{frame.color, {}}).depth_mm, nullptr);
  EXPECT_THROW(FrameImages(Frame{frame.color, Array2<std::uint16_t>(4, 3)}), Error);
}

TEST(FrameImages, RowsMayLieApart) {
  const Frame frame = numbered_frame();
  const std::vector<std::uint8_t> color = rows_apart(frame.color, 17), depth = rows_apart(frame.depth_mm, 10);
  FrameImages borrowed = frame;
  borrowed.color = reinterpret_cast<const Rgb*>(color.data());
  borrowed.color_pitch_bytes = 17;
  EXPECT_FALSE(borrowed.is_plain());
  borrowed.depth_mm = reinterpret_cast<const std::uint16_t*>(depth.data());
  borrowed.depth_pitch_bytes = 10;
  expect_same(copy_of(borrowed), frame);
  const std::vector<std::uint8_t> oddly_apart = rows_apart(frame.depth_mm, 11);
  borrowed.depth_mm = reinterpret_cast<const std::uint16_t*>(oddly_apart.data());
  borrowed.depth_pitch_bytes = 11;
  expect_same(copy_of(borrowed), frame);
}

TEST(FrameImages, DepthMayBeInMetres) {
  const Frame frame = numbered_frame();
  Array2<float> depth_m(3, 4);
  for (std::size_t i = 0; i < depth_m.size(); ++i)
    depth_m.data()[i] = static_cast<float>(frame.depth_mm.data()[i]) / 1000 + 0.0004f;
  depth_m(1, 2) = std::nanf("");
  FrameImages borrowed = frame;
  borrowed.depth_mm = nullptr;
  borrowed.depth_m = depth_m.data();
  EXPECT_FALSE(borrowed.is_plain());
  expect_same(copy_of(borrowed), frame);
  const std::vector<std::uint8_t> apart = rows_apart(depth_m, 24);
  borrowed.depth_m = reinterpret_cast<const float*>(apart.data());
  borrowed.depth_pitch_bytes = 24;
  expect_same(copy_of(borrowed), frame);
}

TEST(FrameImages, IsPreparedLikeACopyOfIt) {
  const Frame frame = numbered_frame();
  const std::vector<std::uint8_t> color = rows_apart(frame.color, 20), depth = rows_apart(frame.depth_mm, 12);
  FrameImages borrowed = frame;
  borrowed.color = reinterpret_cast<const Rgb*>(color.data());
  borrowed.depth_mm = reinterpret_cast<const std::uint16_t*>(depth.data());
  borrowed.color_pitch_bytes = 20;
  borrowed.depth_pitch_bytes = 12;
  for (const DepthFilling filling : {DepthFilling::kNone, DepthFilling::kSimple}) {
    const Preparation preparation{ChannelLayout({"lab", "depth", "upright"}), filling};
    const PreparedFrame a(borrowed, preparation), b(frame, preparation);
    const int num_channels = preparation.channels.num_channels();
    EXPECT_EQ(plane_numbers(a.view(), num_channels), plane_numbers(b.view(), num_channels));
  }
}

TEST(FrameImages, WhatCannotBeIsToldWithItsName) {
  const Frame frame = numbered_frame();
  const auto expect_refused = [&](const auto& spoil) {
    FrameImages borrowed = frame;
    spoil(borrowed);
    testdata::expect_refused(ErrorKind::kData, [&] { copy_of(borrowed); });
  };
  expect_refused([](FrameImages& f) { f.color_pitch_bytes = 11; });
  expect_refused([](FrameImages& f) { f.depth_pitch_bytes = 6; });
  expect_refused([](FrameImages& f) { f.color = nullptr, f.depth_mm = nullptr; });
  expect_refused([](FrameImages& f) { f.rows = 0; });
  expect_refused([](FrameImages& f) { f.cols = 70000; });
  const float depth_m = 1;
  expect_refused([&](FrameImages& f) { f.depth_m = &depth_m; });
}

}  // namespace
}  // namespace fernwood::image
