// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/device.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "devices.h"
#include "fernwood/core/error.h"

namespace fernwood {
namespace {

class DeviceMemoryOn : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Every, DeviceMemoryOn, testing::ValuesIn(cpu_and_gpus()), name_of_device);

TEST_P(DeviceMemoryOn, GivesBackWhatWasWritten) {
  std::vector<std::uint8_t> written(1000), read(1000);
  std::iota(written.begin(), written.end(), std::uint8_t{1});
  DeviceMemory memory(GetParam(), 1200);
  EXPECT_EQ(memory.device(), GetParam());
  EXPECT_EQ(memory.size_bytes(), 1200u);
  memory.write(written.data(), written.size());
  DeviceMemory moved = std::move(memory);
  moved.read(read.data(), read.size());
  EXPECT_EQ(read, written);
  EXPECT_THROW(moved.write(written.data(), 1201), Error);
  EXPECT_THROW(moved.read(read.data(), 1201), Error);
}

TEST_P(DeviceMemoryOn, MayBeEmpty) {
  DeviceMemory memory(GetParam(), 0);
  memory.write(nullptr, 0);
  memory = DeviceMemory(GetParam(), 10);
  EXPECT_NE(memory.data(), nullptr);
  EXPECT_EQ(DeviceMemory().data(), nullptr);
}

TEST_P(DeviceMemoryOn, AStreamIsThatOfAGpu) {
  const DeviceStream stream(GetParam());
  stream.synchronize();
  EXPECT_EQ(stream.handle() == nullptr, GetParam().is_cpu());
}

TEST(DeviceMemory, AGpuThatIsNotThereIsAnError) {
  if (available_devices().size() > 1) GTEST_SKIP() << "there is a GPU";
  EXPECT_THROW(DeviceMemory(Device{0}, 10), Error);
  EXPECT_THROW(DeviceStream(Device{0}), Error);
}

}  // namespace
}  // namespace fernwood
