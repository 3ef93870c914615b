// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>

#include "fernwood/core/hd.h"
#include "fernwood/image/frame.h"

namespace fernwood {

/// CIE L*a*b* in fixed point: 1/256 of the usual unit, so L is 0 … 25600 and a, b lie within +-32767.
struct Lab {
  std::int16_t l, a, b;
  bool operator==(const Lab&) const = default;
};
inline constexpr int kLabUnit = 256;  ///< Steps per unit of L*, a* or b*.

/// Tables of the conversion, integers only, so that every device gives the same bits.
struct LabTables;  // defined below by the implementation of this header
const LabTables& lab_tables();

}  // namespace fernwood
