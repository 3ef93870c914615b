// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "evaluate/stacked_bars.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace fernwood::evaluate {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t number = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++number;
  return number;
}

// The plot is 200 units high, from 212 up to 12; two bars have the widest pitch, 56, of which 42.56 are filled.
TEST(StackedBars, PartsStandOnEachOtherInProportion) {
  const std::string svg = stacked_bars_svg({{{"a", "red", {1, 2}}, {"b", "blue", {3, 0}}}, "level", "s"});
  EXPECT_THAT(svg, HasSubstr("<rect x=\"54.72\" y=\"162.00\" width=\"42.56\" height=\"50.00\" fill=\"red\">"));
  EXPECT_THAT(svg, HasSubstr("<rect x=\"54.72\" y=\"12.00\" width=\"42.56\" height=\"150.00\" fill=\"blue\">"));
  EXPECT_THAT(svg, HasSubstr("<rect x=\"110.72\" y=\"112.00\" width=\"42.56\" height=\"100.00\" fill=\"red\">"));
  EXPECT_EQ(count(svg, "<rect"), 3u) << "nothing is drawn for 0";
}

TEST(StackedBars, EachPartTellsItsValue) {
  const std::string svg = stacked_bars_svg({{{"a & b", "red", {0.5, 1.25}}}, "level", "s"});
  EXPECT_THAT(svg, HasSubstr("<title>level 0, a &amp; b: 0.50 s</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>level 1, a &amp; b: 1.25 s</title>"));
}

TEST(StackedBars, TicksAreRoundAndFew) {
  const auto with_top = [](double top) { return stacked_bars_svg({{{"a", "red", {top}}}, "level", "s"}); };
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
    return stacked_bars_svg({{{"a", "red", std::vector<double>(num_bars, 1.0)}}, "level", "s"});
  };
  EXPECT_THAT(with_bars(25), HasSubstr(">24</text>"));
  EXPECT_THAT(with_bars(25), HasSubstr(">7</text>"));
  EXPECT_THAT(with_bars(65), HasSubstr(">64</text>"));
  EXPECT_THAT(with_bars(65), Not(HasSubstr(">7</text>")));
}

TEST(StackedBars, NothingIsNoChart) {
  EXPECT_EQ(stacked_bars_svg({}), "");
  EXPECT_EQ(stacked_bars_svg({{{"a", "red", {}}}, "level", "s"}), "");
  EXPECT_EQ(stacked_bars_svg({{{"a", "red", {0, 0}}}, "level", "s"}), "");
}

TEST(StackedBars, ColorsOfSeriesDiffer) {
  std::set<std::string> colors = {kRestColor};
  for (std::size_t i = 0; i < kNumSeriesColors; ++i) colors.insert(series_color(i));
  EXPECT_EQ(colors.size(), kNumSeriesColors + 1);
}

}  // namespace
}  // namespace fernwood::evaluate
