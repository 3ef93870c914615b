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

/// [number] Whether a class, or what it was merged into, is deleted; null where none is.
using DeletedClasses = std::shared_ptr<const std::vector<bool>>;

/// Whether a stroke is an eraser, or gives a class that is not deleted.
bool counts(const DrawnStroke& stroke, const DeletedClasses& deleted);

/// What the strokes of a frame give, painted by the first thread that asks for it: strokes of a frame may take seconds,
/// which the thread that answers pages has not. Strokes are only added to it; a project makes another when one is taken
/// back.
class Painting {
 public:
  Painting(std::size_t rows, std::size_t cols, DeletedClasses deleted)
      : deleted_(std::move(deleted)), painted_(rows, cols, kErase) {}

  /// To be painted above the others. Waits for nobody.
  void add(std::shared_ptr<const DrawnStroke> stroke);
  /// [rows][cols] Numbers of classes, kErase where there is none.
  image::LabelImage numbers();
  /// What numbers() would have to paint, as work_of() counts.
  std::uint64_t work_left() const { return work_left_; }
  std::size_t num_pixels() const { return painted_.size(); }

 private:
  using Queue = std::deque<std::shared_ptr<const DrawnStroke>>;
  Queue take_waiting();

  const DeletedClasses deleted_;
  std::mutex adding_;
  Queue waiting_;              // under adding_, in their order
  std::mutex painting_;        // taken before adding_
  Queue next_;                 // under painting_; before those that wait
  image::LabelImage painted_;  // under painting_
  std::atomic<std::uint64_t> work_left_ = 0;
};

}  // namespace fernwood::teach
