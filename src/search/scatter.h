// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A chart of named points as SVG, for pages that follow the reader's light or dark mode.

#include <string>
#include <vector>

namespace fernwood::search {

struct ScatterPoint {
  double x = 1, y = 0;      ///< x > 0: it is drawn by its logarithm.
  std::string name, color;  ///< The colour as CSS names it.
  bool large = false;       ///< To be found first.
};

struct ScatterChart {
  std::vector<ScatterPoint> points;
  std::string x_name, y_name;  ///< With the unit.
};

/// To stand in the page once, before charts.
extern const char* const kScatterStyle;

/// The chart. Names stand beside their points where there is room, large points' first; all are seen under the mouse.
/// Empty when there is no point; points that have no place are left out.
std::string scatter_svg(const ScatterChart& chart);

}  // namespace fernwood::search
