// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/files/image_file.h"

#include <gtest/gtest.h>

#include "dataset/frame_files.h"
#include "fernwood/dataset/dataset.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

using namespace std::string_literals;

TEST(FallbackImageFile, WhatStandsInPlaceOfAnImageIsNamedWithItsRemedy) {
  const TestFolder folder;
  const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS pointer", "git lfs pull"},
      {"<!DOCTYPE html><html></html>", "HTML page", "fetch the file again"},
      {"\n <HTML><body>404</body>", "HTML page", "fetch the file again"},
      {"<?xml version=\"1.0\"?>", "XML", "fetch the file again"},
      {"GIF89a....", "GIF", "convert it to PNG"},
      {"\0\0\0\x0cjP  \r\n"s, "JPEG 2000", "convert it to PNG"},
      {"\0\0\0\x18"
       "ftypheic"s,
       "HEIC", "convert it to PNG"},
      {"\0\0\0\x18"
       "ftypavif"s,
       "AVIF", "convert it to PNG"},
      {"\0\0\0\x18"
       "ftypisom"s,
       "MP4 video", "export its pictures"},
      {"\x76\x2f\x31\x01\x02"s, "OpenEXR", "to PNG"},
      {"Pf\n2 2\n-1.0\n", "PFM", "bytes cannot hold"},
      {"PF\n2 2\n-1.0\n", "PFM", "16-bit integers in millimetres"},
      {"\x93NUMPY\x01", "NumPy array", "convert it to PNG"},
      {"PK\x03\x04....", "ZIP archive", "unpack it"},
      {"\x89HDF\r\n\x1a\n", "HDF5", "convert it to PNG"},
      {"\x1f\x8b\x08", "gzip", "unpack it"},
      {"%PDF-1.4", "PDF", "export"},
      {std::string(100, '\0'), "file of zeros", "fetch the file again"},
      {"hello", "nor a TIFF", "convert it to PNG"}};
  for (const auto& [content, noun, remedy] : cases) {
    const auto file = folder.write("f0_depth.png", content);
    for (const auto& read : std::vector<std::function<void()>>{[&] { read_color(file); }, [&] { read_depth(file); },
                                                               [&] { read_truth(file); }})
      testdata::expect_refused(ErrorKind::kData, read);
  }
}

TEST(FallbackImageFile, TiffOfOtherNumbersIsNamedWithOrWithoutThePlugin) {
  const TestFolder folder;
  const auto depth_refused = [&](const Bytes& bytes, const std::vector<std::string>& parts) {
    const auto file = folder.write("f0_depth.tiff", bytes);
    testdata::expect_refused(ErrorKind::kData, [&] { read_depth(file); });
    EXPECT_EQ(read_image_header(file).width, 3u);
  };
  depth_refused(TiffFile().image(3, 2, 64, 3).finish(), {"64-bit floats"});
  depth_refused(TiffFile().image(3, 2, 16, 3).finish(), {"16-bit floats"});
  depth_refused(TiffFile().image(3, 2, 32, 1).finish(), {"32 bits and 1 channel", "convert it to uint16"});
  depth_refused(TiffFile().image(3, 2, 32, 2).finish(), {"signed integers of 32 bits", "convert it to uint16"});
  const auto file = folder.write("a.tif", TiffFile().image(3, 2, 32, 3, 3, 2).finish());
  testdata::expect_refused(ErrorKind::kData, [&] { read_color(file); });
  testdata::expect_refused(ErrorKind::kData, [&] { read_truth(file); });
}

TEST(FallbackImageFile, NoMemoryIsTakenForSizesThatAreTooLargeOrUntrue) {
  const TestFolder folder;
  const auto refused = [&](const Bytes& bytes, const std::vector<std::string>& parts) {
    const auto file = folder.write("a.img", bytes);
    testdata::expect_refused(ErrorKind::kData, [&] { read_color(file); });
  };
  const auto of_text = [](const std::string& text) { return Bytes(text.begin(), text.end()); };
  refused(of_text("P6\n# a comment 3 4\n30000 20000\n255\n"), {"30000 x 20000 pixels", "33554432 supported"});
  refused(of_text("P5 99999999999999999999 2\n255\n"), {"supported"});
  refused(of_text("P6\n3000 2000\n255\n12345"), {"3000 x 2000 pixels", "bytes cannot hold"});
  refused(of_text("P4\n3000 2000\n12345"), {"3000 x 2000 pixels", "bytes cannot hold"});
  Bytes bitmap(54);
  bitmap[0] = 'B', bitmap[1] = 'M', bitmap[14] = 40, bitmap[26] = 1, bitmap[28] = 24;
  bitmap[19] = 0x75, bitmap[23] = 0x4e;  // 256 * 117 columns, 256 * 78 rows
  refused(bitmap, {"29952 x 19968 pixels", "33554432 supported"});
  bitmap[19] = bitmap[23] = 4;
  refused(bitmap, {"1024 x 1024 pixels", "54 bytes cannot hold"});
  Bytes webp = of_text("RIFF....WEBPVP8L....");
  webp.insert(webp.end(), {0x2f, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0, 0});
  refused(webp, {"16384 x 16384 pixels", "33554432 supported"});
  refused(TiffFile().image(30000, 20000, 8, 1, 3, 2).finish(), {"30000 x 20000 pixels", "33554432 supported"});
  Bytes small = TiffFile().image(5000, 5000, 16, 1, 4, 2).finish();
  small.resize(4000);
  refused(small, {"5000 x 5000 pixels", "bytes cannot hold"});
}

TEST(FallbackImageFile, ColoursOfPrintingPagesAndAnimationsAreRefused) {
  const TestFolder folder;
  const auto refused = [&](const Bytes& bytes, const std::vector<std::string>& parts) {
    const auto file = folder.write("a.tif", bytes);
    testdata::expect_refused(ErrorKind::kData, [&] { read_color(file); });
  };
  refused(TiffFile().image(3, 2, 8, 1, 4, 5).finish(), {"CMYK", "convert it to RGB"});
  refused(TiffFile().image(3, 2, 8, 1, 3, 2).finish(/*next=*/8), {"several pages", "files of their own"});
  refused({'R', 'I', 'F', 'F', 9, 0, 0, 0, 'W', 'E', 'B', 'P', 'V', 'P', '8', 'X', 10, 0, 0, 0, 2, 0, 0, 0},
          {"animation", "export its pictures"});
  refused(PngFile(1, 1, 8, PngFile::kRgb).chunk("acTL", {0, 0, 0, 5, 0, 0, 0, 0}).pixels({{1, 2, 3}}).finish(),
          {"animation of 5 pictures", "export them"});
}

TEST(FallbackImageFile, DepthOfOtherKindsHasARemedyThatWorks) {
  const TestFolder folder;
  const auto refused = [&](const Bytes& bytes, const std::vector<std::string>& parts) {
    const auto file = folder.write("f0_depth.png", bytes);
    testdata::expect_refused(ErrorKind::kData, [&] { read_depth(file); });
  };
  refused(encode_jpeg(Array2<image::Rgb>(2, 2)), {"JPEG has changed the values", "from its source"});
  refused(PngFile(1, 1, 8, PngFile::kGrey).pixels({{7}}).finish(), {"8 bits", "cannot hold millimetres"});
  refused(PngFile(1, 1, 1, PngFile::kGrey).pixels({{0x80}}).finish(), {"1 bit and 1 channel", "from its source"});
  refused(PngFile(1, 1, 8, PngFile::kRgb).pixels({{7, 8, 9}}).finish(), {"picture of depth in colours"});
  refused(PngFile(1, 1, 8, PngFile::kPalette).chunk("PLTE", {1, 2, 3}).pixels({{0}}).finish(), {"in colours"});
  refused(PngFile(1, 1, 16, PngFile::kGreyAlpha).pixels({{1, 2, 3, 4}}).finish(), {"convert it to 1 channel"});
}

}  // namespace
}  // namespace fernwood::dataset
