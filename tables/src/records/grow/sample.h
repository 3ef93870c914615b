// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

namespace fernwood::records {

/// A record in the training of a tree.
struct Sample {
  std::uint32_t record;
  std::uint16_t label;   ///< 0 where records have targets.
  std::uint16_t weight;  ///< Number of times it was drawn, or its part of a larger weight.
};

}  // namespace fernwood::records
