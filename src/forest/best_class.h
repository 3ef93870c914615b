// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "fernwood/core/arithmetic.h"
#include "fernwood/image/labels.h"

namespace fernwood::forest {

/// The class of highest probability among those offered in order (thesis eq. 3.8), the first of equals; kVoid while all
/// are 0.
struct BestClass {
  float highest = 0.0f;
  std::uint16_t label = image::kVoid;

  FW_HD void offer(std::int32_t label_offered, float probability) {
    if (!(probability > highest)) return;
    highest = probability;
    label = static_cast<std::uint16_t>(label_offered);
  }
};

}  // namespace fernwood::forest
