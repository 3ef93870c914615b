// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
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

}  // namespace fernwood::teach
