// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <vector>

namespace fernwood::forest {

/// How the processor's loops over features get the corners of regions: by "gather" instructions, which on some
/// processors are slower than what they replace, or by "scalar" loads between vectorised loops. Both give the same
/// bits.
struct GatherReport {
  std::string instruction_set;              ///< That the loops are compiled for.
  std::string choice;                       ///< What was faster here: "gather" or "scalar".
  double gather_rate = 0, scalar_rate = 0;  ///< Responses a second of one core, in the measurement.
  bool remembered = false;                  ///< Measured by an earlier run.
};

/// What this processor does well: measured once in about a millisecond, and remembered in the cache folder.
const GatherReport& gather_report();

/// Names for options: "auto", which is what gather_report() says, "gather" and "scalar".
const std::vector<std::string>& gather_names();

}  // namespace fernwood::forest
