// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/camera_note.h"

namespace fernwood::image {

namespace {

std::string names_of_geometry(const ChannelLayout& channels) {
  std::string names;
  for (const ChannelSet* set : channels.sets())
    if (set->needs_geometry) names += (names.empty() ? "" : ", ") + std::string(set->name);
  return names;
}

}  // namespace

std::string camera_note(const Preparation& preparation, bool has_camera, const std::string& place) {
  if (has_camera || !preparation.channels.needs_geometry()) return "";
  const std::string assumed = preparation.camera ? "camera = " + to_string(*preparation.camera)
                                                 : "sensor = \"" + std::string(known_sensors().front().name) + "\"";
  return place + ": nothing says which camera took the frames, which the channels (" +
         names_of_geometry(preparation.channels) + ") need to know; assumed is " + assumed +
         ": write that into dataset.toml beside the frames, with the right numbers if they differ (docs/datasets.md)";
}

}  // namespace fernwood::image
