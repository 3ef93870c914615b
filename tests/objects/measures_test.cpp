// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/objects/measures.h"

#include <gtest/gtest.h>

namespace fernwood::objects {
namespace {

Object object(std::uint16_t number, std::uint16_t label, float distance_m, image::Vector3 place) {
  Object object;
  object.number = number;
  object.label = label;
  object.num_pixels = 10;
  object.area_m2 = 0.5f;
  object.distance_m = distance_m;
  object.place = place;
  object.box.size = {1, 2, 0.5f};
  return object;
}

/// Two objects of class 2, the second nearer and 45 degrees to the left; class 0 is stuff straight ahead.
FrameObjects three() {
  FrameObjects found;
  found.objects = {object(1, 2, 3, {0, 0, 3}), object(2, 2, 1.5f, {-1, 0, 1})};
  found.stuff = {object(image::kNoInstance, 0, 2, {0, 0, 2})};
  found.stuff[0].box = {};
  return found;
}

TEST(Measures, OfAClassAreSumsAndThoseOfTheNearestObject) {
  const std::vector<ClassMeasures> measures = measure_classes(three());
  ASSERT_EQ(measures.size(), 2u);
  EXPECT_EQ(measures[0].label, 0);
  EXPECT_EQ(measures[0].num_objects, 0u);
  EXPECT_EQ(measures[0].volume_m3, 0);
  EXPECT_EQ(measures[0].nearest, image::kNoInstance);
  EXPECT_EQ(measures[0].direction_deg, 0.0);
  EXPECT_EQ(measures[1].label, 2);
  EXPECT_EQ(measures[1].num_objects, 2u);
  EXPECT_EQ(measures[1].num_pixels, 20u);
  EXPECT_DOUBLE_EQ(measures[1].area_m2, 1);
  EXPECT_DOUBLE_EQ(measures[1].volume_m3, 2);
  EXPECT_EQ(measures[1].nearest, 2);
  EXPECT_EQ(measures[1].distance_m, 1.5);
  EXPECT_NEAR(*measures[1].direction_deg, -45, 1e-5);
}

TEST(Measures, KnowNoDistanceWithoutDepth) {
  FrameObjects found;
  found.objects = {object(1, 0, 0, {})};
  const std::vector<ClassMeasures> measures = measure_classes(found);
  EXPECT_EQ(measures[0].num_objects, 1u);
  EXPECT_FALSE(measures[0].distance_m || measures[0].direction_deg);
}

}  // namespace
}  // namespace fernwood::objects
