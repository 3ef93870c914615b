// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Devices as parameters of tests, and libraries that a build may lack. Where there is no GPU, the cases of the first
// one are there all the same and skipped with the reason: what has not run shows.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/core/machine.h"

namespace fernwood {

/// Every GPU that can be used here, or "cuda:0", which is_missing(), if there is none.
inline std::vector<Device> gpus() {
  std::vector<Device> devices = available_devices();
  devices.erase(devices.begin());
  return devices.empty() ? std::vector<Device>{{0}} : devices;
}

/// The CPU and gpus().
inline std::vector<Device> cpu_and_gpus() {
  std::vector<Device> devices = gpus();
  devices.insert(devices.begin(), Device{});
  return devices;
}

inline bool is_missing(Device device) { return !device.is_cpu() && available_devices().size() == 1; }

/// For names of tests: "cpu", "cuda0".
inline std::string name_of(Device device) { return device.is_cpu() ? "cpu" : "cuda" + std::to_string(device.gpu); }

/// A test whose parameter is a device.
class DeviceTest : public testing::TestWithParam<Device> {
 protected:
  void SetUp() override {
    if (is_missing(GetParam())) GTEST_SKIP() << gpu_status().problem;
  }
};

inline std::string name_of_device(const testing::TestParamInfo<Device>& info) { return name_of(info.param); }

/// Whether this build has an optional library. @param purpose  As in build_info(), or the test fails.
inline bool is_built_for(const std::string& purpose) {
  const std::vector<OptionalLibrary>& libraries = build_info().libraries;
  const auto found = std::ranges::find(libraries, purpose, &OptionalLibrary::purpose);
  EXPECT_NE(found, libraries.end()) << "no library is known that is for " << purpose;
  return found != libraries.end() && found->built_in;
}

}  // namespace fernwood
