// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/device.h"

#include <gtest/gtest.h>

#include "core/isa.h"
#include "fernwood/core/error.h"

namespace fernwood {
namespace {

TEST(GpuCopyBandwidth, IsThatOfAGpusMemory) {
  const std::vector<Device> devices = available_devices();
  if (devices.size() == 1) GTEST_SKIP() << gpu_status().problem;
  for (std::size_t i = 1; i < devices.size(); ++i) {
    const double bytes_per_second = gpu_copy_bandwidth(devices[i].gpu);
    EXPECT_GT(bytes_per_second, 5e10);  // memory of the slowest GPUs of capability 8.0 moves 2e11
    EXPECT_LT(bytes_per_second, 1e14);
  }
}

TEST(GpuCopyBandwidth, OfAGpuThatIsNotThereIsADeviceError) {
  try {
    gpu_copy_bandwidth(static_cast<int>(gpu_status().gpus.size()));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDevice) << error.what();
  }
}

TEST(GpuStatus, EveryGpuHasAClockAndMultiprocessors) {
  const GpuStatus status = gpu_status();
  if (status.gpus.empty()) GTEST_SKIP() << status.problem;
  for (const GpuInfo& gpu : status.gpus) {
    EXPECT_GT(gpu.multiprocessors, 0) << gpu.name;
    EXPECT_GT(gpu.clock_hz, 1e8) << gpu.name;
    EXPECT_LT(gpu.clock_hz, 1e10) << gpu.name;
  }
}

TEST(Isa, BaselineIsAlwaysThereAndTheOthersFollowInOrder) {
  const std::vector<Isa>& isas = available_isas();
  ASSERT_FALSE(isas.empty());
  ASSERT_LE(isas.size(), 3u);
  for (std::size_t i = 0; i < isas.size(); ++i) EXPECT_EQ(static_cast<std::size_t>(isas[i]), i);
}

TEST(Isa, HasNames) {
  EXPECT_EQ(to_string(Isa::kBaseline), "baseline");
  EXPECT_EQ(to_string(Isa::kAvx2), "avx2");
  EXPECT_EQ(to_string(Isa::kAvx512), "avx512");
}

}  // namespace
}  // namespace fernwood
