// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "formats/label_runs.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "fernwood/core/text.h"

namespace fernwood::formats {

namespace {

/// Writes bits, the most significant of each number first.
class BitWriter {
 public:
  void put(std::uint32_t value, int bits) {
    for (int bit = bits - 1; bit >= 0; --bit) {
      if (num_bits_++ % 8 == 0) bytes_.push_back(0);
      bytes_.back() = static_cast<std::uint8_t>(bytes_.back() | (((value >> bit) & 1u) << (7 - (num_bits_ - 1) % 8)));
    }
  }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t num_bits_ = 0;
};

/// The reverse of BitWriter.
class BitReader {
 public:
  explicit BitReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  /// 0 beyond the end.
  std::uint32_t get(int bits) {
    std::uint32_t value = 0;
    for (int i = 0; i < bits; ++i, ++at_) {
      const std::size_t byte = at_ / 8;
      value = value << 1 | (byte < bytes_.size() ? bytes_[byte] >> (7 - at_ % 8) & 1u : 0u);
    }
    return value;
  }
  bool is_beyond_end() const { return at_ > 8 * bytes_.size(); }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<RegionBox> region_boxes(const image::LabelImage& regions, std::size_t num_regions) {
  std::vector<RegionBox> boxes(num_regions);
  for (std::size_t row = 0; row < regions.rows(); ++row)
    for (std::size_t col = 0; col < regions.cols(); ++col) {
      if (regions(row, col) == image::kVoid) continue;
      RegionBox& box = boxes[regions(row, col)];
      if (box.area++ == 0) box = {col, row, col, row, 1};
      box.left = std::min(box.left, col);
      box.right = std::max(box.right, col);
      box.bottom = row;
    }
  return boxes;
}

std::string coco_counts(const image::LabelImage& labels, std::uint16_t label) {
  const std::size_t rows = labels.rows();
  const auto lengths = run_lengths(labels.size(), [&](std::size_t i) { return labels(i % rows, i / rows) == label; });
  std::string text;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    std::int64_t value = lengths[i];
    if (i > 2) value -= lengths[i - 2];
    bool has_more = true;
    while (has_more) {
      const auto group = static_cast<std::uint8_t>(value & 0x1f);
      value >>= 5;  // arithmetic shift, so that a negative number ends as -1
      has_more = (group & 0x10) != 0 ? value != -1 : value != 0;
      text += static_cast<char>('0' + (group | (has_more ? 0x20 : 0)));
    }
  }
  return text;
}

std::string cvat_runs(const image::LabelImage& labels, std::uint16_t label, const RegionBox& box) {
  const auto lengths = run_lengths(box.width() * box.height(), [&](std::size_t i) {
    return labels(box.top + i / box.width(), box.left + i % box.width()) == label;
  });
  return join(lengths, ", ", [](std::uint32_t length) { return std::to_string(length); });
}

std::vector<std::uint8_t> brush_runs(const image::LabelImage& labels, std::uint16_t label) {
  constexpr std::size_t kChannels = 4;
  constexpr int kValueBits = 8;
  constexpr std::array<int, 4> kLengthBits = {3, 4, 8, 16};
  BitWriter bits;
  bits.put(static_cast<std::uint32_t>(kChannels * labels.size()), 32);
  bits.put(kValueBits - 1, 5);
  for (const int length_bits : kLengthBits) bits.put(static_cast<std::uint32_t>(length_bits - 1), 4);
  const auto lengths = run_lengths(labels.size(), [&](std::size_t i) { return labels.data()[i] == label; });
  for (std::size_t i = 0; i < lengths.size(); ++i)
    for (std::size_t left = kChannels * lengths[i]; left > 0;) {
      const std::size_t length = std::min<std::size_t>(left, std::size_t{1} << kLengthBits.back());
      std::uint32_t which = 0;
      while (length > std::size_t{1} << kLengthBits[which]) ++which;
      bits.put(1, 1);
      bits.put(which, 2);
      bits.put(static_cast<std::uint32_t>(length - 1), kLengthBits[which]);
      bits.put(i % 2 == 1 ? 255 : 0, kValueBits);
      left -= length;
    }
  return bits.take();
}

std::optional<std::vector<std::uint32_t>> parse_coco_counts(std::string_view text, std::uint64_t count) {
  std::vector<std::uint32_t> lengths;
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::int64_t value = 0;
    for (int shift = 0;; shift += 5) {
      if (at >= text.size() || shift > 40) return std::nullopt;
      const int group = text[at++] - '0';
      if (group < 0 || group > 63) return std::nullopt;
      value |= static_cast<std::int64_t>(group & 0x1f) << shift;
      if ((group & 0x20) != 0) continue;
      if ((group & 0x10) != 0) value -= std::int64_t{32} << shift;
      break;
    }
    if (lengths.size() > 2) value += lengths[lengths.size() - 2];
    if (value < 0 || static_cast<std::uint64_t>(value) > count - sum) return std::nullopt;
    sum += static_cast<std::uint64_t>(value);
    lengths.push_back(static_cast<std::uint32_t>(value));
  }
  return lengths;
}

std::optional<std::vector<std::uint32_t>> parse_cvat_runs(std::string_view text, std::uint64_t count) {
  std::vector<std::uint32_t> lengths;
  std::uint64_t sum = 0;
  const char *at = text.data(), *const end = at + text.size();
  while (at != end) {
    std::uint32_t length = 0;
    const auto [next, failure] = std::from_chars(at, end, length);
    if (failure != std::errc() || length > count - sum) return std::nullopt;
    sum += length;
    lengths.push_back(length);
    for (at = next; at != end && (*at == ',' || *at == ' ');) ++at;
  }
  return lengths;
}

std::optional<std::vector<std::uint8_t>> parse_brush_runs(std::span<const std::uint8_t> bytes, std::size_t num_pixels) {
  constexpr std::size_t kChannels = 4;
  BitReader bits(bytes);
  if (bits.get(32) != kChannels * num_pixels) return std::nullopt;
  const int value_bits = static_cast<int>(bits.get(5)) + 1;
  std::array<int, 4> length_bits{};
  for (int& size : length_bits) size = static_cast<int>(bits.get(4)) + 1;
  std::vector<std::uint8_t> opacity(num_pixels);
  for (std::size_t i = 0; i < kChannels * num_pixels;) {
    if (bits.is_beyond_end()) return std::nullopt;
    const bool is_run = bits.get(1) == 1;
    const std::size_t length = std::size_t{bits.get(length_bits[bits.get(2)])} + 1;
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < length && i < kChannels * num_pixels; ++k, ++i) {
      if (k == 0 || !is_run) value = bits.get(value_bits);
      if (i % kChannels == kChannels - 1) opacity[i / kChannels] = static_cast<std::uint8_t>(std::min(value, 255u));
    }
  }
  if (bits.is_beyond_end()) return std::nullopt;
  return opacity;
}

}  // namespace fernwood::formats
