// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/files/image_metadata.h"

#include <array>
#include <cstring>
#include <string_view>

#include "fernwood/core/file_stream.h"
#include "fernwood/dataset/image_io.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

/// Reads whole numbers and strings of a file.
class Numbers {
 public:
  Numbers(const ReadAt& read, bool is_little_endian) : read_(read), little_(is_little_endian) {}

  /// @param size_bytes  1 to 4.
  std::optional<std::uint32_t> at(std::size_t offset, std::size_t size_bytes) const {
    std::array<std::uint8_t, 4> bytes{};
    if (!read_(offset, std::span(bytes).first(size_bytes))) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size_bytes; ++i) value = value << 8 | bytes[little_ ? size_bytes - 1 - i : i];
    return value;
  }

 private:
  const ReadAt& read_;
  bool little_;
};

bool has_text(const ReadAt& read, std::size_t offset, std::string_view text) {
  std::array<std::uint8_t, 16> bytes{};
  const auto part = std::span(bytes).first(text.size());
  return read(offset, part) && std::memcmp(part.data(), text.data(), text.size()) == 0;
}

enum Tag : std::uint32_t {
  kNewSubfileType = 254,
  kWidth = 256,
  kHeight = 257,
  kBitsPerSample = 258,
  kCompression = 259,
  kPhotometric = 262,
  kOrientation = 274,
  kSamplesPerPixel = 277,
  kTileWidth = 322,
  kTileHeight = 323,
  kSampleFormat = 339
};

class TiffDirectory {
 public:
  TiffDirectory(const Numbers& numbers, std::size_t start, std::size_t offset)
      : numbers_(numbers), start_(start), first_(start + offset + 2) {
    num_entries_ = numbers.at(start + offset, 2).value_or(0);
  }

  int value(Tag tag, int otherwise) const {
    constexpr std::uint32_t kShort = 3, kLong = 4;
    for (std::size_t i = 0; i < num_entries_; ++i) {
      const std::size_t entry = first_ + 12 * i;
      const auto found = numbers_.at(entry, 2);
      if (!found) break;
      if (*found != tag) continue;
      const std::uint32_t type = numbers_.at(entry + 2, 2).value_or(0), count = numbers_.at(entry + 4, 4).value_or(0);
      if ((type != kShort && type != kLong) || count == 0) break;
      const std::size_t size_bytes = type == kShort ? 2 : 4;
      const bool is_inside = count <= 4 / size_bytes;
      const std::size_t place = is_inside ? entry + 8 : start_ + numbers_.at(entry + 8, 4).value_or(0);
      const std::uint32_t value = numbers_.at(place, size_bytes).value_or(0);
      return value <= INT32_MAX ? static_cast<int>(value) : otherwise;
    }
    return otherwise;
  }

  /// Offset of the next directory; 0 after the last.
  std::size_t next() const { return numbers_.at(first_ + 12 * num_entries_, 4).value_or(0); }

 private:
  const Numbers& numbers_;
  std::size_t start_, first_, num_entries_ = 0;
};

int exif_orientation(const ReadAt& read, std::size_t start) {
  if (has_text(read, start, std::string_view("Exif\0\0", 6))) start += 6;
  const std::optional<TiffTags> tags = read_tiff_tags(read, start);
  return tags ? tags->orientation : 1;
}

int jpeg_orientation(const ReadAt& read) {
  constexpr std::uint32_t kApp1 = 0xe1, kStartOfScan = 0xda, kEndOfImage = 0xd9;
  const Numbers numbers(read, false);
  for (std::size_t at = 2;;) {
    const auto mark = numbers.at(at, 1), marker = numbers.at(at + 1, 1);
    if (!mark || !marker || *mark != 0xff || *marker == kStartOfScan || *marker == kEndOfImage) return 1;
    if (*marker == 0xff) {  // fill byte
      ++at;
      continue;
    }
    const std::uint32_t size_bytes = numbers.at(at + 2, 2).value_or(0);
    if (size_bytes < 2) return 1;
    if (*marker == kApp1 && has_text(read, at + 4, std::string_view("Exif\0\0", 6)))
      return exif_orientation(read, at + 4);
    at += 2 + size_bytes;
  }
}

int png_orientation(const ReadAt& read) {
  const Numbers numbers(read, false);
  for (std::size_t at = 8;;) {
    const auto size_bytes = numbers.at(at, 4);
    if (!size_bytes || has_text(read, at + 4, "IEND")) return 1;
    if (has_text(read, at + 4, "eXIf")) return exif_orientation(read, at + 8);
    at += 12 + std::size_t{*size_bytes};
  }
}

int webp_orientation(const ReadAt& read) {
  const Numbers numbers(read, true);
  for (std::size_t at = 12;;) {
    const auto size_bytes = numbers.at(at + 4, 4);
    if (!size_bytes) return 1;
    if (has_text(read, at, "EXIF")) return exif_orientation(read, at + 8);
    at += 8 + std::size_t{*size_bytes} + *size_bytes % 2;
  }
}

/// [orientation - 2]
constexpr std::array kMeanings = {"viewers mirror it left to right",
                                  "viewers rotate it by 180 degrees",
                                  "viewers mirror it top to bottom",
                                  "viewers transpose it",
                                  "viewers rotate it by 90 degrees clockwise",
                                  "viewers rotate it by 90 degrees and mirror it",
                                  "viewers rotate it by 90 degrees counter-clockwise"};

}  // namespace

ReadAt reader_of(std::span<const std::uint8_t> bytes) {
  return [bytes](std::size_t offset, std::span<std::uint8_t> part) {
    if (offset > bytes.size() || bytes.size() - offset < part.size()) return false;
    std::memcpy(part.data(), bytes.data() + offset, part.size());
    return true;
  };
}

std::optional<TiffTags> read_tiff_tags(const ReadAt& read, std::size_t start) {
  const bool is_little_endian = has_text(read, start, std::string_view("II*\0", 4));
  if (!is_little_endian && !has_text(read, start, std::string_view("MM\0*", 4))) return std::nullopt;
  const Numbers numbers(read, is_little_endian);
  const std::size_t offset = numbers.at(start + 4, 4).value_or(0);
  if (offset == 0) return std::nullopt;
  const TiffDirectory directory(numbers, start, offset);
  TiffTags tags;
  tags.width = static_cast<std::size_t>(directory.value(kWidth, 0));
  tags.height = static_cast<std::size_t>(directory.value(kHeight, 0));
  tags.tile_width = static_cast<std::size_t>(directory.value(kTileWidth, 0));
  tags.tile_height = static_cast<std::size_t>(directory.value(kTileHeight, 0));
  tags.bits = directory.value(kBitsPerSample, 1);
  tags.num_channels = directory.value(kSamplesPerPixel, 1);
  tags.sample_format = directory.value(kSampleFormat, 1);
  tags.photometric = directory.value(kPhotometric, 0);
  tags.compression = directory.value(kCompression, 1);
  const int orientation = directory.value(kOrientation, 1);
  tags.orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
  if (const std::size_t next = directory.next(); next != 0) {
    const TiffDirectory second(numbers, start, next);
    tags.has_more_pages = second.value(kWidth, 0) > 0 && (second.value(kNewSubfileType, 0) & 5) == 0;
  }
  return tags;
}

int read_orientation(const ReadAt& read) {
  if (has_text(read, 0, "\xff\xd8\xff")) return jpeg_orientation(read);
  if (has_text(read, 0, "\x89PNG")) return png_orientation(read);
  if (has_text(read, 0, "RIFF") && has_text(read, 8, "WEBP")) return webp_orientation(read);
  const std::optional<TiffTags> tags = read_tiff_tags(read);
  return tags ? tags->orientation : 1;
}

int read_orientation(const fs::path& path) {
  InputFile file(path);
  return read_orientation([&](std::size_t offset, std::span<std::uint8_t> bytes) {
    file.clear();
    file.seekg(static_cast<std::streamoff>(offset));
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return file.good();
  });
}

image::LabelImage turned_labels(const image::LabelImage& labels, int orientation) {
  const bool swaps = orientation >= 5;
  const bool flips_rows = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const bool flips_cols = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  image::LabelImage shown(swaps ? labels.cols() : labels.rows(), swaps ? labels.rows() : labels.cols());
  for (std::size_t row = 0; row < shown.rows(); ++row)
    for (std::size_t col = 0; col < shown.cols(); ++col) {
      const std::size_t y = swaps ? col : row, x = swaps ? row : col;
      shown(row, col) = labels(flips_rows ? labels.rows() - 1 - y : y, flips_cols ? labels.cols() - 1 - x : x);
    }
  return shown;
}

std::string orientation_text(const fs::path& path, int orientation) {
  if (orientation == 1) return "";
  return path.filename().string() + " has the EXIF orientation " + std::to_string(orientation) + " (" +
         kMeanings[static_cast<std::size_t>(orientation - 2)] + "), which is not applied";
}

std::optional<std::string> orientation_warning(const std::string& place, const std::vector<fs::path>& files) {
  std::string first;
  std::size_t num_more = 0;
  for (const fs::path& file : files) {
    const int orientation = file.empty() ? 1 : read_orientation(file);
    if (orientation == 1) continue;
    if (first.empty())
      first = orientation_text(file, orientation);
    else
      ++num_more;
  }
  if (first.empty()) return std::nullopt;
  const std::string more = num_more == 0   ? ""
                           : num_more == 1 ? " (1 more file has such a tag)"
                                           : " (" + std::to_string(num_more) + " more files have such a tag)";
  return place + ": " + first + more +
         ": labels and depth belong to the pixels as they are stored; if yours belong to the image as viewers show "
         "it, or it is to be labelled so, " +
         kOrientationRemedy;
}

std::string orientation_note(const fs::path& path) { return orientation_warning(path.string(), {path}).value_or(""); }

}  // namespace fernwood::dataset
