// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A chart of stacked bars as SVG, for pages that follow the reader's light or dark mode. It is legible up to some 60
// bars.

#include <string>
#include <vector>

namespace fernwood::evaluate {

/// Parts of the bars that belong together.
struct BarSeries {
  std::string name, color;     ///< The colour as CSS names it.
  std::vector<double> values;  ///< [bar], each >= 0.
};

struct StackedBars {
  std::vector<BarSeries> series;  ///< From the bottom up.
  std::string bar_name, unit;     ///< Of a bar, which are numbered from 0: "level"; of values: "s".
};

/// To stand in the page once, before charts.
extern const char* const kStackedBarsStyle;

/// The chart without a legend; empty when there is nothing above 0. The highest bar reaches the top.
std::string stacked_bars_svg(const StackedBars& chart);

inline constexpr std::size_t kNumSeriesColors = 16;
/// Colours that stay apart, on light and on dark ground: eight hues, then the same lighter.
/// @param index  Below kNumSeriesColors.
std::string series_color(std::size_t index);
/// For what is left over.
inline constexpr const char* kRestColor = "#8b949c";

}  // namespace fernwood::evaluate
