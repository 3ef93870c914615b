// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/train/train.h"

#include <algorithm>

namespace fernwood::train {

namespace {

constexpr double kCornersPerRegion = 4;
/// A bank of shared memory serves one lane at a time. When 32 lanes read words in random banks, this is the expected
/// number of reads of the busiest bank: the mean of the maximum of 32 balls thrown into 32 bins.
constexpr double kTurnsOfRandomReads = 3.533;

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

void add(LevelReport& sum, const LevelReport& level) {
  sum.nodes += level.nodes;
  sum.samples += level.samples;
  sum.responses += level.responses;
  sum.seconds += level.seconds;
  sum.stages += level.stages;
}

}  // namespace

StageSeconds& StageSeconds::operator+=(const StageSeconds& other) {
  respond += other.respond;
  bin += other.bin;
  aggregate += other.aggregate;
  score += other.score;
  split += other.split;
  return *this;
}

std::string to_string(TrainProgress::Phase phase) {
  switch (phase) {
    case TrainProgress::Phase::kScanning:
      return "reading ground truth";
    case TrainProgress::Phase::kEncoding:
      return "computing feature maps";
    case TrainProgress::Phase::kLoading:
      return "preparing frames";
    case TrainProgress::Phase::kGrowing:
      return "growing";
    case TrainProgress::Phase::kGrowingAgain:
      return "growing again without some frames";
    case TrainProgress::Phase::kChoosing:
      break;
  }
  return "choosing weights by these frames";
}

std::uint64_t TrainReport::responses() const {
  std::uint64_t sum = 0;
  for (const LevelReport& level : levels) sum += level.responses;
  return sum;
}

StageSeconds TrainReport::stages() const {
  StageSeconds sum;
  for (const LevelReport& level : levels) sum += level.stages;
  return sum;
}

std::vector<LevelReport> add_trees(const std::vector<LevelReport>& levels) {
  std::vector<LevelReport> sums;
  for (const LevelReport& level : levels) {
    const auto at = static_cast<std::size_t>(level.level);
    sums.resize(std::max(sums.size(), at + 1));
    sums[at].level = level.level;
    add(sums[at], level);
  }
  return sums;
}

LevelReport add_levels(const std::vector<LevelReport>& levels) {
  LevelReport sum;
  for (const LevelReport& level : levels) add(sum, level);
  return sum;
}

double wall_seconds(double stage_seconds, const TrainReport& report) {
  return stage_seconds / (report.on_gpu() ? 1 : std::max(1, report.threads));
}

double gpu_busy_share(const TrainReport& report) {
  return report.on_gpu() && report.seconds_growing > 0 ? report.stages().sum() / report.seconds_growing : 0;
}

GpuRoofline gpu_roofline(const TrainReport& report, double unary_feature_fraction, const GpuLimits& limits) {
  const StageSeconds stages = report.stages();
  const double regions = 2 - unary_feature_fraction, one_way_bytes = static_cast<double>(report.gpu.response_bytes) / 2;
  GpuRoofline roofline;
  roofline.responses_per_second = ratio(static_cast<double>(report.responses()), stages.respond);
  roofline.response_limit = limits.shared_words_per_second / (kCornersPerRegion * regions);
  roofline.random_limit = roofline.response_limit / kTurnsOfRandomReads;
  roofline.respond_bytes_per_second = ratio(one_way_bytes, stages.respond);
  roofline.aggregate_bytes_per_second = ratio(one_way_bytes, stages.aggregate);
  roofline.copy_bytes_per_second = limits.copy_bytes_per_second;
  return roofline;
}

}  // namespace fernwood::train
