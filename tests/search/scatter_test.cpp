// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "search/scatter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace fernwood::search {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t number = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++number;
  return number;
}

std::string chart(const std::vector<ScatterPoint>& points) { return scatter_svg({points, "ms", "%"}); }

// x from 56 to 888 holds 2 decades and 0.05 on either side, so that 10 lies halfway; y from 12 to 420 holds 0 to 100.
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

}  // namespace
}  // namespace fernwood::search
