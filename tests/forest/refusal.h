// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <gtest/gtest.h>

#include "fernwood/core/error.h"
#include "forest/model_bytes.h"

namespace fernwood::forest {

/// Message of the error with which bytes are refused as a damaged model; "" when they are read.
inline std::string refusal(const std::vector<std::uint8_t>& bytes) {
  try {
    read_forest(bytes, "f.fernwood");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel) << error.what();
    return error.what();
  }
  return "";
}

}  // namespace fernwood::forest
