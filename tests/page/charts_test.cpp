// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "page/charts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace fernwood::page {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t number = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++number;
  return number;
}

void expect_parts(const std::string& svg, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(svg.find(part), std::string::npos) << svg << "\nlacks " << part;
}

TEST(Charts, OfNothingAreEmpty) {
  EXPECT_EQ(scatter({{{std::nan(""), 1, "a", "red"}}, "ms", "%"}), "");
  EXPECT_EQ(interval_chart({.points = {}, .unit = ""}), "");
  EXPECT_EQ(grouped_bars({.groups = {{}}, .greatest = 4, .group_name = "", .x_name = "", .y_name = ""}), "");
}

TEST(Charts, ColorsOfSeriesDiffer) {
  std::set<std::string> colors = {kRestColor};
  for (std::size_t i = 0; i < kNumSeriesColors; ++i) colors.insert(series_color(i));
  EXPECT_EQ(colors.size(), kNumSeriesColors + 1);
}

std::string chart(const std::vector<ScatterPoint>& points) { return scatter({points, "ms", "%"}); }

// The x axis, 56 to 888, spans 2 decades with margins of 0.05, so 10 is in the middle; the y axis, 420 up to 12, spans
// 0 to 100.
TEST(Scatter, PlacesPointsByLogarithmAndByValue) {
  const std::string svg = chart({{1, 0, "a", "red"}, {10, 50, "b & c", "blue"}, {100, 100, "d", "green"}});
  expect_parts(svg, {"<circle cx=\"75.81\" cy=\"420.00\" r=\"4.00\" fill=\"red\">",
                     "<circle cx=\"472.00\" cy=\"216.00\" r=\"4.00\" fill=\"blue\">",
                     "<circle cx=\"868.19\" cy=\"12.00\" r=\"4.00\" fill=\"green\">", ">b &amp; c</text>"});
}

TEST(Scatter, TheLargePointHasItsNameAndCrowdsLoseSome) {
  std::vector<ScatterPoint> crowd(30, {10, 50, "one of many", "red"});
  crowd.push_back({10, 50, "the one", "blue", true});
  const std::string svg = chart(crowd);
  expect_parts(svg, {">the one</text>"});
  EXPECT_EQ(count(svg, "<circle"), 31u);
  EXPECT_LT(count(svg, "class=\"name\""), 10u);
}

TEST(Scatter, PointsWithoutAPlaceAreLeftOut) {
  const std::string svg = chart({{10, 50, "a", "red"}, {10, std::nan(""), "b", "red"}, {0, 50, "c", "red"}});
  EXPECT_EQ(count(svg, "<circle"), 1u);
  EXPECT_EQ(count(svg, "nan"), 0u);
}

TEST(Scatter, OneOfManyHasNoNameAndTakesNoRoom) {
  std::vector<ScatterPoint> points(50, {10.5, 50, "one of many", "red", false, true});
  points.push_back({10, 50, "the one", "blue", true});
  const std::string svg = chart(points);
  expect_parts(svg, {">the one</text>"});
  EXPECT_EQ(count(svg, ">one of many</text>"), 0u);
  EXPECT_GT(svg.find("fill=\"blue\""), svg.rfind("fill=\"red\"")) << "it lies above the others";
}

// As above: 1 and 100 at the ends and 10 in the middle.
TEST(Scatter, DrawsALimitAndARisingLine) {
  expect_parts(scatter({.points = {{1, 0, "a", "red"}, {10, 100, "b", "red"}},
                        .x_name = "ms",
                        .y_name = "%",
                        .steps = {{1, 0}, {10, 100}},
                        .limit_x = 100,
                        .limit_name = "limit"}),
               {"<path class=\"steps\" d=\"M75.81 420.00H472.00V12.00\"/>",
                "<path class=\"limit\" d=\"M868.19 12.00V420.00\"/>"});
}

// The y axis, 196 up to 10, spans 0 to 100; the x axis is 54 to 370.
TEST(IntervalChart, CutsIntervalsOffAtTheEdge) {
  const std::string svg = interval_chart({.points = {{0, 50, 25, 130, "none"}, {1, 100, std::nan(""), 0, "all"}},
                                          .least = 0,
                                          .greatest = 100,
                                          .unit = " %",
                                          .marked_x = 0.5});
  expect_parts(svg, {"<path class=\"reach\" d=\"M54.00 149.50V10.00\"/>",
                     "<path class=\"steps\" d=\"M54.00 103.00L370.00 10.00\"/>",
                     "<path class=\"mark\" d=\"M212.00 10.00V196.00\"/>"});
  EXPECT_EQ(count(svg, "class=\"reach\""), 1u) << "of one nothing is known";
}

TEST(IntervalChart, NamesOfChoicesAreBrokenAtCommas) {
  expect_parts(interval_chart({.points = {{1, 50, 40, 60, "b"}},
                               .choices = {"lab,depth,normals,height,up", "a", "b", "c"},
                               .least = 0,
                               .greatest = 100,
                               .unit = "",
                               .marked_x = 1}),
               {">lab,depth,<", ">normals,<", ">height,up<"});
}

// 24 units per bar, from 48; the y axis, 212 up to 26, spans 0 to 4.
TEST(GroupedBars, StandOnAGroundOfWhatTheyCouldReach) {
  expect_parts(
      grouped_bars({.groups = {{{4, "red", "a & b"}, {2, "blue", "c"}}, {{0, "red", "d"}}},
                    .greatest = 4,
                    .group_name = "batch",
                    .x_name = "trial",
                    .y_name = "blocks"}),
      {"<rect class=\"ground\" x=\"48.00\" y=\"26.00\" width=\"72.00\" height=\"186.00\"/>",
       "<rect class=\"bare\" x=\"72.50\" y=\"119.00\" width=\"23.00\" height=\"93.00\"", "<title>a &amp; b</title>"});
}

}  // namespace
}  // namespace fernwood::page
