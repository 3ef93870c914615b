// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "page/charts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace fernwood::page {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t number = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++number;
  return number;
}

// The plot is 200 units high, from y = 212 up to 12; for two bars the pitch is the maximum, 56, of which 42.56 are
// filled.
TEST(StackedBars, PartsStandOnEachOtherInProportion) {
  const std::string svg = stacked_bars({{{"a", "red", {1, 2}}, {"b", "blue", {3, 0}}}, "level", "s"});
  EXPECT_THAT(svg, HasSubstr("<rect x=\"54.72\" y=\"162.00\" width=\"42.56\" height=\"50.00\" fill=\"red\">"));
  EXPECT_THAT(svg, HasSubstr("<rect x=\"54.72\" y=\"12.00\" width=\"42.56\" height=\"150.00\" fill=\"blue\">"));
  EXPECT_THAT(svg, HasSubstr("<rect x=\"110.72\" y=\"112.00\" width=\"42.56\" height=\"100.00\" fill=\"red\">"));
  EXPECT_EQ(count(svg, "<rect"), 3u) << "nothing is drawn for 0";
}

TEST(StackedBars, EachPartTellsItsValue) {
  const std::string svg = stacked_bars({{{"a & b", "red", {0.5, 1.25}}}, "level", "s"});
  EXPECT_THAT(svg, HasSubstr("<title>level 0, a &amp; b: 0.50 s</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>level 1, a &amp; b: 1.25 s</title>"));
}

TEST(StackedBars, TicksAreRoundAndFew) {
  const auto with_top = [](double top) { return stacked_bars({{{"a", "red", {top}}}, "level", "s"}); };
  for (const char* tick : {">0 s<", ">20 s<", ">40 s<", ">100 s<"}) EXPECT_THAT(with_top(100), HasSubstr(tick));
  for (const char* tick : {">0.000 s<", ">0.005 s<", ">0.020 s<"}) EXPECT_THAT(with_top(0.021), HasSubstr(tick));
  for (const double top : {1e-6, 0.3, 1.0, 7.0, 12.0, 99.0, 1e6}) {
    const std::size_t num_ticks = count(with_top(top), " s</text>");
    EXPECT_GE(num_ticks, 3u) << top;
    EXPECT_LE(num_ticks, 6u) << top;
  }
}

TEST(StackedBars, LabelsOfManyBarsDoNotTouch) {
  const auto with_bars = [](std::size_t num_bars) {
    return stacked_bars({{{"a", "red", std::vector<double>(num_bars, 1.0)}}, "level", "s"});
  };
  EXPECT_THAT(with_bars(25), HasSubstr(">24</text>"));
  EXPECT_THAT(with_bars(25), HasSubstr(">7</text>"));
  EXPECT_THAT(with_bars(65), HasSubstr(">64</text>"));
  EXPECT_THAT(with_bars(65), Not(HasSubstr(">7</text>")));
}

TEST(StackedBars, NothingIsNoChart) {
  EXPECT_EQ(stacked_bars({}), "");
  EXPECT_EQ(stacked_bars({{{"a", "red", {}}}, "level", "s"}), "");
  EXPECT_EQ(stacked_bars({{{"a", "red", {0, 0}}}, "level", "s"}), "");
}

TEST(StackedBars, ColorsOfSeriesDiffer) {
  std::set<std::string> colors = {kRestColor};
  for (std::size_t i = 0; i < kNumSeriesColors; ++i) colors.insert(series_color(i));
  EXPECT_EQ(colors.size(), kNumSeriesColors + 1);
}

std::string chart(const std::vector<ScatterPoint>& points) { return scatter({points, "ms", "%"}); }

// The x axis, 56 to 888, spans 2 decades with margins of 0.05, so 10 is in the middle; the y axis, 420 up to 12, spans
// 0 to 100.
TEST(Scatter, PlacesPointsByLogarithmAndByValue) {
  const std::string svg = chart({{1, 0, "a", "red"}, {10, 50, "b", "blue"}, {100, 100, "c", "green"}});
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"75.81\" cy=\"420.00\" r=\"4.00\" fill=\"red\">"));
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"472.00\" cy=\"216.00\" r=\"4.00\" fill=\"blue\">"));
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"868.19\" cy=\"12.00\" r=\"4.00\" fill=\"green\">"));
  for (const char* tick : {">1<", ">2<", ">5<", ">10<", ">50<", ">100<", ">80<"}) EXPECT_THAT(svg, HasSubstr(tick));
}

TEST(Scatter, NamesStandBesideTheirPointsWhereThereIsRoom) {
  const std::string svg = chart({{10, 50, "a & b", "red"}, {12, 90, "c", "red"}});
  EXPECT_EQ(count(svg, "class=\"name\""), 2u);
  EXPECT_THAT(svg, HasSubstr(">a &amp; b</text>"));
  EXPECT_THAT(svg, HasSubstr("<title>a &amp; b: 10.00, 50.00</title>"));
}

TEST(Scatter, TheLargePointHasItsNameAndCrowdsLoseSome) {
  std::vector<ScatterPoint> crowd(30, {10, 50, "one of many", "red"});
  crowd.push_back({10, 50, "the one", "blue", true});
  const std::string svg = chart(crowd);
  EXPECT_THAT(svg, HasSubstr(">the one</text>"));
  EXPECT_EQ(count(svg, "<circle"), 31u);
  EXPECT_LT(count(svg, "class=\"name\""), 10u);
}

TEST(Scatter, PointsWithoutAPlaceAreLeftOut) {
  EXPECT_EQ(count(chart({{10, 50, "a", "red"}, {10, std::nan(""), "b", "red"}, {0, 50, "c", "red"}}), "<circle"), 1u);
  EXPECT_EQ(chart({{std::nan(""), 1, "a", "red"}}), "");
  EXPECT_EQ(chart({}), "");
  EXPECT_THAT(chart({{10, 50, "a", "red"}}), Not(HasSubstr("nan")));
}

TEST(Scatter, OneOfManyHasNoNameAndTakesNoRoom) {
  std::vector<ScatterPoint> points(50, {10.5, 50, "one of many", "red", false, true});
  points.push_back({10, 50, "the one", "blue", true});
  const std::string svg = chart(points);
  EXPECT_THAT(svg, HasSubstr(">the one</text>"));
  EXPECT_THAT(svg, Not(HasSubstr(">one of many</text>")));
  EXPECT_GT(svg.find("fill=\"blue\""), svg.rfind("fill=\"red\"")) << "it lies above the others";
}

// As above: 1 and 100 at the ends and 10 in the middle.
TEST(Scatter, DrawsALimitAndARisingLine) {
  const std::string svg = scatter({.points = {{1, 0, "a", "red"}, {10, 100, "b", "red"}},
                                   .x_name = "ms",
                                   .y_name = "%",
                                   .steps = {{1, 0}, {10, 100}},
                                   .limit_x = 100,
                                   .limit_name = "limit"});
  EXPECT_THAT(svg, HasSubstr("<path class=\"steps\" d=\"M75.81 420.00H472.00V12.00\"/>"));
  EXPECT_THAT(svg, HasSubstr("<path class=\"limit\" d=\"M868.19 12.00V420.00\"/>"));
  EXPECT_THAT(svg, HasSubstr("text-anchor=\"end\">limit</text>")) << "on the right there is no room";
}

// The y axis, 196 up to 10, spans 0 to 100; the x axis is 54 to 370.
TEST(IntervalChart, CutsIntervalsOffAtTheEdge) {
  const std::string svg = interval_chart({.points = {{0, 50, 25, 130, "none"}, {1, 100, std::nan(""), 0, "all"}},
                                          .least = 0,
                                          .greatest = 100,
                                          .unit = " %",
                                          .marked_x = 0.5});
  EXPECT_THAT(svg, HasSubstr("<path class=\"reach\" d=\"M54.00 149.50V10.00\"/>"));
  EXPECT_EQ(count(svg, "class=\"reach\""), 1u) << "of one nothing is known";
  EXPECT_THAT(svg, HasSubstr("<path class=\"steps\" d=\"M54.00 103.00L370.00 10.00\"/>"));
  EXPECT_THAT(svg, HasSubstr("<path class=\"mark\" d=\"M212.00 10.00V196.00\"/>"));
  EXPECT_THAT(svg, HasSubstr(">100 %</text>"));
}

TEST(IntervalChart, NamesOfChoicesAreBrokenAtCommas) {
  const std::string svg = interval_chart({.points = {{1, 50, 40, 60, "b"}},
                                          .choices = {"lab,depth,normals,height,up", "a", "b", "c"},
                                          .least = 0,
                                          .greatest = 100,
                                          .unit = "",
                                          .marked_x = 1});
  for (const char* part : {">lab,depth,<", ">normals,<", ">height,up<"}) EXPECT_THAT(svg, HasSubstr(part));
  EXPECT_THAT(svg, Not(HasSubstr("class=\"steps\"")));
  EXPECT_EQ(interval_chart({.points = {}, .unit = ""}), "");
}

// 24 units per bar, from 48; the y axis, 212 up to 26, spans 0 to 4.
TEST(GroupedBars, StandOnAGroundOfWhatTheyCouldReach) {
  const GroupedBars bars{.groups = {{{4, "red", "a & b"}, {2, "blue", "c"}}, {{0, "red", "d"}}},
                         .greatest = 4,
                         .group_name = "batch",
                         .x_name = "trial",
                         .y_name = "blocks"};
  const std::string svg = grouped_bars(bars);
  EXPECT_THAT(svg, HasSubstr("<rect class=\"ground\" x=\"48.00\" y=\"26.00\" width=\"72.00\" height=\"186.00\"/>"));
  EXPECT_THAT(svg, HasSubstr("<rect class=\"bare\" x=\"72.50\" y=\"119.00\" width=\"23.00\" height=\"93.00\""));
  EXPECT_THAT(svg, HasSubstr("<title>a &amp; b</title>"));
  EXPECT_THAT(svg, HasSubstr("<path class=\"mark\" d=\"M96.00 26.00V212.00\"/>")) << "the second group begins";
  EXPECT_EQ(grouped_bars({.groups = {{}}, .greatest = 4, .group_name = "", .x_name = "", .y_name = ""}), "");
}

}  // namespace
}  // namespace fernwood::page
