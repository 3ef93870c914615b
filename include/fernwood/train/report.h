// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/train/train.h"

namespace fernwood::train {

/// A stage of growing a level: what files and narrow columns call it, and what it does.
struct StageName {
  const char *key, *column, *title;
  double StageSeconds::*seconds;
};
inline constexpr StageName kStageNames[] = {{"probe", "probe", "responses of probes", &StageSeconds::probe},
                                            {"respond", "respond", "feature response", &StageSeconds::respond},
                                            {"bin", "bin", "finding bins", &StageSeconds::bin},
                                            {"aggregate", "aggreg.", "histogram aggregation", &StageSeconds::aggregate},
                                            {"score", "score", "impurity score", &StageSeconds::score},
                                            {"split", "split", "sending samples to children", &StageSeconds::split}};

/// Reports of the same level of all trees, added up: [level].
std::vector<LevelReport> add_trees(const std::vector<LevelReport>& levels);
/// Reports of all levels, added up.
LevelReport add_levels(const std::vector<LevelReport>& levels);
/// Part of the wall clock that a stage took: the time of a CPU's threads by their number, kernel time as it is.
double wall_seconds(double stage_seconds, const TrainReport& report);

/// Share of the time of growing in which a GPU was at work; 0 without one.
double gpu_busy_share(const TrainReport& report);

/// What a GPU could reach at most.
struct GpuLimits {
  double shared_words_per_second = 0;  ///< Of 4 bytes, read from shared memory without bank conflicts.
  double copy_bytes_per_second = 0;    ///< Read and written by a copy within the GPU's memory.
};

/// What the stages of a training reached on a GPU beside what it could. 0 where there was nothing to measure.
struct GpuRoofline {
  double responses_per_second = 0;  ///< While stage 1 ran.
  double response_limit = 0;        ///< Every bank of shared memory answers at every clock.
  double random_limit = 0;          ///< The same when 32 lanes read 32 random words, as features do.
  double respond_bytes_per_second = 0, aggregate_bytes_per_second = 0;  ///< Responses written, responses read.
  double copy_bytes_per_second = 0;                                     ///< As in GpuLimits.
};

/// A response reads the four corners of one region, or of two: formulas in docs/reference/training_report.md.
/// @param unary_feature_fraction  As in TrainOptions.
GpuRoofline gpu_roofline(const TrainReport& report, double unary_feature_fraction, const GpuLimits& limits);

}  // namespace fernwood::train
