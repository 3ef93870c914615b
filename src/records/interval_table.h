// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/core/array.h"
#include "records/strategy.h"

namespace fernwood {

// A forest that asks one attribute only is a step function of it, whatever its trees: between two neighbouring
// thresholds every test has one outcome. So the rank of the value tells the class.

/// Views of an IntervalTable, so that kernels may take them.
struct IntervalView {
  RankView ranks;
  View1<const std::int32_t> classes;  ///< [thresholds + 2] by rank; the last is that of NaN.
};

FW_HD std::int32_t class_of_value(const IntervalView& intervals, float value) {
  const RankedAttribute& attribute = intervals.ranks.attributes[0];
  const std::size_t interval = is_nan(value) ? attribute.count + 1 : rank_of(intervals.ranks, attribute, value);
  return intervals.classes[interval];
}

/// Class of each interval of the one attribute that a forest asks.
std::vector<std::int32_t> classes_of_intervals(const EvaluationModel& model);

/// One comparison a record, whatever the number and depth of trees; on the CPU.
std::string interval_obstacle(const EvaluationModel& model, Values values, Device device);
std::unique_ptr<RecordEvaluator> make_interval(const StrategyRequest& request);

}  // namespace fernwood
