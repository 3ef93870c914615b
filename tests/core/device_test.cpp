// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/isa.h"
#include "core/machine.h"
#include "fernwood/core/error.h"
#include "sentences.h"

namespace fernwood {
namespace {

TEST(GpuCopyBandwidth, IsThatOfAGpusMemory) {
  const std::vector<Device> devices = available_devices();
  if (devices.size() == 1) GTEST_SKIP() << gpu_status().problem;
  for (std::size_t i = 1; i < devices.size(); ++i) {
    const double bytes_per_second = gpu_copy_bandwidth(devices[i].gpu);
    EXPECT_GT(bytes_per_second, 5e10);  // bytes/s; 2e11 on the slowest GPUs of capability 8.0
    EXPECT_LT(bytes_per_second, 1e14);
  }
}

TEST(GpuCopyBandwidth, OfAGpuThatIsNotThereIsADeviceError) {
  EXPECT_THROW(gpu_copy_bandwidth(static_cast<int>(gpu_status().gpus.size())), Error);
}

TEST(ListedGpus, AreThoseThatAreNamedOrAllThatCanBeUsed) {
  GpuStatus status;
  status.built = true;
  status.gpus.resize(3);
  status.gpus[1].name = "an old one";
  status.gpus[1].problem = "is too old";
  EXPECT_THAT(listed_gpus("cuda:all", status), testing::ElementsAre(0, 2));
  EXPECT_THAT(listed_gpus("cuda:2,0", status), testing::ElementsAre(2, 0));
  EXPECT_THAT(listed_gpus("cuda:2", status), testing::ElementsAre(2));
  const auto refuses = [&](const std::string& name, ErrorKind kind) {
    testdata::expect_refused(kind, [&] { listed_gpus(name, status); });
  };
  for (const char* name :
       {"cuda:", "cuda:0,", "cuda:,0", "cuda:0,x", "cuda:-1", "cuda:all,0", "cuda:0 1", "cuda:0,2,0"})
    refuses(name, ErrorKind::kUsage);
  refuses("cuda:0,3", ErrorKind::kDevice);
  refuses("cuda:0,1", ErrorKind::kDevice);
  EXPECT_EQ(num_listed_devices("auto"), 1);
  EXPECT_EQ(num_listed_devices("cuda:7"), 1) << "whether it is there is found when it is used";
  status.problem = "there is no driver";
  refuses("cuda:all", ErrorKind::kDevice);
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
