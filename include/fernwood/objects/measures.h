// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fernwood/objects/objects.h"

namespace fernwood::objects {

/// What a frame shows of a class: its objects together, or its pixels if it is stuff.
struct ClassMeasures {
  std::uint16_t label = 0;
  std::uint32_t num_objects = 0;  ///< 0 for stuff.
  std::uint64_t num_pixels = 0;
  double area_m2 = 0;                          ///< Of the visible surface.
  double volume_m3 = 0;                        ///< Of the boxes of all objects; 0 for stuff.
  std::uint16_t nearest = image::kNoInstance;  ///< Object::number of the nearest object.
  /// From the camera to the nearest point of the class, in metres; empty where all depth is unknown.
  std::optional<double> distance_m = {};
  /// Direction of Object::place of the nearest object, or of all pixels of stuff: degrees to the right of the camera's
  /// axis, to the left below 0. Empty where all depth is unknown.
  std::optional<double> direction_deg = {};
};

/// The classes that a frame shows, in their order.
std::vector<ClassMeasures> measure_classes(const FrameObjects& found);

}  // namespace fernwood::objects
