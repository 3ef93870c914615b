// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/machine.h"
#include "fernwood/core/error.h"

namespace fernwood {

/// Calls `work` repeatedly while a single GPU allocation fails, a later one in each call, until `work` makes fewer
/// allocations than that. Each error that it throws must be a resource error that reports exhausted GPU memory.
/// @param after  Called after each call of `work`, when allocations succeed again.
inline void expect_gpu_memory_errors(const std::function<void()>& work, const std::function<void()>& after = {}) {
  int num_failed = 0;
  bool all_were_there = false;
  for (std::size_t number = 1; !all_were_there; number += 1 + number / 4) {
    fail_gpu_allocation(number);
    try {
      work();
    } catch (const Error& error) {
      ++num_failed;
      EXPECT_EQ(error.kind(), ErrorKind::kResource) << error.what();
      EXPECT_NE(std::string(error.what()).find("the GPU's memory ran out"), std::string::npos) << error.what();
    }
    all_were_there = fail_gpu_allocation(0) > 0;
    if (after) after();
  }
  EXPECT_GT(num_failed, 5);
}

}  // namespace fernwood
