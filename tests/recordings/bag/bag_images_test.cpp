// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/bag/bag_topics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dataset/test_files.h"
#include "recordings/bag/bag_writer.h"
#include "recordings/bag/pixel_coding.h"
#include "sentences.h"

namespace fernwood::recordings {

using namespace dataset;

namespace {

const std::string kRaw = "sensor_msgs/Image", kCompressed = "sensor_msgs/CompressedImage";

ros::CodedMessage coded(const Bytes& bytes, ros::MessageCoding coding = ros::MessageCoding::kCdr) {
  return {bytes, coding, "a.mcap: /topic"};
}

Array2<image::Rgb> color_of(const TestImage& image) { return decode_color_image(kRaw, coded(image_message(image))); }
Array2<std::uint16_t> depth_of(const TestImage& image, const DepthUnit& unit = {}) {
  return decode_depth_image(kRaw, coded(image_message(image)), unit);
}
Bytes floats(const std::vector<float>& numbers) {
  ByteWriter out;
  for (const float number : numbers) out.number(number);
  return out.bytes;
}
Bytes reversed(Bytes bytes, std::size_t step) {
  for (std::size_t at = 0; at < bytes.size(); at += step)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + step));
  return bytes;
}

TEST(BagImage, EveryEncodingOfColourGivesRgb) {
  const Array2<image::Rgb> pixels = rgb_image(1, 2, {{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(color_of({.encoding = "rgb8", .data = {1, 2, 3, 4, 5, 6}}), pixels);
  EXPECT_EQ(color_of({.encoding = "bgr8", .data = {3, 2, 1, 6, 5, 4}}), pixels);
  EXPECT_EQ(color_of({.encoding = "rgba8", .data = {1, 2, 3, 9, 4, 5, 6, 9}}), pixels);
  EXPECT_EQ(color_of({.encoding = "bgra8", .data = {3, 2, 1, 9, 6, 5, 4, 9}}), pixels);
  EXPECT_EQ(color_of({.encoding = "mono8", .data = {7, 8}}), rgb_image(1, 2, {{7, 7, 7}, {8, 8, 8}}));
}

// BT.601 in whole numbers: 1.164 (Y - 16) + 1.596 (V - 128), and so on. Y = 81, U = 90, V = 240 is red.
TEST(BagImage, YuvIsConvertedToRgb) {
  for (const char* encoding : {"yuv422_yuy2", "yuyv"})
    EXPECT_EQ(color_of({.encoding = encoding, .data = {81, 90, 235, 240}}),
              rgb_image(1, 2, {{254, 0, 0}, {255, 179, 178}}));
  for (const char* encoding : {"yuv422", "uyvy"})
    EXPECT_EQ(color_of({.encoding = encoding, .data = {128, 16, 128, 235}}),
              rgb_image(1, 2, {{0, 0, 0}, {255, 255, 255}}));
  const auto planes = [](const char* encoding, const Bytes& chroma) {
    Bytes data = {81, 0, 81, 81, 0, 81, 16, 0, 235};  // a pixel of padding in each row of three bytes
    data.insert(data.end(), chroma.begin(), chroma.end());
    return color_of({.encoding = encoding, .rows = 3, .cols = 1, .step = 3, .data = data});
  };
  const Array2<image::Rgb> column = rgb_image(3, 1, {{254, 0, 0}, {254, 0, 0}, {0, 0, 0}});
  EXPECT_EQ(planes("nv12", {90, 240, 0, 128, 128}), column);
  EXPECT_EQ(planes("nv21", {240, 90, 0, 128, 128}), column);
  testdata::expect_refused(ErrorKind::kData, [&] { planes("nv12", {90, 240, 0, 128}); });
}

TEST(BagImage, ImagesWithoutANamedEncodingAreThoseOfCvBridge) {
  EXPECT_EQ(color_of({.encoding = "8UC3", .data = {3, 2, 1, 6, 5, 4}}), rgb_image(1, 2, {{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(depth_of({.encoding = "16SC1", .data = {1, 1, 0xff, 0xff}}, {.step_mm = 0.5}), depth_image(1, 2, {129, 0}));
}

TEST(BagImage, RowsMayBePaddedAndTheLastOneNeedNot) {
  const TestImage image = {.rows = 2, .cols = 1, .step = 5, .data = {1, 2, 3, 99, 99, 4, 5, 6}};
  EXPECT_EQ(color_of(image), rgb_image(2, 1, {{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(depth_of({.encoding = "16UC1", .rows = 2, .cols = 1, .step = 4, .data = {1, 1, 99, 99, 2, 0, 99, 99}}),
            depth_image(2, 1, {257, 2}));
}

TEST(BagImage, RowsThatAreNotThereAreAnError) {
  for (const TestImage& image : {TestImage{.rows = 2, .cols = 1, .step = 3, .data = {1, 2, 3, 4, 5}},
                                 TestImage{.step = 5}, TestImage{.cols = 3}})
    testdata::expect_refused(ErrorKind::kData, [&] { color_of(image); });
  testdata::expect_refused(ErrorKind::kData, [&] { color_of({.cols = 0, .step = 1}); });
  testdata::expect_refused(ErrorKind::kData, [&] { color_of({.rows = 65535, .cols = 65535, .step = 1}); });
}

TEST(BagImage, DepthIsMillimetresOrMetres) {
  EXPECT_EQ(depth_of({.encoding = "16UC1", .cols = 3, .data = {0, 0, 232, 3, 255, 255}}),
            depth_image(1, 3, {0, 1000, 0}));
  EXPECT_EQ(depth_of({.encoding = "mono16", .data = {1, 0, 2, 0}}), depth_image(1, 2, {1, 2}));
  EXPECT_EQ(depth_of({.encoding = "16UC1", .data = {4, 0, 9, 0}}, {0.25, 9}), depth_image(1, 2, {1, 0}));
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  EXPECT_EQ(depth_of({.encoding = "32FC1", .cols = 7, .data = floats({1.2344f, 0.0006f, nan, infinite, -1, 0, 40})}),
            depth_image(1, 7, {1234, 1, 0, 0, 0, 0, 0}));
}

TEST(BagImage, OrderOfBytesIsHonoured) {
  EXPECT_EQ(depth_of({.encoding = "16UC1", .data = {3, 232, 0, 1}, .is_bigendian = true}),
            depth_image(1, 2, {1000, 1}));
  EXPECT_EQ(depth_of({.encoding = "32FC1", .data = reversed(floats({1.5f, 2}), 4), .is_bigendian = true}),
            depth_image(1, 2, {1500, 2000}));
}

TEST(BagImage, EncodingsOfTheOtherKindAreNamed) {
  testdata::expect_refused(ErrorKind::kData, [&] { depth_of({}); });
  testdata::expect_refused(ErrorKind::kData, [&] { color_of({.encoding = "rgb16"}); });
}

// R 10 at (0, 0), G 20 and 30, B 40; each pixel gets the means of its neighbours' values.
TEST(BagImage, ABayerPatternIsInterpolated) {
  const Bytes data = {10, 20, 30, 40};
  EXPECT_EQ(color_of({.encoding = "bayer_rggb8", .rows = 2, .data = data}),
            rgb_image(2, 2, {{10, 25, 40}, {10, 20, 40}, {10, 30, 40}, {10, 25, 40}}));
  EXPECT_EQ(color_of({.encoding = "bayer_bggr8", .rows = 2, .data = data})(0, 1), (image::Rgb{40, 20, 10}));
  EXPECT_EQ(color_of({.encoding = "bayer_gbrg8", .rows = 2, .data = data})(0, 0), (image::Rgb{30, 10, 20}));
  EXPECT_EQ(color_of({.encoding = "bayer_grbg8", .rows = 2, .data = data})(0, 0), (image::Rgb{20, 10, 30}));
  const Array2<image::Rgb> wide =
      color_of({.encoding = "bayer_rggb8", .rows = 3, .cols = 3, .data = {10, 1, 20, 2, 100, 4, 30, 3, 40}});
  EXPECT_EQ(wide(1, 1), (image::Rgb{25, 3, 100}));  // red (10 + 20 + 30 + 40) / 4; green 10 / 4, rounded
}

TEST(BagImage, CdrOfBothOrdersOfBytes) {
  const Bytes big = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2};
  EXPECT_EQ(ros::read_stamp(coded(big)), 1'000'000'002);
  const Bytes little = {0, 1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0};
  EXPECT_EQ(ros::read_stamp(coded(little)), 1'000'000'002);
  const Bytes ros1 = {9, 9, 9, 9, 1, 0, 0, 0, 2, 0, 0, 0};
  EXPECT_EQ(ros::read_stamp(coded(ros1, ros::MessageCoding::kRos1)), 1'000'000'002);
  const Bytes other = {0, 3, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0};
  testdata::expect_refused(ErrorKind::kData, [&] { ros::read_stamp(coded(other)); });
}

TEST(BagImage, AMessageThatIsCutOffIsAnError) {
  const Bytes whole = image_message({});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THROW(decode_color_image(kRaw, coded(part)), Error) << size;
  }
}

class CompressedRosImage : public testing::Test {
 protected:
  static Bytes png16(const Array2<std::uint16_t>& image) {
    const TestFolder folder;
    write_png16(folder / "a.png", image);
    return read(folder / "a.png");
  }
  static Bytes read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Prepends the header of compressed_depth_image_transport.
  static Bytes with_head(const Bytes& image, float scale = 0, float shift = 0) {
    return ByteWriter().number(std::int32_t{0}).number(scale).number(shift).raw(image).bytes;
  }
  static ImageKind kind(const std::string& format, const Bytes& data) {
    return kind_of_image(kCompressed, coded(compressed_message(1, format, data)));
  }
  static Array2<std::uint16_t> depth(const std::string& format, const Bytes& data) {
    return decode_depth_image(kCompressed, coded(compressed_message(1, format, data)), {});
  }
  const Array2<image::Rgb> picture_ = rgb_image(1, 3, {{1, 2, 3}, {200, 5, 6}, {7, 8, 9}});
  const Array2<std::uint16_t> numbers_ = depth_image(2, 2, {0, 1000, 40000, 7});
};

TEST_F(CompressedRosImage, ColourIsWhatTheFileSaysWhateverTheFormatIsCalled) {
  for (const char* format : {"png", "rgb8; png compressed bgr8", "bgr8; png compressed bgr8"}) {
    const Bytes bytes = compressed_message(1, format, encode_png(picture_));
    EXPECT_EQ(decode_color_image(kCompressed, coded(bytes)), picture_);
    const ImageKind found = kind_of_image(kCompressed, coded(bytes));
    EXPECT_EQ(found.content, ImageContent::kColor);
    EXPECT_EQ(found.size.cols, 3u);
    EXPECT_EQ(found.frame_id, "optical");
  }
  const Array2<image::Rgb> red(16, 16, {200, 30, 30});
  for (const char* format : {"jpeg", "rgb8; jpeg compressed bgr8"}) {
    const Bytes bytes = compressed_message(1, format, encode_jpeg(red, 95));
    const image::Rgb pixel = decode_color_image(kCompressed, coded(bytes))(8, 8);
    EXPECT_NEAR(pixel.r, 200, 3);
    EXPECT_NEAR(pixel.b, 30, 3);
  }
}

TEST_F(CompressedRosImage, A16BitPngIsDepth) {
  EXPECT_EQ(kind("16UC1; png compressed ", png16(numbers_)).content, ImageContent::kDepth);
  EXPECT_EQ(depth("16UC1; png compressed ", png16(numbers_)), depth_image(2, 2, {0, 1000, 0, 7}));
}

TEST_F(CompressedRosImage, CompressedDepthOfMillimetres) {
  for (const char* format : {"16UC1; compressedDepth", "16UC1; compressedDepth png", "16UC1;compressedDepth"}) {
    EXPECT_EQ(kind(format, with_head(png16(numbers_))).content, ImageContent::kDepth);
    EXPECT_EQ(depth(format, with_head(png16(numbers_))), depth_image(2, 2, {0, 1000, 0, 7}));
  }
}

// depth = A / (value - B): 100 / (150 - 50) = 1 m, 100 / (90 - 50) = 2.5 m; 100 / (50 - 50) and negative values are
// unknown.
TEST_F(CompressedRosImage, CompressedDepthOfMetresIsInverse) {
  const Bytes data = with_head(png16(depth_image(1, 5, {0, 150, 90, 50, 40})), 100, 50);
  EXPECT_EQ(depth("32FC1; compressedDepth png", data), depth_image(1, 5, {0, 1000, 2500, 0, 0}));
}

// Runs: 1 zero, 2 values, +1000 as 2000 = 3 7 2 0 in 3-bit digits from the lowest (0, 2, 7, 3), -3 as 5; then 1 zero
// and no values.
TEST_F(CompressedRosImage, CompressedDepthByRvl) {
  const std::uint32_t first = 0x128'af351, second = 0x00000000;
  const Bytes rvl = ByteWriter().number(std::uint32_t{2}).number(std::uint32_t{2}).number(first).number(second).bytes;
  EXPECT_EQ(depth("16UC1; compressedDepth rvl", with_head(rvl)), depth_image(2, 2, {0, 1000, 997, 0}));
  const Bytes short_rvl = ByteWriter().number(std::uint32_t{2}).number(std::uint32_t{2}).number(first).bytes;
  testdata::expect_refused(ErrorKind::kData, [&] { depth("16UC1; compressedDepth rvl", with_head(short_rvl)); });
  const Bytes too_many = ByteWriter().number(std::uint32_t{1}).number(std::uint32_t{1}).number(first).bytes;
  testdata::expect_refused(ErrorKind::kData, [&] { depth("16UC1; compressedDepth rvl", with_head(too_many)); });
}

TEST_F(CompressedRosImage, WhatCannotBeReadIsOfAnotherKindAndSaysWhy) {
  const ImageKind video = kind("h264", {0, 0, 0, 1, 9});
  EXPECT_EQ(video.content, ImageContent::kOther);
  EXPECT_NE(video.encoding.find("neither a PNG nor a JPEG"), std::string::npos) << video.encoding;
  EXPECT_EQ(kind("jpeg", {}).content, ImageContent::kOther);
  EXPECT_EQ(kind("16UC1; compressedDepth png", {1, 2}).content, ImageContent::kOther);
}

}  // namespace
}  // namespace fernwood::recordings
