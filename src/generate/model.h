// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "generate/scene.h"

namespace fernwood::generate {

/// A thing in coordinates of its own: it stands on y = 0, its middle above the origin, its front towards +z.
struct Model {
  std::vector<Part> parts;
  std::vector<Surface> surfaces;
  std::uint16_t label = kUnlabelled;
  float half_x = 0, half_z = 0;  ///< Footprint, metres.
  float height = 0;

  explicit Model(std::uint16_t class_label) : label(class_label) {}
  void add_box(const Vec3& middle, const Vec3& half, const Material& material);
  /// Stands on its y axis; `taper` is upper over lower radius.
  void add_cylinder(const Vec3& middle, float radius, float half_height, const Material& material, float taper = 1.0f);
  /// Lies along the x axis (`along_x`) or the z axis.
  void add_roll(const Vec3& middle, float radius, float half_length, bool along_x, const Material& material);
  void add_ball(const Vec3& middle, const Vec3& half, const Material& material);
  void add_surface(const Vec3& middle, float half_x, float half_z, float headroom);
};

/// Puts a copy of the model into the scene as part of the given object, or as an object of its own.
void add_model(Scene& scene, const Model& model, const Pose& pose, int object);
void add_model(Scene& scene, const Model& model, const Pose& pose);

}  // namespace fernwood::generate
