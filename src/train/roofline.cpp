// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/text.h"
#include "fernwood/train/report.h"

namespace fernwood::train {

namespace {

constexpr double kCornersPerRegion = 4;
/// A bank answers one lane at a time. When 32 lanes read words of random banks, the bank asked most is asked so often:
/// the mean of the maximum of 32 balls thrown into 32 bins.
constexpr double kTurnsOfRandomReads = 3.533;

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

}  // namespace

GpuRoofline gpu_roofline(const TrainReport& report, double absolute_share, const GpuLimits& limits) {
  const StageSeconds stages = report.stages();
  const double regions = 2 - absolute_share, one_way_bytes = static_cast<double>(report.gpu.response_bytes) / 2;
  GpuRoofline roofline;
  roofline.responses_per_second = ratio(static_cast<double>(report.responses()), stages.respond);
  roofline.response_limit = limits.shared_words_per_second / (kCornersPerRegion * regions);
  roofline.random_limit = roofline.response_limit / kTurnsOfRandomReads;
  roofline.respond_bytes_per_second = ratio(one_way_bytes, stages.respond);
  roofline.aggregate_bytes_per_second = ratio(one_way_bytes, stages.aggregate);
  roofline.copy_bytes_per_second = limits.copy_bytes_per_second;
  return roofline;
}

std::string roofline_text(const GpuRoofline& r) {
  const auto percent = [](double a, double b) { return 100 * ratio(a, b); };
  return format_text(
             "feature response       %.1f thousand million a second: %.0f %% of the %.0f for which this GPU's\n",
             r.responses_per_second / 1e9, percent(r.responses_per_second, r.random_limit), r.random_limit / 1e9) +
         format_text("                       shared memory can be read at random (%.0f without bank conflicts);\n",
                     r.response_limit / 1e9) +
         format_text("                       writes %.2f TB/s, %.0f %% of the %.2f TB/s that a copy moves\n",
                     r.respond_bytes_per_second / 1e12, percent(r.respond_bytes_per_second, r.copy_bytes_per_second),
                     r.copy_bytes_per_second / 1e12) +
         format_text("histogram aggregation  reads %.2f TB/s, %.0f %% of the %.2f TB/s that a copy moves\n",
                     r.aggregate_bytes_per_second / 1e12,
                     percent(r.aggregate_bytes_per_second, r.copy_bytes_per_second), r.copy_bytes_per_second / 1e12);
}

}  // namespace fernwood::train
