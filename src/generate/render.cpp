// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "generate/render.h"

#include <algorithm>
#include <array>
#include <utility>

#include "generate/bvh.h"

namespace fernwood::generate {
namespace {

constexpr float kNear = 0.02f, kFar = 50.0f;  // metres

/// Where a ray met a part.
struct SurfaceHit {
  const Part* part;
  Vec3 unit_point, unit_normal;  // in the part's coordinates
  Vec3 point, normal, to_camera;
  float facing;
  float distance_m;
};

SurfaceHit describe(const Scene& scene, const Ray& ray, const Bvh::Hit& hit) {
  SurfaceHit s;
  s.part = &scene.parts[hit.part];
  s.point = ray.origin + ray.direction * hit.t;
  s.unit_point = s.part->shape.to_unit(s.point);
  s.unit_normal = s.part->shape.unit_normal(s.unit_point);
  s.normal = s.part->shape.room_normal(s.unit_normal);
  s.distance_m = hit.t * length(ray.direction);
  s.to_camera = normalized(-ray.direction);
  s.facing = std::max(0.0f, dot(s.normal, s.to_camera));
  return s;
}

float highlight(const SurfaceHit& s, const Vec3& to_light) {
  const float c = std::max(0.0f, dot(s.normal, normalized(to_light + s.to_camera)));
  const float c2 = c * c, c4 = c2 * c2, c8 = c4 * c4, c16 = c8 * c8;
  return s.part->material.shine * c16 * c16;
}

/// A lamp with a shadow, the window without one, and light from all around that is weaker from below.
Vec3 shade(const Scene& scene, const Bvh& bvh, const SurfaceHit& s, int lamp_point) {
  const Lights& lights = scene.lights;
  const Material& material = s.part->material;
  const float footprint = s.distance_m / (scene.camera.focal_px * std::max(0.1f, s.facing));
  const Vec3 color = albedo(material, s.part->shape, s.unit_point, s.unit_normal, footprint);

  const float from_sky = 0.5f + 0.5f * dot(s.normal, lights.sky_direction);
  Vec3 light = lights.ambient * (0.75f + 0.25f * s.normal.y) + lights.sky_color * (from_sky * from_sky);
  Vec3 gloss{};
  const Vec3 to_lamp = lights.lamp[lamp_point] - s.point;
  const float distance = length(to_lamp), cosine = dot(s.normal, to_lamp) / distance;
  const Ray shadow_ray{s.point + s.normal * 0.002f, to_lamp};
  if (cosine > 0.0f && !bvh.blocked(shadow_ray, 0.0f, 1.0f)) {
    const float falloff = 1.0f / (1.0f + 0.15f * distance * distance);
    light = light + lights.lamp_color * (cosine * falloff);
    gloss = lights.lamp_color * (highlight(s, to_lamp * (1.0f / distance)) * falloff);
  }
  return color * (light + Vec3{1, 1, 1} * material.glow) + gloss;
}

class Renderer {
 public:
  Renderer(const Scene& scene, int width, int height) : scene_(scene), bvh_(scene.parts) {
    const std::size_t rows = static_cast<std::size_t>(height), cols = static_cast<std::size_t>(width);
    out_ = {Array2<float>(rows, cols), Array2<float>(rows, cols), Array2<std::int32_t>(rows, cols, -1),
            Array2<Vec3>(rows, cols)};
  }

  Rendering run() {
    for (std::size_t y = 0; y < out_.part.rows(); ++y)
      for (std::size_t x = 0; x < out_.part.cols(); ++x) trace_pixel(x, y);
    for (std::size_t y = 0; y < out_.part.rows(); ++y)
      for (std::size_t x = 0; x < out_.part.cols(); ++x)
        if (is_edge(x, y)) smooth_pixel(x, y);
    return std::move(out_);
  }

 private:
  void trace_pixel(std::size_t x, std::size_t y) {
    const Ray ray = scene_.camera.ray(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
    const Bvh::Hit hit = bvh_.nearest(ray, kNear, kFar);
    if (hit.part < 0) return;
    const SurfaceHit surface = describe(scene_, ray, hit);
    out_.depth_m(y, x) = hit.t;
    out_.facing(y, x) = surface.facing;
    out_.part(y, x) = hit.part;
    // Of 2 x 2 pixels each takes another point of the lamp; the camera's blur [1 2 1] weighs the four alike.
    out_.color(y, x) = shade(scene_, bvh_, surface, static_cast<int>((x & 1) + 2 * (y & 1)));
  }

  bool is_edge(std::size_t x, std::size_t y) const {
    const std::int32_t part = out_.part(y, x);
    return (x > 0 && out_.part(y, x - 1) != part) || (x + 1 < out_.part.cols() && out_.part(y, x + 1) != part) ||
           (y > 0 && out_.part(y - 1, x) != part) || (y + 1 < out_.part.rows() && out_.part(y + 1, x) != part);
  }

  /// Where parts meet, a pixel's colour is the mean of four rays.
  void smooth_pixel(std::size_t x, std::size_t y) {
    Vec3 sum{};
    for (int i = 0; i < 4; ++i) {
      const float dx = i & 1 ? 0.75f : 0.25f, dy = i & 2 ? 0.75f : 0.25f;
      const Ray ray = scene_.camera.ray(static_cast<float>(x) + dx, static_cast<float>(y) + dy);
      const Bvh::Hit hit = bvh_.nearest(ray, kNear, kFar);
      if (hit.part >= 0) sum = sum + shade(scene_, bvh_, describe(scene_, ray, hit), i);
    }
    out_.color(y, x) = sum * 0.25f;
  }

  const Scene& scene_;
  Bvh bvh_;
  Rendering out_;
};

}  // namespace

Rendering render(const Scene& scene, int width, int height) { return Renderer(scene, width, height).run(); }

}  // namespace fernwood::generate
