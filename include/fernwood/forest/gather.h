// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

namespace fernwood::forest {

/// How vectorised loops over features load the corners of regions on a CPU: by "gather" instructions, which are slower
/// than scalar loads on some processors, or by "scalar" loads between vectorised loops. Both give the same bits.
struct GatherReport {
  std::string instruction_set;              ///< Instruction set of the measured loops.
  std::string choice;                       ///< The faster variant on this processor: "gather" or "scalar".
  double gather_rate = 0, scalar_rate = 0;  ///< Measured responses per second of one core.
  bool remembered = false;                  ///< Whether the measurement is one of an earlier run.
};

/// The faster variant on this processor: measured once, in about a millisecond, and stored in the cache folder.
const GatherReport& gather_report();

}  // namespace fernwood::forest
