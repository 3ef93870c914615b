// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/label_map.h"

#include <algorithm>

namespace fernwood::teach {

namespace {

/// For surfaces of unknown colour.
constexpr image::Rgb kGrey = {160, 160, 160};

/// A map requires at least one class, even before the teacher has named one.
image::ClassMap mapped_classes(const std::vector<image::ClassInfo>& classes) {
  return {classes.empty() ? std::vector<image::ClassInfo>{{"none", kGrey}} : classes, {}, {}};
}

}  // namespace

map::MapOptions LabelMap::default_options() {
  return {.voxel_m = 0.03, .min_weight = 1, .memory_budget_bytes = std::size_t{512} << 20};
}

LabelMap::LabelMap(const std::vector<image::ClassInfo>& classes, const map::MapOptions& options)
    : classes_{classes, {}, {}}, map_(options, mapped_classes(classes)) {}

void LabelMap::add(const image::Frame& frame, const image::RigidMotion& pose, const image::LabelImage& labels,
                   ThreadPool& pool) {
  const image::LabelImage none(labels.empty() ? frame.rows() : 0, labels.empty() ? frame.cols() : 0, image::kVoid);
  const map::FusedFrame fused = map_.integrate_labels(frame, pose, labels.empty() ? none : labels, pool);
  has_color_ |= !frame.color.empty();
  num_pixels_ += fused.num_pixels + fused.num_refused;
  num_refused_ += fused.num_refused;
}

MappedLabels LabelMap::mapped() const {
  MappedLabels mapped = {
      .points = map_.points(),
      .num_points = std::vector<std::size_t>(classes_.size()),
      .refused_share = static_cast<double>(num_refused_) / static_cast<double>(std::max<std::size_t>(1, num_pixels_)),
      .voxel_m = map_.options().voxel_m,
      .up = map_.up()};
  for (map::MapPoint& point : mapped.points) {
    if (point.label != image::kVoid) {
      ++mapped.num_points[point.label];
      ++mapped.num_labelled;
    } else if (!has_color_) {
      point.color = kGrey;
    }
  }
  return mapped;
}

}  // namespace fernwood::teach
