// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Files for the tests of readers, which our own writers would not produce.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/dataset/image_io.h"
#include "test_folder.h"

namespace fernwood::dataset {

using testdata::Bytes, testdata::TestFolder, testdata::error_of;

inline Array2<image::Rgb> rgb_image(std::size_t rows, std::size_t cols, const std::vector<image::Rgb>& pixels) {
  Array2<image::Rgb> image(rows, cols);
  std::copy(pixels.begin(), pixels.end(), image.begin());
  return image;
}

inline Array2<std::uint16_t> depth_image(std::size_t rows, std::size_t cols, const std::vector<std::uint16_t>& values) {
  Array2<std::uint16_t> image(rows, cols);
  std::copy(values.begin(), values.end(), image.begin());
  return image;
}

/// Builds a TIFF file: a directory of 16-bit numbers, then uncompressed pixels.
class TiffFile {
 public:
  explicit TiffFile(bool is_little_endian = true) : little_(is_little_endian) {}

  TiffFile& tag(int number, std::uint32_t value, int type = 3) {
    tags_.push_back({static_cast<std::uint32_t>(number), value, type});
    return *this;
  }
  /// Adds all tags that a decoder needs for an image of one strip. @param format  1 unsigned, 2 signed, 3 float.
  TiffFile& image(std::uint32_t width, std::uint32_t height, std::uint32_t bits, std::uint32_t format,
                  std::uint32_t channels = 1, std::uint32_t photometric = 1) {
    const auto num_tags = 11u;
    pixels_.assign(std::size_t{width} * height * channels * bits / 8, 1);
    tag(256, width).tag(257, height).tag(258, bits).tag(259, 1).tag(262, photometric);
    tag(273, 8 + 2 + 12 * num_tags + 4, 4).tag(274, 1).tag(277, channels).tag(278, height);
    return tag(279, static_cast<std::uint32_t>(pixels_.size()), 4).tag(339, format);
  }
  Bytes finish(std::uint32_t next = 0) const {
    Bytes bytes = little_ ? Bytes{'I', 'I', 42, 0} : Bytes{'M', 'M', 0, 42};
    number(8, 4, &bytes);
    number(static_cast<std::uint32_t>(tags_.size()), 2, &bytes);
    for (const Entry& entry : tags_) {
      number(entry.number, 2, &bytes);
      number(static_cast<std::uint32_t>(entry.type), 2, &bytes);
      number(1, 4, &bytes);
      number(entry.value, entry.type == 3 ? 2 : 4, &bytes);
      if (entry.type == 3) number(0, 2, &bytes);
    }
    number(next, 4, &bytes);
    bytes.insert(bytes.end(), pixels_.begin(), pixels_.end());
    return bytes;
  }

 private:
  struct Entry {
    std::uint32_t number, value;
    int type;
  };
  void number(std::uint32_t value, int size_bytes, Bytes* bytes) const {
    for (int i = 0; i < size_bytes; ++i)
      bytes->push_back(static_cast<std::uint8_t>(value >> 8 * (little_ ? i : size_bytes - 1 - i)));
  }

  bool little_;
  std::vector<Entry> tags_;
  Bytes pixels_;
};

/// Exif data with the camera's orientation.
inline Bytes exif_of(int orientation, bool is_little_endian = true) {
  return TiffFile(is_little_endian).tag(271, 1).tag(274, static_cast<std::uint32_t>(orientation)).finish();
}

/// Inserts an orientation tag into a JPEG file. @param jpeg  A file without the tag.
inline Bytes with_exif(const Bytes& jpeg, const Bytes& exif) {
  const auto size = static_cast<std::uint16_t>(exif.size() + 8);
  Bytes bytes(jpeg.begin(), jpeg.begin() + 2);
  for (const int byte : {0xff, 0xe1, size >> 8, size & 255, 'E' + 0, 'x' + 0, 'i' + 0, 'f' + 0, 0, 0})
    bytes.push_back(static_cast<std::uint8_t>(byte));
  bytes.insert(bytes.end(), exif.begin(), exif.end());
  bytes.insert(bytes.end(), jpeg.begin() + 2, jpeg.end());
  return bytes;
}

/// Builds a PNG file whose pixels are stored uncompressed.
class PngFile {
 public:
  enum ColorType { kGrey = 0, kRgb = 2, kPalette = 3, kGreyAlpha = 4, kRgba = 6 };

  PngFile(std::uint32_t width, std::uint32_t height, int bits, ColorType type, bool interlaced = false)
      : bytes_{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'} {
    Bytes header = big_endian(width);
    append(big_endian(height), &header);
    append({static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(type), 0, 0, interlaced}, &header);
    chunk("IHDR", header);
  }

  PngFile& chunk(const std::string& type, const Bytes& content) {
    Bytes checked(type.begin(), type.end());
    append(content, &checked);
    append(big_endian(static_cast<std::uint32_t>(content.size())), &bytes_);
    append(checked, &bytes_);
    append(big_endian(crc32(checked)), &bytes_);
    return *this;
  }

  /// Adds rows of packed samples with filter type 0. At most 65535 bytes in total.
  PngFile& pixels(std::vector<Bytes> rows) {
    for (Bytes& row : rows) row.insert(row.begin(), 0);
    return filtered_pixels(rows);
  }

  /// Adds rows that begin with their filter type. At most 65535 bytes in total.
  PngFile& filtered_pixels(const std::vector<Bytes>& rows) {
    Bytes raw;
    for (const Bytes& row : rows) append(row, &raw);
    return chunk("IDAT", zlib_stream(raw));
  }

  /// One stored block: 2 bytes of stream header, 5 of block header, `raw`, 4 of checksum.
  static Bytes zlib_stream(const Bytes& raw) {
    const auto size = static_cast<std::uint16_t>(raw.size());
    Bytes stream = {0x78, 0x01, 1, low(size), high(size), low(~size), high(~size)};  // one stored block, the final one
    append(raw, &stream);
    append(big_endian(adler32(raw)), &stream);
    return stream;
  }

  Bytes finish() { return chunk("IEND", {}).bytes_; }

 private:
  static std::uint8_t low(int value) { return static_cast<std::uint8_t>(value & 255); }
  static std::uint8_t high(int value) { return static_cast<std::uint8_t>(value >> 8 & 255); }
  static void append(const Bytes& more, Bytes* bytes) {
    for (const std::uint8_t byte : more) bytes->push_back(byte);
  }
  static Bytes big_endian(std::uint32_t v) {
    return {static_cast<std::uint8_t>(v >> 24), static_cast<std::uint8_t>(v >> 16), static_cast<std::uint8_t>(v >> 8),
            static_cast<std::uint8_t>(v)};
  }
  static std::uint32_t crc32(const Bytes& bytes) {
    std::uint32_t crc = ~0u;
    for (const std::uint8_t byte : bytes) {
      crc ^= byte;
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? 0xedb88320u : 0u);
    }
    return ~crc;
  }
  static std::uint32_t adler32(const Bytes& bytes) {
    std::uint32_t a = 1, b = 0;
    for (const std::uint8_t byte : bytes) {
      a = (a + byte) % 65521;
      b = (b + a) % 65521;
    }
    return b << 16 | a;
  }

  Bytes bytes_;
};

}  // namespace fernwood::dataset
