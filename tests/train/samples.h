// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "train/sample_set.h"

namespace fernwood {

/// One value of every sample.
template <typename Value>
auto each_site(const SampleSet& samples, const Value& value) {
  std::vector<decltype(value(samples.sites[0]))> out;
  for (const PixelSite& site : samples.sites) out.push_back(value(site));
  return out;
}
inline auto columns(const SampleSet& samples) {
  return each_site(samples, [](const PixelSite& s) { return s.x(); });
}
inline auto rows(const SampleSet& samples) {
  return each_site(samples, [](const PixelSite& s) { return s.y(); });
}
inline auto inv_depths_x(const SampleSet& samples) {
  return each_site(samples, [](const PixelSite& s) { return s.inv_depth_x(); });
}
inline auto inv_depths_y(const SampleSet& samples) {
  return each_site(samples, [](const PixelSite& s) { return s.inv_depth_y(); });
}

}  // namespace fernwood
