// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/stream/sketch_values.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fernwood/core/draw.h"

namespace fernwood::lab {

namespace {

/// In (0, 1], so that it has a logarithm.
double positive_unit(const Draw& drawn, int i) { return 1.0 - static_cast<double>(drawn.unit(i)); }

/// Words 0 and 1 as a standard normal number: Box and Muller, 1958.
double normal(const Draw& drawn) {
  return std::sqrt(-2 * std::log(positive_unit(drawn, 0))) * std::cos(2 * std::numbers::pi * positive_unit(drawn, 1));
}

/// Differences of depth in m, as tests of a pixel's surroundings see them: one surface, edges, the background.
double depth_difference(const Draw& drawn) {
  const double kind = drawn.unit(2), sign = drawn.word[3] & 1 ? 1 : -1;
  if (kind < 0.1) return 0;
  if (kind < 0.65) return 0.005 * normal(drawn);
  if (kind < 0.85) return sign * -0.3 * std::log(positive_unit(drawn, 0));
  return sign * 8 * positive_unit(drawn, 0);
}

template <typename ValueOf>
SketchValues make(const std::string& name, std::size_t count, ValueOf value_of) {
  SketchValues made{name, std::vector<float>(count)};
  for (std::size_t i = 0; i < count; ++i)
    made.values[i] = static_cast<float>(
        value_of(draw(1, Purpose::kProbe, 5, static_cast<std::uint32_t>(i >> 32), static_cast<std::uint32_t>(i))));
  return made;
}

SketchValues sorted(SketchValues made) {
  std::ranges::sort(made.values);
  return {made.name + ", ascending", std::move(made.values)};
}

}  // namespace

std::vector<SketchValues> sketch_values(std::size_t count) {
  std::vector<SketchValues> all;
  all.push_back(make("uniform [0, 1)", count, [](const Draw& d) { return d.unit(0); }));
  all.push_back(make("normal", count, normal));
  all.push_back(make("log-normal, sigma 2", count, [](const Draw& d) { return std::exp(2 * normal(d)); }));
  all.push_back(make("bimodal", count, [](const Draw& d) { return (d.word[2] & 1 ? 100 : 0) + normal(d); }));
  all.push_back(make("integers 0 to 20", count, [](const Draw& d) { return d.between(0, 0, 20); }));
  all.push_back(make("far from zero, 4000 +- 50", count, [](const Draw& d) { return 4000 + 50 * normal(d); }));
  all.push_back(make("depth differences", count, depth_difference));
  all.push_back(sorted(all[1]));
  all.push_back(sorted(all[6]));
  return all;
}

}  // namespace fernwood::lab
