// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/train/train.h"

namespace fernwood::train {

/// A step of growing a level: its JSON key, its heading in narrow columns, and a description.
struct StageName {
  const char *key, *column, *title;
  double StageSeconds::*seconds;
};
inline constexpr StageName kStageNames[] = {{"respond", "respond", "feature response", &StageSeconds::respond},
                                            {"bin", "bin", "finding bins", &StageSeconds::bin},
                                            {"aggregate", "aggreg.", "histogram aggregation", &StageSeconds::aggregate},
                                            {"score", "score", "impurity score", &StageSeconds::score},
                                            {"split", "split", "sending samples to children", &StageSeconds::split}};

/// Sums of the reports of each level over all trees: [level].
std::vector<LevelReport> add_trees(const std::vector<LevelReport>& levels);
/// Sum of the reports of all levels.
LevelReport add_levels(const std::vector<LevelReport>& levels);
/// Approximate wall-clock time of a step: on a CPU `stage_seconds` divided by the number of threads; on a GPU
/// unchanged, as it is kernel time.
double wall_seconds(double stage_seconds, const TrainReport& report);

/// Share of the time of growing in which the GPU ran kernels; 0 for a training without a GPU.
double gpu_busy_share(const TrainReport& report);

/// Upper limits of a GPU's throughput.
struct GpuLimits {
  double shared_words_per_second = 0;  ///< 4-byte words read from shared memory without bank conflicts.
  double copy_bytes_per_second = 0;    ///< Bytes read and written by a copy within the GPU's memory.
};

/// Measured rates of the steps of a training on a GPU, and the limits of the hardware. 0 where nothing was measured.
struct GpuRoofline {
  double responses_per_second = 0;  ///< Measured during stage 1.
  double response_limit = 0;        ///< Limit without bank conflicts in shared memory.
  double random_limit = 0;          ///< Limit when the 32 lanes of a warp read 32 random words, as features do.
  double respond_bytes_per_second = 0, aggregate_bytes_per_second = 0;  ///< Responses written, responses read.
  double copy_bytes_per_second = 0;                                     ///< As in GpuLimits.
};

/// Compares the measured rates with the limits. A response reads the four corners of one or two regions; the formulas
/// are in docs/reference/training_report.md.
/// @param unary_feature_fraction  As in TrainOptions.
GpuRoofline gpu_roofline(const TrainReport& report, double unary_feature_fraction, const GpuLimits& limits);

}  // namespace fernwood::train
