// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/machine.h"

#include <gtest/gtest.h>

namespace fernwood {
namespace {

TEST(Machine, ChoosesWhatTheProgramChooses) {
  const MachineReport here = inspect_machine();
  EXPECT_EQ(automatic_device(here.gpus).device, choose_device("auto").device);
  EXPECT_EQ(automatic_device(here.gpus).note, choose_device("auto").note);
  EXPECT_EQ(here.gpu_memory.size(), here.gpus.gpus.size());
  EXPECT_GE(here.threads, 1);
  EXPECT_GT(here.memory_bytes, here.free_memory_bytes);
}

}  // namespace
}  // namespace fernwood
