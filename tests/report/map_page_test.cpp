// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "core/base64.h"
#include "fernwood/report/description.h"

namespace fernwood::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const image::ClassMap& two_classes() {
  static const image::ClassMap classes = {{{"wall", {10, 20, 30}}, {"</script><b>\"&", {1, 2, 3}}}, {}, {}};
  return classes;
}

map::MapPoint point_of(std::uint16_t label, const image::Vector3& place = {}, const image::Vector3& normal = {}) {
  map::MapPoint point;
  point.label = label;
  point.place = place;
  point.normal = normal;
  return point;
}

std::string page_with(const std::vector<map::MapPoint>& points, std::size_t most_points = 400'000,
                      const image::Vector3& up = {}, std::span<const objects::TrackedObject> objects = {}) {
  return map_page(points, two_classes(), 0.02, up, {1.25, 0}, "a <room>", objects, most_points);
}

/// Content of the element with this id.
std::string content_of(const std::string& html, const std::string& id) {
  const std::size_t start = html.find('>', html.find("id=\"" + id + "\"")) + 1;
  return html.substr(start, html.find('<', start) - start);
}

std::vector<std::uint8_t> bytes_of(const std::string& html) {
  return parse_base64(content_of(html, "map-points")).value();
}

/// Coordinates of a point in steps.
std::vector<int> steps_of(const std::vector<std::uint8_t>& bytes, std::size_t point) {
  std::vector<int> steps;
  for (std::size_t axis = 0; axis < 3; ++axis)
    steps.push_back(bytes.at(16 * point + 2 * axis) + 256 * bytes.at(16 * point + 2 * axis + 1));
  return steps;
}

TEST(MapPage, PacksPointsInSixteenBytes) {
  const std::string html = page_with(
      {{{-1, 2, 3}, {0, 0, -1}, {7, 8, 9}, 1, 1.0f}, {{3, 2, 5}, {1, 0, 0}, {0, 128, 255}, image::kVoid, 0.5f}});
  const std::vector<std::uint8_t> bytes = bytes_of(html);
  EXPECT_THAT(bytes, ElementsAre(0, 0, 0, 0, 0, 0, 1, 0, 7, 8, 9, 255, 0, 0, 129, 0,  //
                                 255, 255, 0, 0, 0, 128, 255, 255, 0, 128, 255, 128, 127, 0, 0, 0));
  const auto facts = nlohmann::json::parse(content_of(html, "map-facts"));
  EXPECT_DOUBLE_EQ(facts.at("step"), 4.0 / 65535);
  EXPECT_EQ(facts.at("point_size"), 0.02);
  EXPECT_EQ(facts.at("colors"), nlohmann::json({{10, 20, 30}, {1, 2, 3}}));
}

TEST(MapPage, PlacesAreExactToHalfAStep) {
  std::vector<map::MapPoint> points;
  for (int i = 0; i < 1000; ++i)
    points.push_back(point_of(0, {0.0123f * static_cast<float>(i), -0.5f, 0.001f * static_cast<float>(i * i % 997)}));
  const std::string html = page_with(points);
  const double step = nlohmann::json::parse(content_of(html, "map-facts")).at("step");
  const std::vector<std::uint8_t> bytes = bytes_of(html);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::vector<int> steps = steps_of(bytes, i);
    EXPECT_NEAR(steps[0] * step, points[i].place.x - points[0].place.x, 0.51 * step);
    EXPECT_EQ(steps[1], 0);
    EXPECT_NEAR(steps[2] * step, points[i].place.z, 0.51 * step);
  }
}

TEST(MapPage, ShowsEveryKthOfTooManyPointsLarger) {
  const std::vector<map::MapPoint> points(10, point_of(0));
  const std::string html = page_with(points, 4);
  EXPECT_EQ(bytes_of(html).size(), 4u * 16);
  EXPECT_THAT(html, HasSubstr("wall <span class=\"soft\">1.2 m²</span>"));
  EXPECT_NEAR(nlohmann::json::parse(content_of(html, "map-facts")).at("point_size").get<double>(), 0.03464, 1e-5);
  EXPECT_EQ(bytes_of(page_with(points, 10)).size(), 10u * 16);
}

TEST(MapPage, TakesNamesAsTextAndNeedsNothingElse) {
  const std::string html = page_with({point_of(0), point_of(1), point_of(image::kVoid)});
  EXPECT_THAT(html, HasSubstr("&lt;/script&gt;&lt;b&gt;&quot;&amp;"));
  for (const char* outside :
       {"</script><b>", "<room>", "http", "src=", "url(", "@import", "import(", " from '", "fetch("})
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
}

TEST(MapPage, ListsTheObjectsBelowTheMap) {
  objects::TrackedObject object;
  object.id = 41;
  object.label = 1;
  object.sightings = 7;
  const std::string html = page_with({point_of(0)}, 9, {}, std::span(&object, 1));
  EXPECT_THAT(html, HasSubstr(">41<"));
  EXPECT_THAT(html, HasSubstr("tentative"));
  EXPECT_EQ(html.find("</script><b>"), std::string::npos);
  EXPECT_EQ(page_with({point_of(0)}).find("Objects"), std::string::npos);
}

TEST(MapPage, UpIsTheAxisThatCamerasWereHeldBy) {
  const auto axis = [](const image::Vector3& up) {
    const std::vector<map::MapPoint> wall(9, point_of(0, {}, {0, 0, 1}));
    const auto facts = nlohmann::json::parse(content_of(page_with(wall, 9, up), "map-facts"));
    return facts.at("up").get<std::string>();
  };
  EXPECT_EQ(axis({1, -20, 3}), "-y");
  EXPECT_EQ(axis({100, 20, 3000}), "+z");
  EXPECT_EQ(axis({-7, 2, 3}), "-x");
  EXPECT_EQ(axis({}), "-y") << "as in images";
}

TEST(MapPage, AFloorThatIsNoAxisIsLevel) {
  image::ClassMap classes = two_classes();
  classes.classes[0].name = "floor";
  std::vector<map::MapPoint> floor;
  for (int i = 0; i < 400; ++i) {
    const float u = 0.1f * static_cast<float>(i % 20), v = 0.1f * static_cast<float>(i / 20);
    floor.push_back(point_of(0, {0.8f * u, v, -0.6f * u}, {0.6f, 0, 0.8f}));
  }
  const auto facts =
      nlohmann::json::parse(content_of(map_page(floor, classes, 0.02, {0, -1, 0}, {4, 0}, "room"), "map-facts"));
  EXPECT_NEAR(facts.at("floor")[0], 0.6, 1e-3);
  EXPECT_NEAR(facts.at("floor")[2], 0.8, 1e-3);
}

TEST(MapPage, AnEmptyMapIsNotDrawn) { EXPECT_EQ(page_with({}).find("<canvas"), std::string::npos); }

}  // namespace
}  // namespace fernwood::report
