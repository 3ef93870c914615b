// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/image_io.h"
#include "fernwood/dataset/dataset.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "dataset/files/image_file.h"
#include "dataset/frame_files.h"
#include "fernwood/core/file.h"
#include "fernwood/core/plugin.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

const std::vector<image::Rgb> kSixPixels = {{1, 2, 3}, {255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {7, 54, 66}, {0, 0, 0}};

Bytes small_png() { return encode_png(rgb_image(2, 3, kSixPixels)); }

Bytes small_jpeg() { return encode_jpeg(Array2<image::Rgb>(16, 16, image::Rgb{200, 100, 50})); }

TEST(ImageIo, PngKeepsEveryColor) {
  const TestFolder folder;
  const Array2<image::Rgb> image = rgb_image(2, 3, kSixPixels);
  write_png(folder / "a.png", image);
  EXPECT_EQ(read_color(folder / "a.png"), image);
  EXPECT_EQ(read_truth(folder / "a.png"), image);
}

TEST(ImageIo, JpegComesCloseWithRedFirst) {
  const TestFolder folder;
  folder.write("a.jpg", encode_jpeg(Array2<image::Rgb>(24, 16, image::Rgb{200, 100, 50}), 95));
  const Array2<image::Rgb> image = read_color(folder / "a.jpg");
  ASSERT_EQ(image.rows(), 24u);
  ASSERT_EQ(image.cols(), 16u);
  for (const image::Rgb& pixel : image) {
    EXPECT_LE(std::abs(pixel.r - 200), 3);
    EXPECT_LE(std::abs(pixel.g - 100), 3);
    EXPECT_LE(std::abs(pixel.b - 50), 3);
  }
}

TEST(ImageIo, PaletteTruthGivesThePalettesColors) {
  const TestFolder folder;
  // Two bits per pixel: 00 01 10 01 = 0x19. The transparency of an entry must not change its colour.
  const Bytes file = PngFile(4, 1, 2, PngFile::kPalette)
                         .chunk("PLTE", {0, 0, 0, 7, 54, 66, 181, 137, 0})
                         .chunk("tRNS", {0, 0, 0})
                         .pixels({{0x19}})
                         .finish();
  EXPECT_EQ(read_truth(folder.write("a.png", file)),
            rgb_image(1, 4, {{0, 0, 0}, {7, 54, 66}, {181, 137, 0}, {7, 54, 66}}));
}

TEST(ImageIo, PaletteFilesGiveIndicesTheirColors) {
  const TestFolder folder;
  Array2<std::uint8_t> indices(2, 2);
  std::copy_n(Bytes{0, 2, 1, 2}.begin(), 4, indices.begin());
  write_palette_png(folder / "a.png", indices, std::vector<image::Rgb>{{1, 2, 3}, {255, 0, 0}, {0, 9, 0}});
  EXPECT_EQ(read_truth(folder / "a.png"), rgb_image(2, 2, {{1, 2, 3}, {0, 9, 0}, {255, 0, 0}, {0, 9, 0}}));
  EXPECT_EQ(read_color(folder / "a.png"), read_truth(folder / "a.png"));
}

TEST(ImageIo, IndicesWithoutAColorAreRefused) {
  const TestFolder folder;
  const Array2<std::uint8_t> indices(1, 1, 2);
  testdata::expect_refused(ErrorKind::kUsage,
                           [&] { write_palette_png(folder / "a.png", indices, std::vector<image::Rgb>(2)); });
  testdata::expect_refused(ErrorKind::kUsage,
                           [&] { write_palette_png(folder / "a.png", indices, std::vector<image::Rgb>(257)); });
  testdata::expect_refused(ErrorKind::kUsage, [&] {
    write_palette_png(folder / "a.png", Array2<std::uint8_t>(), std::vector<image::Rgb>(2));
  });
}

TEST(ImageIo, ChunksBesidesThePixelsChangeNothing) {
  const TestFolder folder;
  const Bytes file = PngFile(1, 1, 16, PngFile::kGrey)
                         .chunk("gAMA", {0, 0, 0x10, 0})
                         .chunk("iCCP", {'x', 0, 0, 1, 2, 3})  // an invalid profile, of which decoders warn
                         .chunk("tEXt", {'a', 0, 'b'})
                         .pixels({{0x12, 0x34}})
                         .finish();
  testing::internal::CaptureStderr();
  EXPECT_EQ(read_depth(folder.write("a.png", file)), depth_image(1, 1, {0x1234}));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(ImageIo, DepthKeepsMillimetersUpToTheLimit) {
  const TestFolder folder;
  write_png16(folder / "a.png", depth_image(2, 3, {0, 1, 4500, 32767, 32768, 65535}));
  EXPECT_EQ(read_depth(folder / "a.png"), depth_image(2, 3, {0, 1, 4500, 32767, 0, 0}));
}

TEST(ImageIo, DepthIsScaledAndRounded) {
  const TestFolder folder;
  write_png16(folder / "a.png", depth_image(1, 7, {0, 1, 2, 3, 13, 5, 65535}));
  // Times 0.2: 0, 0.2, 0.4, 0.6, 2.6, missing, 13107.
  EXPECT_EQ(read_depth(folder / "a.png", 0.2, 5), depth_image(1, 7, {0, 0, 0, 1, 3, 0, 13107}));
  // Times 0.5, halves rounded up: 0, 0.5, 1, 1.5, 6.5, 2.5, and 32767.5, which is rounded beyond the limit.
  EXPECT_EQ(read_depth(folder / "a.png", 0.5), depth_image(1, 7, {0, 1, 1, 2, 7, 3, 0}));
  // Times 1000: 13 m is within the limit, 65535 m is not; the mark for unknown depth may be 65535.
  EXPECT_EQ(read_depth(folder / "a.png", 1000, 65535), depth_image(1, 7, {0, 1000, 2000, 3000, 13000, 5000, 0}));
}

TEST(ImageIo, LabelPicturesStaySmall) {
  Array2<image::Rgb> image(480, 640, image::Rgb{7, 54, 66});
  for (std::size_t row = 100; row < 300; ++row)
    for (std::size_t col = row; col < 500; ++col) image(row, col) = {181, 137, 0};
  EXPECT_LT(encode_png(image).size(), 20000u);  // from 921600 bytes
}

TEST(ImageIo, WrongChannelsAreNamedWithTheRemedy) {
  struct Case {
    int bits;
    PngFile::ColorType type;
    Bytes row;
    bool is_color, is_truth, is_depth;
  };
  const Case cases[] = {{8, PngFile::kGrey, {9}, false, false, false},
                        {8, PngFile::kGreyAlpha, {9, 9}, false, false, false},
                        {16, PngFile::kRgb, {0, 1, 0, 2, 0, 3}, false, false, false},
                        {8, PngFile::kRgb, {1, 2, 3}, true, true, false},
                        {16, PngFile::kGrey, {0, 1}, false, false, true}};
  const TestFolder folder;
  for (const Case& bad : cases) {
    const auto file = folder.write("bad.png", PngFile(1, 1, bad.bits, bad.type).pixels({bad.row}).finish());
    if (!bad.is_color) testdata::expect_refused(ErrorKind::kData, [&] { read_color(file); });
    if (!bad.is_truth) testdata::expect_refused(ErrorKind::kData, [&] { read_truth(file); });
    if (!bad.is_depth) testdata::expect_refused(ErrorKind::kData, [&] { read_depth(file); });
  }
}

TEST(ImageIo, JpegIsNoDepthAndNoTruth) {
  const TestFolder folder;
  const auto file = folder.write("a.png", small_jpeg());
  testdata::expect_refused(ErrorKind::kData, [&] { read_depth(file); });
  testdata::expect_refused(ErrorKind::kData, [&] { read_truth(file); });
}

TEST(ImageIo, GreyJpegIsNoColorPicture) {
  const TestFolder folder;
  Bytes grey = small_jpeg();
  // Frame header: marker ff c0, length, precision, height, width, number of components.
  const Bytes marker = {0xff, 0xc0};
  const auto header = std::search(grey.begin(), grey.end(), marker.begin(), marker.end());
  ASSERT_NE(header, grey.end());
  header[9] = 1;
  const auto file = folder.write("a.jpg", grey);
  testdata::expect_refused(ErrorKind::kData, [&] { read_color(file); });
}

/// Expects that a file is refused in silence. What is wrong with damaged bytes is said by decoders.
void expect_damaged(const TestFolder& folder, const Bytes& bytes) {
  const auto file = folder.write("damaged", bytes);
  testing::internal::CaptureStderr();
  const std::optional<Error> error = error_of([&] { read_color(file); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), ErrorKind::kData);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(ImageIo, FilesCutOffAnywhereAreRefusedInSilence) {
  const TestFolder folder;
  for (const Bytes& whole : {small_png(), small_jpeg()})
    for (std::size_t size = 0; size < whole.size(); ++size) {
      SCOPED_TRACE(size);
      expect_damaged(folder, Bytes(whole.begin(), whole.begin() + static_cast<long>(size)));
    }
}

TEST(ImageIo, PngWithAChangedByteIsRefusedInSilence) {
  const TestFolder folder;
  const Bytes whole = small_png();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    SCOPED_TRACE(i);
    Bytes changed = whole;
    changed[i] ^= 0x10;
    expect_damaged(folder, changed);
  }
}

TEST(ImageIo, JpegWithBytesAfterItsEndIsWhole) {
  const TestFolder folder;
  Bytes longer = small_jpeg();
  longer.insert(longer.end(), 100, 0);
  EXPECT_EQ(read_color(folder.write("a.jpg", longer)).rows(), 16u);
}

TEST(ImageIo, OtherFilesAreNamed) {
  const TestFolder folder;
  const auto empty = folder.write("empty.png", Bytes{});
  const auto text = folder.write("text.png", std::string("hello"));
  testdata::expect_refused(ErrorKind::kData, [&] { read_color(empty); });
  testdata::expect_refused(ErrorKind::kData, [&] { read_depth(text); });
  testdata::expect_refused(ErrorKind::kRuntime, [&] { read_color(folder / "none.png"); });
}

TEST(ImageIo, TooLargeImagesAreRefusedBeforeTheyTakeMemory) {
  const TestFolder folder;
  const Bytes huge = PngFile(16384, 4097, 8, PngFile::kRgb).chunk("IDAT", {}).finish();  // 2^14 (2^12 + 1)
  const Bytes none = PngFile(0, 5, 8, PngFile::kRgb).chunk("IDAT", {}).finish();
  const auto huge_file = folder.write("huge.png", huge), none_file = folder.write("none.png", none);
  testdata::expect_refused(ErrorKind::kData, [&] { read_color(huge_file); });
  testdata::expect_refused(ErrorKind::kData, [&] { read_color(none_file); });
}

TEST(ImageIo, FilesThatCannotHoldTheirPixelsAreRefusedBeforeTheyTakeMemory) {
  const TestFolder folder;
  const Bytes claims = PngFile(5000, 5000, 8, PngFile::kRgb).chunk("IDAT", Bytes(11)).finish();
  const auto png = folder.write("claims.png", claims);
  testdata::expect_refused(ErrorKind::kData, [&] { read_color(png); });
  Bytes jpeg = small_jpeg();
  const std::array<std::uint8_t, 2> frame_header = {0xff, 0xc0};
  const auto at = std::search(jpeg.begin(), jpeg.end(), frame_header.begin(), frame_header.end()) - jpeg.begin();
  ASSERT_LT(at + 9, std::ssize(jpeg));
  const Bytes header(jpeg.begin() + at, jpeg.begin() + at + 2 + 17);
  for (const std::ptrdiff_t i : {5, 6, 7, 8}) jpeg[static_cast<std::size_t>(at + i)] = 0x10;  // 4112 x 4112
  const auto large = folder.write("claims.jpg", jpeg);
  testdata::expect_refused(ErrorKind::kData, [&] { read_color(large); });
  jpeg.insert(jpeg.begin() + at + 2 + 17, header.begin(),
              header.end());  // the second header is small; decoders use the first
  const auto hidden = folder.write("hidden.jpg", jpeg);
  testdata::expect_refused(ErrorKind::kData, [&] { read_color(hidden); });
}

TEST(ImageIo, JpegWithDamagedPixelsIsRefusedInSilence) {
  const TestFolder folder;
  Array2<image::Rgb> noise(64, 64);
  std::uint32_t state = 1;
  for (image::Rgb& pixel : noise) pixel.g = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  Bytes jpeg = encode_jpeg(noise, 90);
  const auto whole = folder.write("whole.jpg", jpeg);
  EXPECT_EQ(read_color(whole).rows(), 64u);
  jpeg.erase(jpeg.begin() + std::ssize(jpeg) / 2, jpeg.end() - 2);  // half of the data, and the end marker
  expect_damaged(folder, jpeg);
}

TEST(ImageIo, WhatCannotBeWrittenIsNamed) {
  const TestFolder folder;
  const Array2<image::Rgb> image(1, 1);
  testdata::expect_refused(ErrorKind::kRuntime, [&] { write_png(folder / "missing/a.png", image); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { encode_png(Array2<image::Rgb>()); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { write_png16(folder / "a.png", Array2<std::uint16_t>()); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { encode_jpeg(image, 0); });
}

// Files read by the image plug-in; skipped without it.

/// A PNM file, for example the header "P6 2 1 255\n" followed by bytes.
Bytes pnm_file(const std::string& header, const Bytes& values) {
  Bytes file(header.begin(), header.end());
  file.insert(file.end(), values.begin(), values.end());
  return file;
}

/// scripts/package can omit the plug-in but still runs the tests.
bool has_plugin() { return find_plugin_function("images", "fernwood_decode_image") != nullptr; }

class FallbackImages : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_plugin()) GTEST_SKIP() << "there is no plug-in fernwood_images.so";
  }
};

TEST_F(FallbackImages, ColorsAreReadRedFirst) {
  const TestFolder folder;
  const auto file = folder.write("a.ppm", pnm_file("P6 2 1 255\n", {10, 20, 30, 40, 50, 60}));
  EXPECT_EQ(read_color(file), rgb_image(1, 2, {{10, 20, 30}, {40, 50, 60}}));
  EXPECT_EQ(read_truth(file), read_color(file));
  EXPECT_EQ(read_image_header(file).width, 2u);
}

TEST_F(FallbackImages, DepthIsReadAsPngIs) {
  const TestFolder folder;
  const auto file = folder.write("a.pgm", pnm_file("P5 2 1 65535\n", {0x12, 0x34, 0xff, 0xff}));
  EXPECT_EQ(read_depth(file), depth_image(1, 2, {0x1234, 0}));
}

TEST_F(FallbackImages, WrongChannelsAreNamed) {
  const TestFolder folder;
  const auto grey = folder.write("a.pgm", pnm_file("P5 2 1 255\n", {1, 2}));
  testdata::expect_refused(ErrorKind::kData, [&] { read_color(grey); });
  testdata::expect_refused(ErrorKind::kData, [&] { read_depth(grey); });
  testdata::expect_refused(ErrorKind::kData, [&] { read_truth(grey); });
}

TEST_F(FallbackImages, WhatOpenCvCannotReadIsNamed) {
  const TestFolder folder;
  for (const char* damaged : {"BM", "P6 9 9 255\n"}) {
    const auto file = folder.write("a.tiff", std::string(damaged));
    testdata::expect_refused(ErrorKind::kData, [&] { read_color(file); });
  }
  for (const std::string& text : {std::string("hello"), std::string("II*"), std::string("RIFF"), std::string("MM"),
                                  std::string(128, ' ') + "DICM"})
    expect_damaged(folder, Bytes(text.begin(), text.end()));
}

// Two blocks of 2 x 2 pixels.
const Array2<image::Rgb> kTwoBlocks =
    rgb_image(2, 4, {{0, 0, 8}, {2, 0, 8}, kRed, kRed, {4, 8, 8}, {5, 100, 8}, kRed, kFloor});

TEST(Shrink, PicturesAreMeansOfBlocks) {
  // (0 + 2 + 4 + 5) / 4 = 2.75, 108 / 4 = 27, 8; (3 * 255 + 7) / 4 = 193, 54 / 4 = 13.5, 66 / 4 = 16.5.
  EXPECT_EQ(shrink_picture(kTwoBlocks, 2), rgb_image(1, 2, {{3, 27, 8}, {193, 14, 17}}));
}

TEST(Shrink, LabelsDoNotMix) {
  const Array2<image::Rgb> six = rgb_image(1, 6, {kRed, kFloor, kRed, kFloor, kRed, kFloor});
  EXPECT_EQ(shrink_labels(six, 2), rgb_image(1, 2, {kFloor, kRed}));
}

TEST(Shrink, SmallImagesStayAsTheyAre) {
  EXPECT_EQ(shrink_picture(kTwoBlocks, 200), kTwoBlocks);
  EXPECT_EQ(shrink_labels(kTwoBlocks, 4), kTwoBlocks);
}

TEST(Shrink, ProportionsStayAndOneRowRemains) {
  EXPECT_EQ(shrink_picture(Array2<image::Rgb>(480, 640), 200).rows(), 150u);
  EXPECT_EQ(shrink_picture(Array2<image::Rgb>(1, 640), 200).rows(), 1u);
  EXPECT_EQ(shrink_labels(Array2<image::Rgb>(7, 201), 200).cols(), 200u);
}

}  // namespace
}  // namespace fernwood::dataset
