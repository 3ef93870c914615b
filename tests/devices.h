// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Devices as test parameters, and optional libraries of a build. Without a GPU, the test cases for GPUs still exist and
// are skipped with the reason, so that the report shows which tests did not run.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/core/machine.h"

namespace fernwood {

/// All usable GPUs; if there are none, "cuda:0", for which is_missing() is true.
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

/// Name of a device in test names: "cpu", "cuda0".
inline std::string name_of(Device device) { return device.is_cpu() ? "cpu" : "cuda" + std::to_string(device.gpu); }

/// A test whose parameter is a device.
class DeviceTest : public testing::TestWithParam<Device> {
 protected:
  void SetUp() override {
    if (is_missing(GetParam())) GTEST_SKIP() << gpu_status().problem;
  }
};

inline std::string name_of_device(const testing::TestParamInfo<Device>& info) { return name_of(info.param); }

/// Whether this build has an optional library. @param purpose  As in build_info(); the test fails if it is not listed
/// there.
inline bool is_built_for(const std::string& purpose) {
  const std::vector<OptionalLibrary>& libraries = build_info().libraries;
  const auto found = std::ranges::find(libraries, purpose, &OptionalLibrary::purpose);
  EXPECT_NE(found, libraries.end()) << "no library is known that is for " << purpose;
  return found != libraries.end() && found->built_in;
}

}  // namespace fernwood
