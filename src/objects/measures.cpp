// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/objects/measures.h"

#include <cmath>
#include <map>
#include <numbers>

namespace fernwood::objects {

std::vector<ClassMeasures> measure_classes(const FrameObjects& found) {
  std::map<std::uint16_t, ClassMeasures> of_class;
  for (const std::vector<Object>* list : {&found.objects, &found.stuff})
    for (const Object& object : *list) {
      ClassMeasures& measures = of_class[object.label];
      measures.label = object.label;
      measures.num_objects += object.number != image::kNoInstance;
      measures.num_pixels += object.num_pixels;
      measures.area_m2 += static_cast<double>(object.area_m2);
      measures.volume_m3 += object.box.volume_m3();
      const double distance_m = static_cast<double>(object.distance_m);
      if (distance_m == 0 || (measures.distance_m && *measures.distance_m <= distance_m)) continue;
      measures.nearest = object.number;
      measures.distance_m = distance_m;
      measures.direction_deg =
          std::atan2(static_cast<double>(object.place.x), static_cast<double>(object.place.z)) * 180 / std::numbers::pi;
    }
  std::vector<ClassMeasures> all;
  for (const auto& [label, measures] : of_class) all.push_back(measures);
  return all;
}

}  // namespace fernwood::objects
