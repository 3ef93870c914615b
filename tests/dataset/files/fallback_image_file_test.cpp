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
  for (const std::string& content :
       {"version https://git-lfs.github.com/spec/v1\noid sha256:0\n"s, "<!DOCTYPE html><html></html>"s,
        "\n <HTML><body>404</body>"s, "<?xml version=\"1.0\"?>"s, "GIF89a...."s, "\0\0\0\x0cjP  \r\n"s,
        "\0\0\0\x18"
        "ftypheic"s,
        "\0\0\0\x18"
        "ftypavif"s,
        "\0\0\0\x18"
        "ftypisom"s,
        "Pf\n2 2\n-1.0\n"s, "PF\n2 2\n-1.0\n"s, "\x93NUMPY\x01"s, "PK\x03\x04...."s, "\x89HDF\r\n\x1a\n"s,
        "\x1f\x8b\x08"s, "%PDF-1.4"s, std::string(100, '\0'), "hello"s}) {
    const auto file = folder.write("f0_depth.png", content);
    for (const auto& read : std::vector<std::function<void()>>{[&] { read_color(file); }, [&] { read_depth(file); },
                                                               [&] { read_truth(file); }})
      testdata::expect_refused(ErrorKind::kData, read);
  }
}

TEST(FallbackImageFile, TiffOfOtherNumbersIsNamedWithOrWithoutThePlugin) {
  const TestFolder folder;
  const auto depth_refused = [&](const Bytes& bytes) {
    const auto file = folder.write("f0_depth.tiff", bytes);
    testdata::expect_refused(ErrorKind::kData, [&] { read_depth(file); });
    EXPECT_EQ(read_image_header(file).width, 3u);
  };
  depth_refused(TiffFile().image(3, 2, 64, 3).finish());
  depth_refused(TiffFile().image(3, 2, 16, 3).finish());
  depth_refused(TiffFile().image(3, 2, 32, 1).finish());
  depth_refused(TiffFile().image(3, 2, 32, 2).finish());
  const auto file = folder.write("a.tif", TiffFile().image(3, 2, 32, 3, 3, 2).finish());
  testdata::expect_refused(ErrorKind::kData, [&] { read_color(file); });
  testdata::expect_refused(ErrorKind::kData, [&] { read_truth(file); });
}

TEST(FallbackImageFile, NoMemoryIsTakenForSizesThatAreTooLargeOrUntrue) {
  const TestFolder folder;
  const auto refused = [&](const Bytes& bytes) {
    const auto file = folder.write("a.img", bytes);
    testdata::expect_refused(ErrorKind::kData, [&] { read_color(file); });
  };
  const auto of_text = [](const std::string& text) { return Bytes(text.begin(), text.end()); };
  refused(of_text("P6\n# a comment 3 4\n30000 20000\n255\n"));
  refused(of_text("P5 99999999999999999999 2\n255\n"));
  refused(of_text("P6\n3000 2000\n255\n12345"));
  refused(of_text("P4\n3000 2000\n12345"));
  Bytes bitmap(54);
  bitmap[0] = 'B', bitmap[1] = 'M', bitmap[14] = 40, bitmap[26] = 1, bitmap[28] = 24;
  bitmap[19] = 0x75, bitmap[23] = 0x4e;  // 256 * 117 columns, 256 * 78 rows
  refused(bitmap);
  bitmap[19] = bitmap[23] = 4;
  refused(bitmap);
  Bytes webp = of_text("RIFF....WEBPVP8L....");
  webp.insert(webp.end(), {0x2f, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0, 0});
  refused(webp);
  refused(TiffFile()
              .tag(256, 30000)
              .tag(257, 20000)
              .tag(258, 8)
              .tag(259, 5)
              .tag(262, 2)
              .tag(273, 8, 4)
              .tag(277, 3)
              .tag(278, 20000)
              .tag(279, 100, 4)
              .tag(339, 1)
              .finish());
  Bytes small = TiffFile().image(5000, 5000, 16, 1, 4, 2).finish();
  small.resize(4000);
  refused(small);
}

TEST(FallbackImageFile, ColoursOfPrintingPagesAndAnimationsAreRefused) {
  const TestFolder folder;
  const auto refused = [&](const Bytes& bytes) {
    const auto file = folder.write("a.tif", bytes);
    testdata::expect_refused(ErrorKind::kData, [&] { read_color(file); });
  };
  refused(TiffFile().image(3, 2, 8, 1, 4, 5).finish());
  refused(TiffFile().image(3, 2, 8, 1, 3, 2).finish(/*next=*/8));
  refused({'R', 'I', 'F', 'F', 9, 0, 0, 0, 'W', 'E', 'B', 'P', 'V', 'P', '8', 'X', 10, 0, 0, 0, 2, 0, 0, 0});
  refused(PngFile(1, 1, 8, PngFile::kRgb).chunk("acTL", {0, 0, 0, 5, 0, 0, 0, 0}).pixels({{1, 2, 3}}).finish());
}

TEST(FallbackImageFile, DepthOfOtherKindsHasARemedyThatWorks) {
  const TestFolder folder;
  const auto refused = [&](const Bytes& bytes) {
    const auto file = folder.write("f0_depth.png", bytes);
    testdata::expect_refused(ErrorKind::kData, [&] { read_depth(file); });
  };
  refused(encode_jpeg(Array2<image::Rgb>(2, 2)));
  refused(PngFile(1, 1, 8, PngFile::kGrey).pixels({{7}}).finish());
  refused(PngFile(1, 1, 1, PngFile::kGrey).pixels({{0x80}}).finish());
  refused(PngFile(1, 1, 8, PngFile::kRgb).pixels({{7, 8, 9}}).finish());
  refused(PngFile(1, 1, 8, PngFile::kPalette).chunk("PLTE", {1, 2, 3}).pixels({{0}}).finish());
  refused(PngFile(1, 1, 16, PngFile::kGreyAlpha).pixels({{1, 2, 3, 4}}).finish());
}

}  // namespace
}  // namespace fernwood::dataset
