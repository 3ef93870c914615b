// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/machine.h"
#include "fernwood/core/error.h"

namespace fernwood {

/// Calls `work` again and again while one allocation of a GPU's memory fails, each time a later one, until it asks for
/// no more. What it throws must say that the memory ran out.
/// @param after  Called after each time, when memory is there again.
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
