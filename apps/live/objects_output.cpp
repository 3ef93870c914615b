// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/live/objects_output.h"

#include <iostream>
#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/report/objects.h"

namespace fernwood::apps {

ObjectsOutput::ObjectsOutput(const LiveObjectArguments& arguments, const image::ClassMap& classes,
                             const recordings::FrameSource& source, Publish publish)
    : prints_(arguments.prints), classes_(classes), follower_(source.has_poses()), publish_(std::move(publish)) {
  FW_CHECK(source.has_depth(), Data,
           source.name() << ": the frames have no depth, by which --objects finds objects; leave --objects out");
}

bool ObjectsOutput::show(const predict::LiveFrame& frame, const predict::LiveReport&) {
  last_ = follower_.follow(frame);
  publish_(frame.captured, last_);
  if (prints_)
    std::cout << report::objects_json({last_.found, classes_, frame.captured.name, last_.pose, last_.ids})
              << std::flush;
  return true;
}

void ObjectsOutput::draw(Array2<image::Rgb>& picture) const {
  const image::InstanceImage& numbers = last_.found.numbers;
  if (numbers.rows() != picture.rows() || numbers.cols() != picture.cols()) return;
  const std::span<const image::Rgb> colors = image::class_palette();
  for (std::size_t row = 0; row < numbers.rows(); ++row)
    for (std::size_t col = 0; col < numbers.cols(); ++col) {
      const std::uint16_t number = numbers(row, col);
      if (number == image::kNoInstance) continue;
      const auto differs = [&](std::size_t other_row, std::size_t other_col) {
        return other_row < numbers.rows() && other_col < numbers.cols() && numbers(other_row, other_col) != number;
      };
      // Before the first row and column, indices wrap around and are beyond the last.
      if (differs(row - 1, col) || differs(row + 1, col) || differs(row, col - 1) || differs(row, col + 1))
        picture(row, col) = colors[last_.ids[number - 1u] % colors.size()];
    }
}

}  // namespace fernwood::apps
