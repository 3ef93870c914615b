// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/files/image_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "dataset/libpng.h"
#include "dataset/test_files.h"
#include "fernwood/core/file.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

Array2<image::Rgb> decode_rgb(const Bytes& file) {
  const ImageHeader header = inspect_image("a.png", file);
  Array2<image::Rgb> image(header.height, header.width);
  decode_png("a.png", file, header, &image);
  return image;
}

Array2<std::uint16_t> decode_grey16(const Bytes& file) {
  const ImageHeader header = inspect_image("a.png", file);
  Array2<std::uint16_t> image(header.height, header.width);
  decode_png("a.png", file, header, &image);
  return image;
}

Bytes rgb_file(std::uint32_t width, std::uint32_t height, const std::vector<Bytes>& filtered_rows) {
  return PngFile(width, height, 8, PngFile::kRgb).filtered_pixels(filtered_rows).finish();
}

TEST(PngDecode, DamagedPixelsAreErrorsOfTheFile) {
  const TestFolder folder;
  Bytes broken = PngFile::zlib_stream({0, 1, 2, 3}), checksum = broken;
  checksum.back() ^= 1;
  broken[5] ^= 1;  // the block's length and its complement differ
  const auto expect_damaged = [&](const Bytes& file) {
    const auto path = folder.write("a.png", file);
    testdata::expect_refused(ErrorKind::kData, [&] { read_color(path); });
  };
  expect_damaged(PngFile(1, 1, 8, PngFile::kRgb).chunk("IDAT", broken).finish());
  expect_damaged(PngFile(1, 1, 8, PngFile::kRgb).chunk("IDAT", checksum).finish());
  expect_damaged(rgb_file(1, 1, {{0, 1, 2, 3}, {0, 1, 2, 3}}));
  expect_damaged(rgb_file(1, 2, {{0, 1, 2, 3}}));
  expect_damaged(rgb_file(1, 2, {{0, 1, 2, 3}, {5, 1, 2, 3}}));
}

TEST(PngDecode, InterlacedPixelsGoWhereTheirPassSays) {
  // Pass 1 holds column 0, pass 6 column 1, pass 7 row 1; the others are empty.
  const Bytes file =
      PngFile(2, 2, 8, PngFile::kRgb, true).pixels({{1, 2, 3}, {4, 5, 6}, {7, 8, 9, 10, 11, 12}}).finish();
  EXPECT_EQ(decode_rgb(file), rgb_image(2, 2, {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}}));
}

TEST(PngDecode, PalettesWithoutColorsAreDamaged) {
  // No palette; not a multiple of 3; more than 256 colours.
  for (const std::size_t size : {0, 4, 771}) {
    const Bytes file = PngFile(1, 1, 8, PngFile::kPalette).chunk("PLTE", Bytes(size)).pixels({{0}}).finish();
    testdata::expect_refused(ErrorKind::kData, [&] { decode_rgb(file); });
  }
}

TEST(PngDecode, KindsThatTheSpecificationDoesNotKnowAreRefused) {
  for (const auto& [bits, type] : {std::pair(4, PngFile::kRgb), {16, PngFile::kPalette}, {2, PngFile::kRgba}}) {
    const Bytes file = PngFile(1, 1, bits, type).pixels({{0, 0, 0, 0, 0, 0, 0, 0}}).finish();
    testdata::expect_refused(ErrorKind::kData, [&] { inspect_image("a.png", file); });
  }
}

// Row 0: 11 20 30, 41 50 60. Row 1, filtered: 1 2 3, 250 4 5.
Array2<image::Rgb> second_row_filtered(std::uint8_t type) {
  return decode_rgb(rgb_file(2, 2, {{0, 11, 20, 30, 41, 50, 60}, {type, 1, 2, 3, 250, 4, 5}}));
}

TEST(PngDecode, FiltersAddTheirPrediction) {
  const auto with_second_row = [](image::Rgb first, image::Rgb second) {
    return rgb_image(2, 2, {{11, 20, 30}, {41, 50, 60}, first, second});
  };
  EXPECT_EQ(second_row_filtered(0), with_second_row({1, 2, 3}, {250, 4, 5}));
  // Sub: the first pixel has no left neighbour; 250 + 1, 4 + 2, 5 + 3.
  EXPECT_EQ(second_row_filtered(1), with_second_row({1, 2, 3}, {251, 6, 8}));
  // Up: 1 + 11, 2 + 20, 3 + 30; 250 + 41 - 256, 4 + 50, 5 + 60.
  EXPECT_EQ(second_row_filtered(2), with_second_row({12, 22, 33}, {35, 54, 65}));
  // Average, rounded down: 1 + 11 / 2, 2 + 20 / 2, 3 + 30 / 2; 250 + (6 + 41) / 2 - 256, 4 + (12 + 50) / 2, 5 + (18 +
  // 60) / 2.
  EXPECT_EQ(second_row_filtered(3), with_second_row({6, 12, 18}, {17, 35, 44}));
  // Paeth: the first is predicted from above; the second has p = 12 + 41 - 11, 22 + 50 - 20, 33 + 60 - 30, nearest to
  // above.
  EXPECT_EQ(second_row_filtered(4), with_second_row({12, 22, 33}, {35, 54, 65}));
}

TEST(PngDecode, NothingIsAboveTheFirstRow) {
  const auto one_row = [](std::uint8_t type) { return decode_rgb(rgb_file(2, 1, {{type, 9, 8, 7, 4, 4, 4}})); };
  EXPECT_EQ(one_row(1), rgb_image(1, 2, {{9, 8, 7}, {13, 12, 11}}));
  EXPECT_EQ(one_row(2), rgb_image(1, 2, {{9, 8, 7}, {4, 4, 4}}));
  EXPECT_EQ(one_row(3), rgb_image(1, 2, {{9, 8, 7}, {8, 8, 7}}));  // 4 + 9 / 2, 4 + 8 / 2, 4 + 7 / 2
  EXPECT_EQ(one_row(4), rgb_image(1, 2, {{9, 8, 7}, {13, 12, 11}}));
}

// Paeth's prediction from the bytes left, above and above-left.
int paeth_of(int left, int above, int above_left) {
  const auto byte = [](int value) { return static_cast<std::uint8_t>(value); };
  const std::uint8_t c = byte(above_left), b = byte(above), from_c = byte(left - above_left);
  return decode_rgb(rgb_file(2, 2, {{0, c, c, c, b, b, b}, {4, from_c, from_c, from_c, 0, 0, 0}}))(1, 1).r;
}

TEST(PngDecode, PaethPredictsTheNearestAndTheFirstOfEquals) {
  EXPECT_EQ(paeth_of(20, 10, 10), 20);    // p = 20
  EXPECT_EQ(paeth_of(10, 20, 10), 20);    // p = 20
  EXPECT_EQ(paeth_of(10, 30, 20), 20);    // p = 20
  EXPECT_EQ(paeth_of(8, 11, 10), 8);      // p = 9: left and above-left are 1 away
  EXPECT_EQ(paeth_of(11, 8, 10), 8);      // p = 9: above and above-left are 1 away
  EXPECT_EQ(paeth_of(255, 254, 0), 255);  // p = 509
  EXPECT_EQ(paeth_of(1, 0, 255), 0);      // p = -254
}

TEST(PngDecode, Grey16IsBigEndianAndFilteredByteByByte) {
  // Sub: 12 + 01, 34 + ff without a carry into the previous byte.
  const Bytes file = PngFile(2, 1, 16, PngFile::kGrey).filtered_pixels({{1, 0x12, 0x34, 0x01, 0xff}}).finish();
  EXPECT_EQ(decode_grey16(file), depth_image(1, 2, {0x1234, 0x1333}));
}

TEST(PngDecode, AlphaIsFilteredAndLeftOut) {
  const Bytes file = PngFile(2, 1, 8, PngFile::kRgba).filtered_pixels({{1, 10, 20, 30, 40, 1, 2, 3, 4}}).finish();
  EXPECT_EQ(decode_rgb(file), rgb_image(1, 2, {{10, 20, 30}, {11, 22, 33}}));
}

TEST(PngDecode, PaletteIndicesAreUnpackedFromTheHighBits) {
  const Bytes palette = {0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4};
  const auto one_row = [&](std::uint32_t width, int bits, const Bytes& filtered_row) {
    return decode_rgb(
        PngFile(width, 1, bits, PngFile::kPalette).chunk("PLTE", palette).filtered_pixels({filtered_row}).finish());
  };
  const image::Rgb p0 = {0, 0, 1}, p1 = {0, 0, 2}, p2 = {0, 0, 3}, p3 = {0, 0, 4};
  EXPECT_EQ(one_row(9, 1, {0, 0b10110000, 0x80}), rgb_image(1, 9, {p1, p0, p1, p1, p0, p0, p0, p0, p1}));
  EXPECT_EQ(one_row(5, 2, {0, 0b00011011, 0x40}), rgb_image(1, 5, {p0, p1, p2, p3, p1}));
  EXPECT_EQ(one_row(3, 4, {1, 0x12, 0x20}), rgb_image(1, 3, {p1, p2, p3}));  // Sub: 12, 20 + 12 = 32
  EXPECT_EQ(one_row(2, 8, {0, 3, 0}), rgb_image(1, 2, {p3, p0}));
  testdata::expect_refused(ErrorKind::kData, [&] { one_row(3, 8, {0, 3, 4, 255}); });
}

TEST(PngDecode, PixelsMayBeSplitOverChunks) {
  const Bytes stream = PngFile::zlib_stream({0, 1, 2, 3, 0, 4, 5, 6});
  PngFile file(1, 2, 8, PngFile::kRgb);
  for (const std::uint8_t byte : stream) file.chunk("IDAT", {byte});
  EXPECT_EQ(decode_rgb(file.chunk("IDAT", {}).finish()), rgb_image(2, 1, {{1, 2, 3}, {4, 5, 6}}));
}

struct Size {
  int width, height;
};

class PngDecodeSizes : public testing::TestWithParam<Size> {
 protected:
  std::uint8_t byte() { return static_cast<std::uint8_t>(random_()); }

  // Random bytes are valid filtered rows; every fifth row has the same filter type.
  Bytes noise_file(int bits, PngFile::ColorType type, int bits_per_pixel) {
    const auto [width, height] = GetParam();
    std::vector<Bytes> rows(static_cast<std::size_t>(height),
                            Bytes(1 + static_cast<std::size_t>(width * bits_per_pixel + 7) / 8));
    for (std::size_t index = 0; index < rows.size(); ++index) {
      for (std::uint8_t& value : rows[index]) value = byte();
      rows[index][0] = static_cast<std::uint8_t>((index + 4) % 5);
    }
    PngFile file(static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), bits, type);
    if (type == PngFile::kPalette) {
      Bytes palette(3 * (std::size_t{1} << bits));
      for (std::uint8_t& value : palette) value = byte();
      file.chunk("PLTE", palette);
    }
    return file.filtered_pixels(rows).finish();
  }

  // Waves with noise in the lowest bits, similar to rows of photographs.
  Bytes smooth(int channels, int amplitude, bool wide) {
    Bytes rows;
    for (int row = 0; row < GetParam().height; ++row)
      for (int i = 0; i < GetParam().width * channels; ++i) {
        const double wave = std::sin(0.01 * row + 0.02 * (i / channels) + i % channels);
        const int value = static_cast<int>(amplitude * (1 + wave)) + byte() % 4;
        if (wide) rows.push_back(static_cast<std::uint8_t>(value >> 8));
        rows.push_back(static_cast<std::uint8_t>(value));
      }
    return rows;
  }

  // Files compressed by libpng, which chooses the filter type of each row; the second half of the files is interlaced.
  std::vector<Bytes> encoded(const Bytes& rows, int bits, PngFile::ColorType type) {
    const auto [width, height] = GetParam();
    std::vector<Bytes> files;
    for (const bool interlaced : {false, true})
      for (const int level : {1, 9})
        for (const int strategy : {0, 1, 2, 3, 4})  // zlib: default, filtered, Huffman only, runs, fixed codes
          files.push_back(encode_by_libpng({width, height, bits, type, interlaced, level, strategy}, rows));
    return files;
  }

 private:
  std::mt19937 random_{1};
};

INSTANTIATE_TEST_SUITE_P(PngDecode, PngDecodeSizes,
                         testing::Values(Size{1, 1}, Size{3, 2}, Size{1, 9}, Size{7, 11}, Size{640, 25}),
                         [](const auto& info) {
                           return std::to_string(info.param.width) + "x" + std::to_string(info.param.height);
                         });

TEST_P(PngDecodeSizes, EveryFormatAndFilterIsAsLibpngHasIt) {
  const Bytes rgb = noise_file(8, PngFile::kRgb, 24), rgba = noise_file(8, PngFile::kRgba, 32);
  EXPECT_EQ(decode_rgb(rgb), libpng_rgb(rgb));
  EXPECT_EQ(decode_rgb(rgba), libpng_rgb(rgba));
  const Bytes grey16 = noise_file(16, PngFile::kGrey, 16);
  EXPECT_EQ(decode_grey16(grey16), libpng_grey16(grey16));
  for (const int bits : {1, 2, 4, 8}) {
    const Bytes palette = noise_file(bits, PngFile::kPalette, bits);
    EXPECT_EQ(decode_rgb(palette), libpng_rgb(palette)) << bits << " bits";
  }
}

TEST_P(PngDecodeSizes, EveryCompressionIsAsLibpngHasIt) {
  for (const auto& [type, channels] : {std::pair(PngFile::kRgb, 3), {PngFile::kRgba, 4}, {PngFile::kPalette, 1}})
    for (const Bytes& file : encoded(smooth(channels, 120, false), 8, type))
      EXPECT_EQ(decode_rgb(file), libpng_rgb(file));
  for (const Bytes& file : encoded(smooth(1, 3000, true), 16, PngFile::kGrey))
    EXPECT_EQ(decode_grey16(file), libpng_grey16(file));
}

TEST_P(PngDecodeSizes, WhatIsWrittenIsReadByLibpng) {
  const auto rows = static_cast<std::size_t>(GetParam().height), cols = static_cast<std::size_t>(GetParam().width);
  Array2<image::Rgb> color(rows, cols);
  for (image::Rgb& pixel : color) pixel = {byte(), byte(), byte()};
  EXPECT_EQ(libpng_rgb(encode_png(color)), color);
  const TestFolder folder;
  Array2<std::uint16_t> depth(rows, cols);
  for (std::uint16_t& value : depth) value = static_cast<std::uint16_t>(byte() << 8 | byte());
  write_png16(folder / "a.png", depth);
  EXPECT_EQ(libpng_grey16(read_file(folder / "a.png")), depth);
  Array2<std::uint8_t> indices(rows, cols);
  Array2<image::Rgb> expected(rows, cols);
  const std::vector<image::Rgb> palette = {{1, 2, 3}, {4, 5, 6}, {70, 80, 90}};
  for (std::size_t i = 0; i < indices.size(); ++i) {
    indices.data()[i] = byte() % 3;
    expected.data()[i] = palette[indices.data()[i]];
  }
  write_palette_png(folder / "b.png", indices, palette);
  EXPECT_EQ(libpng_rgb(read_file(folder / "b.png")), expected);
}

}  // namespace
}  // namespace fernwood::dataset
