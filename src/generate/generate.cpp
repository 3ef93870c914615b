// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/generate/generate.h"

#include "fernwood/core/error.h"
#include "generate/color_sensor.h"
#include "generate/depth_sensor.h"
#include "generate/truth.h"

namespace fernwood::generate {

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

const image::ClassMap& synthetic_classes() {
  static const image::ClassMap kClasses{{{"floor", {190, 160, 110}},
                                         {"wall", {150, 180, 210}},
                                         {"table", {230, 120, 40}},
                                         {"chair", {220, 50, 60}},
                                         {"shelf", {110, 70, 170}},
                                         {"sofa", {50, 150, 90}},
                                         {"box", {250, 210, 60}},
                                         {"ball", {240, 110, 190}},
                                         {"bottle", {40, 200, 210}}},
                                        {image::Rgb{0, 0, 0}},
                                        {}};
  return kClasses;
}

image::Camera generated_camera(const GenerateOptions& options) {
  const float focal = focal_px_at(options.width);
  const auto middle = [](int side) { return 0.5f * (static_cast<float>(side) - 1.0f); };
  return {options.width, options.height, focal, focal, middle(options.width), middle(options.height)};
}

SyntheticFrame generate_frame(const GenerateOptions& options, std::uint32_t scene_index) {
  options.check();
  const Scene scene = make_scene(options.seed, scene_index, options.width, options.height);
  const Rendering seen = render(scene, options.width, options.height);
  return {{sense_color(seen.color, options.seed, scene_index),
           sense_depth(seen, scene, {options.seed, scene_index, options.holes}), generated_camera(options)},
          truth_of(seen, scene)};
}

}  // namespace fernwood::generate
