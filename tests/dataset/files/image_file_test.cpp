// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/files/image_file.h"

#include <gtest/gtest.h>

#include "dataset/test_files.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

const Bytes kFrameHeader = {0xff, 0xc0, 0, 11, 8, 1, 2, 3, 4, 1, 1, 0x11, 0};  // 8 bits, 0x0102 rows, 0x0304 columns
const Bytes kScan = {0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x12};               // header and first coded byte
const Bytes kEnd = {0xff, 0xd9};

Bytes jpeg(const std::vector<Bytes>& parts) {
  Bytes file = {0xff, 0xd8};
  for (const Bytes& part : parts) file.insert(file.end(), part.begin(), part.end());
  return file;
}

TEST(ImageFile, AStartOfImageWithoutAMarkerIsNoJpeg) {
  // OpenCV takes such a file for DICOM, and its decoder then ends the program.
  Bytes file(142, 0x92);
  std::ranges::copy(Bytes{0xff, 0xd8, 0x14, 0xff, 0xc0, 0x00, 0x11, 0x08, 0x00, 0x02, 0x00, 0x02, 0x03}, file.begin());
  std::ranges::copy(std::string("DICM"), file.begin() + 128);
  file[140] = 0xff, file[141] = 0xd9;
  testdata::expect_refused(ErrorKind::kData, [&] { inspect_image("color.jpg", file); });
}

TEST(ImageFile, JpegSaysItsSize) {
  const ImageHeader header = inspect_image("a.jpg", jpeg({kFrameHeader, kScan, kEnd}));
  EXPECT_FALSE(header.is_png);
  EXPECT_EQ(header.height, 0x102u);
  EXPECT_EQ(header.width, 0x304u);
  EXPECT_EQ(header.bits, 8);
  EXPECT_EQ(header.num_channels, 1);
}

TEST(ImageFile, JpegScansMayHoldStuffedBytesAndRestarts) {
  const Bytes coded = {0xff, 0x00, 0x34, 0xff, 0xd0, 0x56, 0xff, 0xff, 0xd7, 0xff, 0x00};
  EXPECT_EQ(inspect_image("a.jpg", jpeg({kFrameHeader, kScan, coded, kScan, coded, kEnd})).num_channels, 1);
}

TEST(ImageFile, JpegEndMarkOfAThumbnailDoesNotCount) {
  const Bytes exif = {0xff, 0xe1, 0, 8, 0xff, 0xd8, 1, 2, 0xff, 0xd9};
  inspect_image("a.jpg", jpeg({exif, kFrameHeader, kScan, kEnd}));
  testdata::expect_refused(ErrorKind::kData, [&] { inspect_image("a.jpg", jpeg({exif, kFrameHeader, kScan})); });
}

TEST(ImageFile, JpegWithoutAPictureIsAnError) {
  testdata::expect_refused(ErrorKind::kData, [&] { inspect_image("a.jpg", jpeg({kEnd})); });
}

TEST(ImageFile, PngSaysItsSizeWithoutBeingWhole) {
  const TestFolder folder;
  Bytes file = PngFile(700, 300, 16, PngFile::kGrey).chunk("IDAT", {1, 2, 3}).finish();
  file.resize(33);  // signature and header
  const ImageHeader header = read_image_header(folder.write("a.png", file));
  EXPECT_EQ(header.width, 700u);
  EXPECT_EQ(header.height, 300u);
  EXPECT_EQ(header.bits, 16);
  EXPECT_TRUE(header.is_grey());
}

TEST(ImageFile, PngWithoutPixelsIsAnError) {
  testdata::expect_refused(ErrorKind::kData, [] { inspect_image("a.png", PngFile(1, 1, 8, PngFile::kRgb).finish()); });
}

}  // namespace
}  // namespace fernwood::dataset
