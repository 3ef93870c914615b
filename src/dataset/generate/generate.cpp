// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/generate.h"

#include "dataset/generate/color_sensor.h"
#include "dataset/generate/depth_sensor.h"
#include "dataset/generate/truth.h"
#include "fernwood/core/error.h"

namespace fernwood {

void GenerateOptions::check() const {
  constexpr int kMaxFrames = 100000, kMinSize = 32, kMaxSize = 4096;
  constexpr double kMostHoles = 0.9;
  FW_CHECK(frames >= 1 && frames <= kMaxFrames, Usage,
           "--frames is " << frames << "; give a number from 1 to " << kMaxFrames);
  FW_CHECK(test_frames >= 0 && test_frames <= kMaxFrames, Usage,
           "--test-frames is " << test_frames << "; give a number from 0 to " << kMaxFrames);
  FW_CHECK(width >= kMinSize && width <= kMaxSize && height >= kMinSize && height <= kMaxSize, Usage,
           "--size is " << width << "x" << height << "; give a width and a height from " << kMinSize << " to "
                        << kMaxSize << " pixels");
  FW_CHECK(!holes || (*holes >= 0 && *holes <= kMostHoles), Usage,
           "--holes is " << *holes << "; give a share of the pixels from 0 to " << kMostHoles);
}

const ClassMap& synthetic_classes() {
  static const ClassMap kClasses{{{"floor", {190, 160, 110}},
                                  {"wall", {150, 180, 210}},
                                  {"table", {230, 120, 40}},
                                  {"chair", {220, 50, 60}},
                                  {"shelf", {110, 70, 170}},
                                  {"sofa", {50, 150, 90}},
                                  {"box", {250, 210, 60}},
                                  {"ball", {240, 110, 190}},
                                  {"bottle", {40, 200, 210}}},
                                 {Rgb{0, 0, 0}},
                                 {}};
  return kClasses;
}

Camera generated_camera(const GenerateOptions& options) {
  const float focal = synthetic::focal_px_at(options.width);
  const auto middle = [](int side) { return 0.5f * (static_cast<float>(side) - 1.0f); };
  return {options.width, options.height, focal, focal, middle(options.width), middle(options.height)};
}

SyntheticFrame generate_frame(const GenerateOptions& options, std::uint32_t scene_index) {
  options.check();
  const synthetic::Scene scene = synthetic::make_scene(options.seed, scene_index, options.width, options.height);
  const synthetic::Rendering seen = synthetic::render(scene, options.width, options.height);
  return {{synthetic::sense_color(seen.color, options.seed, scene_index),
           synthetic::sense_depth(seen, scene, {options.seed, scene_index, options.holes}), generated_camera(options)},
          synthetic::truth_of(seen, scene)};
}

}  // namespace fernwood
