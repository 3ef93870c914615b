// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Metadata of image files: the orientation tag (EXIF 2.32, 4.6.5; PNG eXIf; WebP EXIF) and the tags of TIFF files (TIFF
// 6.0). Invalid bytes are treated as absent.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fernwood/image/labels.h"

namespace fernwood::dataset {

/// Copies bytes of a file from an offset. @return  False when the file ends before.
using ReadAt = std::function<bool(std::size_t offset, std::span<std::uint8_t> bytes)>;
/// @param bytes  Must outlive the result.
ReadAt reader_of(std::span<const std::uint8_t> bytes);

struct TiffTags {
  std::size_t width = 0, height = 0;
  int bits = 1, num_channels = 1;
  int sample_format = 1;  ///< 1 unsigned, 2 signed, 3 float.
  int photometric = 0;    ///< 5 is CMYK.
  int compression = 1;    ///< 6 and 7 are JPEG.
  int orientation = 1;    ///< 1 to 8.
  std::size_t tile_width = 0, tile_height = 0;
  bool has_more_pages = false;  ///< Not counting thumbnails and masks.
};

/// Tags of the first image. @param start  Offset of the TIFF header.
std::optional<TiffTags> read_tiff_tags(const ReadAt& read, std::size_t start = 0);

/// The EXIF orientation of a JPEG, PNG, TIFF or WebP file, 1 to 8; 1 when it has none.
int read_orientation(const ReadAt& read);
/// As above, reading only a small part of the file; 1 when it cannot be read.
int read_orientation(const std::filesystem::path& path);

/// Labels of the stored pixels, turned as viewers turn a picture of an orientation.
image::LabelImage turned_labels(const image::LabelImage& labels, int orientation);
/// The orientation by which turned_labels() undoes another one.
constexpr int inverse_of(int orientation) {
  return orientation == 6 || orientation == 8 ? 14 - orientation : orientation;
}

/// "NAME has the EXIF orientation 6 (viewers rotate it by 90 degrees clockwise), which is not applied"; empty for 1.
std::string orientation_text(const std::filesystem::path& path, int orientation);
/// Remedy for a file with an orientation tag.
inline constexpr const char* kOrientationRemedy =
    "rotate its pixels and remove the tag (exiftran -ai, or ImageOps.exif_transpose of Pillow)";

/// One sentence for all files with an orientation tag; empty if none has one.
/// @param place  Beginning of the sentence.
std::optional<std::string> orientation_warning(const std::string& place,
                                               const std::vector<std::filesystem::path>& files);

}  // namespace fernwood::dataset
