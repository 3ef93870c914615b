// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/shell/single_frame.h"

#include "fernwood/dataset/image_io.h"

namespace fernwood::apps {

void SingleFrame::add_options(CLI::App& command) {
  command.add_option("--color", color, "Colour of a single frame")->option_text("FILE");
  command.add_option("--depth", depth, "Depth of a single frame, 16-bit PNG in millimetres")->option_text("FILE");
  command.add_option("--maps", maps, "Feature maps of a single frame, where the model was trained with such (.npy)")
      ->option_text("FILE");
}

image::FrameContent SingleFrame::content() const {
  return {!color.empty(), !depth.empty(), maps.empty() ? 0 : dataset::read_maps(maps).num_maps};
}

image::Frame SingleFrame::read() const {
  image::Frame frame;
  if (!color.empty()) frame.color = dataset::read_color(color);
  if (!depth.empty()) frame.depth_mm = dataset::read_depth(depth);
  if (!maps.empty()) frame.maps = dataset::read_maps(maps);
  return frame;
}

}  // namespace fernwood::apps
