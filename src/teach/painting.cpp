// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/painting.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fernwood::teach {

namespace {

bool is_deleted(std::uint16_t number, const DeletedClasses& deleted) {
  return deleted && number < deleted->size() && (*deleted)[number];
}

void paint_counting(const DrawnStroke& stroke, const DeletedClasses& deleted, image::LabelImage& labels) {
  if (!counts(stroke, deleted)) return;
  if (stroke.tool != Tool::kLabels || !deleted) return paint(stroke, labels);
  Stroke left = stroke;
  left.runs.clear();
  left.run_classes.clear();
  for (std::size_t i = 0; i < stroke.runs.size(); ++i)
    if (!is_deleted(stroke.run_classes[i], deleted)) {
      left.runs.push_back(stroke.runs[i]);
      left.run_classes.push_back(stroke.run_classes[i]);
    }
  paint(left, labels);
}

}  // namespace

bool counts(const DrawnStroke& stroke, const DeletedClasses& deleted) {
  const auto is_gone = [&](std::uint16_t number) { return is_deleted(number, deleted); };
  return !deleted || stroke.classes.empty() || !std::ranges::all_of(stroke.classes, is_gone);
}

void Painting::add(std::shared_ptr<const DrawnStroke> stroke) {
  const std::lock_guard lock(adding_);
  work_left_ += stroke->work;
  waiting_.push_back(std::move(stroke));
}

Painting::Queue Painting::take_waiting() {
  const std::lock_guard lock(adding_);
  return std::exchange(waiting_, {});
}

image::LabelImage Painting::numbers() {
  const std::lock_guard lock(painting_);
  std::ranges::copy(take_waiting(), std::back_inserter(next_));
  while (!next_.empty()) {
    paint_counting(*next_.front(), deleted_, painted_);
    work_left_ -= next_.front()->work;
    next_.pop_front();  // now, because the next stroke may run out of memory
  }
  return painted_;
}

}  // namespace fernwood::teach
