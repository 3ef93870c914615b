// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A camera's path through a generated room, with exact poses, for the tests of label maps.

#include <vector>

#include "fernwood/generate/generate.h"
#include "fernwood/teach/project.h"

namespace fernwood::teach {

inline std::vector<generate::SyntheticFrame> mapped_sequence(std::uint32_t num_frames, std::uint32_t room = 0) {
  generate::GenerateOptions options;
  options.width = 160;
  options.height = 120;
  options.sequence = static_cast<int>(num_frames);
  options.fps = 4;
  std::vector<generate::SyntheticFrame> frames;
  for (std::uint32_t i = 0; i < num_frames; ++i) frames.push_back(generate::generate_sequence_frame(options, room, i));
  return frames;
}

inline Stroke rectangle(std::uint16_t class_id, std::int32_t left, std::int32_t top, std::int32_t right,
                        std::int32_t bottom) {
  Stroke stroke = {.tool = Tool::kPolygon, .class_id = class_id};
  for (const auto& [col, row] : {std::pair(left, top), {right, top}, {right, bottom}, {left, bottom}})
    stroke.points.push_back({col * kStepsPerPixel, row * kStepsPerPixel});
  return stroke;
}

}  // namespace fernwood::teach
