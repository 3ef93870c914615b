// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the table and the JSON of a training share.

#include <optional>

#include "fernwood/report/training.h"

namespace fernwood::report {

inline double rate(std::uint64_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}
inline double rate_per_thread(const train::TrainReport& report, std::uint64_t responses, double seconds) {
  return report.threads > 0 ? rate(responses, seconds) / report.threads : 0;
}

/// Seconds of growing a tree that is kept, those since a resume.
double seconds_of(const train::TrainReport& report, std::size_t stage, std::size_t tree);

/// The forests that a next stage is trained with and that are not kept.
struct CrossFitting {
  int forests = 0, trees = 0;
  double seconds = 0;  ///< Of growing, those since a resume.
};
/// Nothing unless there are stages.
std::optional<CrossFitting> cross_fitting(const train::TrainReport& report, const forest::Forest& forest);

}  // namespace fernwood::report
