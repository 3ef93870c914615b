// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/half.h"
#include "fernwood/encoder/encoder.h"
#include "test_folder.h"

namespace fernwood::encoder {
namespace {

namespace fs = std::filesystem;

/// One map: the red of every pixel, divided by 3.
class CountingEncoder final : public Encoder {
 public:
  explicit CountingEncoder(std::string checksum) : info_{"counting", std::move(checksum)} {}
  const EncoderInfo& info() const override { return info_; }
  mutable int num_computed = 0;

 protected:
  image::SuppliedMaps compute(const image::Frame& frame) const override {
    ++num_computed;
    image::SuppliedMaps maps = {1, frame.rows(), frame.cols(), {}};
    for (const image::Rgb& pixel : frame.color) maps.values.push_back(static_cast<float>(pixel.r) / 3);
    return maps;
  }

 private:
  EncoderInfo info_;
};

image::Frame red_frame(std::uint8_t red) {
  image::Frame frame;
  frame.color = Array2<image::Rgb>(10, 10, {red, 0, 0});
  return frame;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  return files;
}

TEST(KeptMaps, AFrameIsEncodedOnce) {
  const testdata::TestFolder folder;
  const auto counting = std::make_shared<CountingEncoder>("1");
  const image::SuppliedMaps computed = keep_maps(counting, folder.path())->encode(red_frame(100));
  EXPECT_EQ(computed.values[0], from_half(to_half(100 / 3.0f)));
  const auto later = keep_maps(counting, folder.path());
  EXPECT_EQ(later->encode(red_frame(100)), computed);
  EXPECT_EQ(counting->num_computed, 1);
  image::Frame with_depth = red_frame(100);
  with_depth.depth_mm = Array2<std::uint16_t>(10, 10, 1);
  later->encode(with_depth);
  EXPECT_EQ(counting->num_computed, 2) << "an encoder may see depth";
  const auto other = std::make_shared<CountingEncoder>("2");
  keep_maps(other, folder.path())->encode(red_frame(100));
  EXPECT_EQ(other->num_computed, 1);
}

TEST(KeptMaps, DamagedFilesAreReplaced) {
  const testdata::TestFolder folder;
  const auto counting = std::make_shared<CountingEncoder>("1");
  const auto kept = keep_maps(counting, folder.path());
  const image::SuppliedMaps computed = kept->encode(red_frame(1));
  const fs::path file = files_in(folder.path()).at(0);
  const std::uintmax_t size = fs::file_size(file);
  for (const std::uintmax_t left : {size - 1, std::uintmax_t{3}}) {
    fs::resize_file(file, left);
    fs::resize_file(file, size);  // the rest is 0
    EXPECT_EQ(kept->encode(red_frame(1)), computed);
  }
  EXPECT_EQ(counting->num_computed, 3);
}

TEST(KeptMaps, FilesNotUsedForTheLongestTimeAreRemoved) {
  const testdata::TestFolder folder;
  const auto counting = std::make_shared<CountingEncoder>("1");
  const std::uintmax_t bytes_of_three =
      3 * 250;  // with the tenth that is freed; a file has 24 bytes and 100 numbers of 2
  const auto kept = keep_maps(counting, folder.path(), bytes_of_three);
  for (const std::uint8_t red : {1, 2, 3}) {
    kept->encode(red_frame(red));
    for (const fs::path& file : files_in(folder.path()))
      fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(1));
  }
  kept->encode(red_frame(1));  // used last
  kept->encode(red_frame(4));
  EXPECT_EQ(files_in(folder.path()).size(), 3u);
  EXPECT_EQ(counting->num_computed, 4);
  kept->encode(red_frame(1));
  EXPECT_EQ(counting->num_computed, 4);
  kept->encode(red_frame(2));
  EXPECT_EQ(counting->num_computed, 5);
}

TEST(KeptMaps, FunctionsWithoutAChecksumAreCalledAgain) {
  const auto counting = std::make_shared<CountingEncoder>("");
  EXPECT_EQ(keep_maps(counting), counting);
}

TEST(Half, EveryHalfComesBackAndFloatsGoToTheNearest) {
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    const auto bits = static_cast<std::uint16_t>(half);
    const float value = from_half(bits);
    if (value == value)
      ASSERT_EQ(to_half(value), bits) << value;
    else
      ASSERT_NE(from_half(to_half(value)), from_half(to_half(value)));
  }
  EXPECT_EQ(from_half(to_half(1 + 1.0f / 2048)), 1.0f) << "ties go to even";
  EXPECT_EQ(from_half(to_half(1 + 3.0f / 2048)), 1 + 2.0f / 1024);
  EXPECT_EQ(from_half(to_half(1 + 1.01f / 2048)), 1 + 1.0f / 1024);
  EXPECT_EQ(from_half(to_half(-70000.0f)), -65504.0f);
  EXPECT_EQ(from_half(to_half(1e-9f)), 0.0f);
  EXPECT_EQ(from_half(to_half(1.0f / (1 << 24))), 1.0f / (1 << 24));
}

}  // namespace
}  // namespace fernwood::encoder
