// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "fernwood/image/labels.h"

namespace fernwood::teach {

/// Fills void pixels of an image with other labels.
inline void fill_void(image::LabelImage& labels, const image::LabelImage& others) {
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels.data()[i] == image::kVoid) labels.data()[i] = others.data()[i];
}

/// A label image as run lengths, for holding all frames of a project in memory: four bytes per run.
class PackedLabels {
 public:
  PackedLabels() = default;
  explicit PackedLabels(const image::LabelImage& labels) : rows_(labels.rows()), cols_(labels.cols()) {
    for (const std::uint16_t label : labels) {
      const bool goes_on = !runs_.empty() && runs_.back().first == label && runs_.back().second < 0xffff;
      if (!goes_on) runs_.emplace_back(label, std::uint16_t{0});
      ++runs_.back().second;
    }
    runs_.shrink_to_fit();
  }
  image::LabelImage unpacked() const {
    image::LabelImage labels(rows_, cols_);
    auto* out = labels.data();
    for (const auto& [label, count] : runs_)
      for (std::uint16_t i = 0; i < count; ++i) *out++ = label;
    return labels;
  }

 private:
  std::size_t rows_ = 0, cols_ = 0;
  std::vector<std::pair<std::uint16_t, std::uint16_t>> runs_;  // label, number of pixels
};

}  // namespace fernwood::teach
