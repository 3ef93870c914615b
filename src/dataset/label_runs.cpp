// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/label_runs.h"

#include <algorithm>
#include <array>
#include <bit>

#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace {

/// Lengths of runs, those of other pixels first, of `count` pixels that `is_of_class` tells about in their order.
template <typename IsOfClass>
std::vector<std::uint32_t> run_lengths(std::size_t count, IsOfClass is_of_class) {
  std::vector<std::uint32_t> lengths = {0};
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_odd_run = lengths.size() % 2 == 0;
    if (is_of_class(i) == is_odd_run)
      ++lengths.back();
    else
      lengths.push_back(1);
  }
  return lengths;
}

/// Bits, the most significant of each number first.
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

}  // namespace

std::vector<ClassBox> class_boxes(const image::LabelImage& labels, std::size_t num_classes) {
  std::vector<ClassBox> boxes(num_classes);
  for (std::size_t row = 0; row < labels.rows(); ++row)
    for (std::size_t col = 0; col < labels.cols(); ++col) {
      if (labels(row, col) == image::kVoid) continue;
      ClassBox& box = boxes[labels(row, col)];
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
      value >>= 5;  // arithmetic, so that what is left of a negative number ends as -1
      has_more = (group & 0x10) != 0 ? value != -1 : value != 0;
      text += static_cast<char>('0' + (group | (has_more ? 0x20 : 0)));
    }
  }
  return text;
}

std::string cvat_runs(const image::LabelImage& labels, std::uint16_t label, const ClassBox& box) {
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

}  // namespace fernwood::dataset
