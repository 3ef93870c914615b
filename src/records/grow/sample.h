// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

namespace fernwood::records {

/// A record as a tree sees it.
struct Sample {
  std::uint32_t record;
  std::uint16_t label;   ///< 0 where records have targets.
  std::uint16_t weight;  ///< How often it was drawn.
};

}  // namespace fernwood::records
