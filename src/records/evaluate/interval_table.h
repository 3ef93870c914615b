// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/core/array.h"
#include "records/evaluate/strategy.h"

namespace fernwood::records {

// A forest that asks one attribute only is a step function of it, whatever its trees: between two neighbouring
// thresholds every test has one outcome. So the rank of the value tells the class.

/// Views of the intervals of an attribute, so that kernels may take them.
struct IntervalView {
  RankView ranks;                     ///< Of one attribute.
  View1<const std::int32_t> classes;  ///< [thresholds + 2] by rank; the last is that of NaN.

  FW_HD const RankedAttribute& attribute() const { return ranks.attributes[0]; }
  FW_HD std::uint32_t rank(float value) const { return rank_of(ranks, attribute(), value); }
  FW_HD std::int32_t class_at(std::uint32_t interval) const { return classes[interval]; }
};

/// @param intervals  An IntervalView, or the like.
template <typename Intervals>
FW_HD std::int32_t class_of_value(const Intervals& intervals, float value) {
  return intervals.class_at(is_nan(value) ? intervals.attribute().count + 1 : intervals.rank(value));
}

/// Class of each interval of the one attribute that a forest asks.
std::vector<std::int32_t> classes_of_intervals(const EvaluationModel& model);

/// One comparison a record, whatever the number and depth of trees; on the CPU.
std::string interval_obstacle(const EvaluationModel& model, Values values, Device device);
std::unique_ptr<RecordEvaluator> make_interval(const StrategyRequest& request);

}  // namespace fernwood::records
