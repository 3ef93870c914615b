// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "fernwood/image/labels.h"
#include "fernwood/teach/project.h"

namespace fernwood::teach {

/// [number] Whether a class, or the class it was merged into, is deleted; null if none is.
using DeletedClasses = std::shared_ptr<const std::vector<bool>>;

/// Whether a stroke is an eraser, or has a class that is not deleted.
bool counts(const DrawnStroke& stroke, const DeletedClasses& deleted);

/// The labels drawn by the strokes of a frame, painted by the first thread that requests them: painting may take
/// seconds, which would block the thread that answers pages. Strokes can only be added; a project creates another
/// object when one is undone.
class Painting {
 public:
  Painting(std::size_t rows, std::size_t cols, DeletedClasses deleted)
      : deleted_(std::move(deleted)), painted_(rows, cols, kErase) {}

  /// Adds a stroke to be painted over the others. Never blocks.
  void add(std::shared_ptr<const DrawnStroke> stroke);
  /// [rows][cols] Class numbers, kErase where nothing is drawn.
  image::LabelImage numbers();
  /// Cost of the strokes that numbers() still has to paint, as computed by work_of().
  std::uint64_t work_left() const { return work_left_; }
  std::size_t num_pixels() const { return painted_.size(); }

 private:
  using Queue = std::deque<std::shared_ptr<const DrawnStroke>>;
  Queue take_waiting();

  const DeletedClasses deleted_;
  std::mutex adding_;
  Queue waiting_;              // guarded by adding_, in order
  std::mutex painting_;        // locked before adding_
  Queue next_;                 // guarded by painting_; before waiting_
  image::LabelImage painted_;  // guarded by painting_
  std::atomic<std::uint64_t> work_left_ = 0;
};

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
