// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <functional>

#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

/// Frames in memory that the functions of a test compute.
class ComputedFrames : public InMemoryFrames {
 public:
  image::Frame frame(std::size_t number) const override { return frame_of(number); }
  image::LabelImage labels(std::size_t number) const override { return labels_of(number); }

  std::function<image::Frame(std::size_t number)> frame_of;
  std::function<image::LabelImage(std::size_t number)> labels_of;
};

}  // namespace fernwood::dataset
