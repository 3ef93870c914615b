// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/report/objects.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fernwood::report {
namespace {

using nlohmann::json;

/// Two boxes, the first without depth, and a floor.
class Objects : public testing::Test {
 protected:
  Objects() {
    classes_.classes = {{"floor", {255, 0, 0}}, {"box, \"open\"", {0, 255, 0}}, {"box", {0, 0, 255}}};
    found_.numbers = image::InstanceImage(3, 4, image::kNoInstance);
    found_.objects.resize(2);
    found_.objects[0].number = 1;
    found_.objects[0].label = 2;
    found_.objects[0].num_pixels = 2;
    objects::Object& near = found_.objects[1];
    near.number = 2;
    near.label = 2;
    near.num_pixels = 3;
    near.left = 1;
    near.right = 3;
    near.probabilities = {0.25f, 0, 0.75f};
    near.confidence = 0.75f;
    near.area_m2 = 0.12344f;
    near.distance_m = 1.4004f;
    near.place = {1, 0, 1};
    near.box = {{1, 0, 1}, {{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}}, {0.5f, 0.25f, 2}};
    objects::Object& floor = found_.stuff.emplace_back();
    floor.num_pixels = 6;
    floor.area_m2 = 2;
    floor.distance_m = 1;
    floor.place = {0, 1, 2};
  }
  ObjectsOfFrame objects() const { return {found_, classes_, "a,b"}; }

  image::ClassMap classes_;
  objects::FrameObjects found_;
};

TEST_F(Objects, AreOneLineOfJsonInMillimetresAndSquareCentimetres) {
  const std::string text = objects_json(objects());
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  const json read = json::parse(text);
  EXPECT_EQ(read.at("schema_version"), 1);
  EXPECT_EQ(read.at("width"), 4);
  EXPECT_EQ(read.at("coordinates"), "camera");
  EXPECT_EQ(read.at("objects").at(1), json::parse(R"({
      "number": 2, "class": "box", "confidence": 0.75, "probabilities": [0.25, 0, 0.75], "pixels": 3,
      "bounds": [1, 0, 3, 0], "touches_border": false, "area_m2": 0.1234, "distance_m": 1.4, "place": [1, 0, 1],
      "box": {"center": [1, 0, 1], "axes": [[1, 0, 0], [0, 0, 1], [0, -1, 0]], "size": [0.5, 0.25, 2],
              "volume_m3": 0.25}})"));
  EXPECT_TRUE(read.at("objects").at(0).at("box").is_null());
  EXPECT_FALSE(read.at("stuff").at(0).contains("box"));
  EXPECT_EQ(read.at("measures").at("floor_m2"), 2);
  EXPECT_EQ(read.at("measures").at("classes").at(1), json::parse(R"({
      "class": "box", "count": 2, "pixels": 5, "area_m2": 0.1234, "volume_m3": 0.25, "nearest": 2, "distance_m": 1.4,
      "direction_deg": 45})"));
}

TEST_F(Objects, AreInTheRoomWhereThePoseIsKnown) {
  const image::RigidMotion pose = {{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}}, {2, 0, 0}};
  const json read = json::parse(objects_json({found_, classes_, "a", pose}));
  EXPECT_EQ(read.at("coordinates"), "room");
  EXPECT_EQ(read.at("objects").at(1).at("place"), json({3, 0, -1}));
  EXPECT_EQ(read.at("objects").at(1).at("box").at("center"), json({3, 0, -1}));
  EXPECT_EQ(read.at("stuff").at(0).at("place"), json({4, 1, 0}));
  EXPECT_EQ(read.at("measures").at("classes").at(1).at("direction_deg"), 45) << "from the camera";
}

TEST_F(Objects, AreCountedInWords) {
  EXPECT_EQ(objects_text(objects()), "2 boxes, nearest 1.4 m");
  found_.objects.erase(found_.objects.begin());
  EXPECT_EQ(objects_text(objects()), "1 box, 1.4 m");
  found_.objects.clear();
  EXPECT_EQ(objects_text(objects()), "no objects");
}

TEST_F(Objects, MeasuresAreLinesOfCsvWithNamesInQuotes) {
  found_.objects.resize(1);
  found_.objects[0].label = 1;
  EXPECT_EQ(measures_csv(objects()),
            "\"a,b\",floor,0,6,2.0000,0.00000,1.000,0.0\n"
            "\"a,b\",\"box, \"\"open\"\"\",1,2,0.0000,0.00000,,\n");
}

}  // namespace
}  // namespace fernwood::report
