// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/files/image_metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/frame_files.h"
#include "fernwood/dataset/check.h"
#include "fernwood/dataset/dataset.h"
#include "sentences.h"

namespace fernwood::dataset {
namespace {

using testing::IsEmpty;

int orientation_of(const Bytes& bytes) { return read_orientation(reader_of(bytes)); }

Bytes jpeg_of(std::size_t rows, std::size_t cols) { return encode_jpeg(Array2<image::Rgb>(rows, cols, {90, 80, 70})); }

Bytes webp_with(const Bytes& exif) {
  Bytes bytes = {'R', 'I', 'F', 'F', 0, 0, 0, 0, 'W', 'E', 'B', 'P', 'V', 'P', '8', 'L', 1, 0, 0, 0, 7, 0};
  for (const char c : std::string("EXIF")) bytes.push_back(static_cast<std::uint8_t>(c));
  for (const std::size_t byte : {exif.size(), std::size_t{0}, std::size_t{0}, std::size_t{0}})
    bytes.push_back(static_cast<std::uint8_t>(byte));
  bytes.insert(bytes.end(), exif.begin(), exif.end());
  return bytes;
}

TEST(ImageMetadata, EveryOrientationIsReadFromEveryKindOfFileInBothByteOrders) {
  for (int orientation = 1; orientation <= 8; ++orientation)
    for (const bool is_little_endian : {true, false}) {
      const Bytes exif = exif_of(orientation, is_little_endian);
      EXPECT_EQ(orientation_of(with_exif(jpeg_of(2, 3), exif)), orientation);
      EXPECT_EQ(orientation_of(PngFile(1, 1, 8, PngFile::kRgb).chunk("eXIf", exif).pixels({{1, 2, 3}}).finish()),
                orientation);
      EXPECT_EQ(orientation_of(PngFile(1, 1, 8, PngFile::kRgb).pixels({{1, 2, 3}}).chunk("eXIf", exif).finish()),
                orientation);
      EXPECT_EQ(orientation_of(webp_with(exif)), orientation);
      EXPECT_EQ(orientation_of(exif), orientation);  // a TIFF file uses the same tags
    }
}

TEST(ImageMetadata, AnOrientationIsReadFromDiskAsFromMemory) {
  const TestFolder folder;
  EXPECT_EQ(read_orientation(folder.write("a.jpg", with_exif(jpeg_of(2, 3), exif_of(6)))), 6);
  EXPECT_EQ(read_orientation(folder.write("b.jpg", jpeg_of(2, 3))), 1);
  EXPECT_EQ(read_orientation(folder / "none.jpg"), 1);
}

TEST(ImageMetadata, DamagedTagsAreNone) {
  for (const int value : {0, 9, 255, 65535}) EXPECT_EQ(orientation_of(with_exif(jpeg_of(2, 3), exif_of(value))), 1);
  const Bytes whole = with_exif(jpeg_of(2, 3), exif_of(6));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const int orientation = orientation_of(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    EXPECT_TRUE(orientation == 1 || orientation == 6) << size;
  }
  for (std::size_t at = 0; at < 64; ++at)
    for (const int change : {1, 0x80, 0xff}) {
      Bytes damaged = whole;
      damaged[at] = static_cast<std::uint8_t>(damaged[at] ^ change);
      const int orientation = orientation_of(damaged);
      EXPECT_TRUE(orientation >= 1 && orientation <= 8) << at;
    }
}

TEST(ImageMetadata, AnotherSizeOfATurnedPictureIsExplainedByItsTag) {
  const TestFolder folder;
  folder.write("f0_colors.jpg", with_exif(jpeg_of(3, 2), exif_of(6)));
  add_truth(folder, "f0", std::vector<image::Rgb>(6, kFloor));
  const Dataset dataset = Dataset::open(folder.path());
  ThreadPool pool(1);
  testdata::expect_refused(ErrorKind::kData, [&] { dataset.scan_truth(pool); });
  testdata::expect_sentence(messages_of(check_dataset(folder.path(), {}, pool).problems));
}

TEST(ImageMetadata, ATagIsWarnedOfWhereSizesAgree) {
  for (const int orientation : {2, 3, 4, 5, 6, 7, 8}) {
    const TestFolder folder;
    for (const char* frame : {"f0", "f1"}) {
      folder.write(frame + std::string("_colors.jpg"), with_exif(jpeg_of(2, 2), exif_of(orientation)));
      add_truth(folder, frame, std::vector<image::Rgb>(4, kFloor), 2, 2);
    }
    const std::vector<std::string> warnings = Dataset::open(folder.path()).input_warnings();
    testdata::expect_sentence(join(warnings, "\n"));
    ThreadPool pool(1);
    EXPECT_NE(messages_of(check_dataset(folder.path(), {}, pool).problems).find(warnings.at(0)), std::string::npos);
    EXPECT_NE(orientation_note(folder / "f1_colors.jpg"), "");
  }
}

TEST(ImageMetadata, UprightPicturesAreNotWarnedOf) {
  const TestFolder folder;
  folder.write("f0_colors.jpg", with_exif(jpeg_of(2, 2), exif_of(1)));
  folder.write("f1_colors.jpg", jpeg_of(2, 2));
  for (const char* frame : {"f0", "f1"}) add_truth(folder, frame, std::vector<image::Rgb>(4, kFloor), 2, 2);
  EXPECT_THAT(Dataset::open(folder.path()).input_warnings(), IsEmpty());
  EXPECT_EQ(orientation_note(folder / "f0_colors.jpg"), "");
}

}  // namespace
}  // namespace fernwood::dataset
