// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "generate/model.h"

namespace fernwood::generate {

void Model::add_box(const Vec3& middle, const Vec3& half, const Material& material) {
  parts.push_back({Shape(ShapeKind::kBox, Pose{middle}, half), material, label});
}

void Model::add_cylinder(const Vec3& middle, float radius, float half_height, const Material& material, float taper) {
  parts.push_back({Shape(ShapeKind::kCylinder, Pose{middle}, {radius, half_height, radius}, taper), material, label});
}

void Model::add_roll(const Vec3& middle, float radius, float half_length, bool along_x, const Material& material) {
  const Pose pose =
      along_x ? Pose{middle, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}} : Pose{middle, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}};
  parts.push_back({Shape(ShapeKind::kCylinder, pose, {radius, half_length, radius}), material, label});
}

void Model::add_ball(const Vec3& middle, const Vec3& half, const Material& material) {
  parts.push_back({Shape(ShapeKind::kEllipsoid, Pose{middle}, half), material, label});
}

void Model::add_surface(const Vec3& middle, float surface_half_x, float surface_half_z, float headroom) {
  surfaces.push_back({Pose{middle}, surface_half_x, surface_half_z, headroom});
}

void add_model(Scene& scene, const Model& model, const Pose& pose, int object) {
  for (const Part& part : model.parts)
    scene.parts.push_back({part.shape.moved(pose), part.material, part.label, object});
  for (const Surface& surface : model.surfaces)
    scene.surfaces.push_back({placed(surface.pose, pose), surface.half_x, surface.half_z, surface.headroom});
}

void add_model(Scene& scene, const Model& model, const Pose& pose) {
  add_model(scene, model, pose, scene.num_objects++);
}

}  // namespace fernwood::generate
