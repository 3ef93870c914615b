// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "devices.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::predict {

/// A device and a layout of frames and trees on it; `missing` marks a GPU that is absent, so that tests report it.
struct Place {
  std::string device, layout;
  bool missing = false;

  PredictOptions options() const { return {.device = device, .threads = 2, .layout = layout}; }
  std::string name() const {
    std::string text = device + "_" + layout;
    std::erase(text, ':');
    return text;
  }
};

inline void PrintTo(const Place& place, std::ostream* out) { *out << place.name(); }

/// Every layout of every device, and "auto" on each.
inline std::vector<Place> every_place() {
  std::vector<Place> places;
  for (const Device device : cpu_and_gpus()) {
    places.push_back({to_string(device), "auto", is_missing(device)});
    if (is_missing(device)) continue;
    for (const std::string& layout : predict_layouts(device)) places.push_back({to_string(device), layout});
  }
  return places;
}

/// Every device, with the layout "auto".
inline std::vector<Place> every_device() {
  std::vector<Place> places = every_place();
  std::erase_if(places, [](const Place& place) { return place.layout != "auto"; });
  return places;
}

class PlaceTest : public testing::TestWithParam<Place> {
 protected:
  void SetUp() override {
    if (GetParam().missing) GTEST_SKIP() << gpu_status().problem;
  }
};

}  // namespace fernwood::predict
