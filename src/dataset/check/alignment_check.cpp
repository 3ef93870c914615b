// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/check/alignment_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace {

// Aligned and shifted sets of 10 to 40 frames have peaks 13 to 26 standard deviations high, an unregistered Kinect 8 to
// 15, depth of other images up to 5 (docs/notes/benchmarks_data.md).
constexpr double kMinHeight = 7, kMinHalfHeight = 5;
constexpr double kMinCertainty = 3;  // standard errors between the agreement there and at the aligned pose
constexpr std::size_t kMinFrames = 5;
constexpr std::uint32_t kMinEdges = 32;
constexpr double kMinShiftCells = 1.5;  // labels are hardly more accurate
constexpr int kMinScaleSteps = 2;       // 4 %: six cells at the border

/// A magnification and a shift.
struct Pose {
  std::size_t scale = kScaleReach;
  int dx = kShiftReach, dy = kShiftReach;
  double height = 0;  // agreement minus the mean of all shifts at that magnification, in standard deviations

  std::size_t index() const { return static_cast<std::size_t>(dy * kShiftSide + dx); }
};

/// Sums over all frames.
struct PooledAgreement {
  std::vector<std::uint64_t> sums = std::vector<std::uint64_t>(kNumScales * kNumShifts);
  std::array<std::uint64_t, kNumScales> num_edges{};

  void add(const EdgeAgreement& frame) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += frame.sums[i];
    for (std::size_t i = 0; i < kNumScales; ++i) num_edges[i] += frame.num_edges[i];
  }
  std::span<const std::uint64_t> of_scale(std::size_t scale) const {
    return {sums.data() + scale * kNumShifts, kNumShifts};
  }
  std::uint64_t at(const Pose& pose) const { return sums[pose.scale * kNumShifts + pose.index()]; }
};

double mean_of(std::span<const std::uint64_t> sums) {
  return static_cast<double>(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0})) /
         static_cast<double>(sums.size());
}

/// The pose of best agreement. By chance, sums vary by the square root of the number of edges, so heights are measured
/// in that unit.
Pose best_pose(const PooledAgreement& pooled) {
  Pose best;
  double squares = 0;
  for (std::size_t scale = 0; scale < kNumScales; ++scale) {
    const std::span sums = pooled.of_scale(scale);
    const auto num_edges = static_cast<double>(std::max<std::uint64_t>(1, pooled.num_edges[scale]));
    const double mean = mean_of(sums);
    double squares_of_scale = 0;
    for (const std::uint64_t sum : sums) {
      const double above = static_cast<double>(sum) - mean;
      squares_of_scale += above * above;
    }
    squares += squares_of_scale / num_edges;
    const auto place = static_cast<int>(std::ranges::max_element(sums) - sums.begin());
    const double height = (static_cast<double>(sums[static_cast<std::size_t>(place)]) - mean) / std::sqrt(num_edges);
    if (height > best.height) best = {scale, place % kShiftSide, place / kShiftSide, height};
  }
  const double deviation = std::sqrt(squares / static_cast<double>(pooled.sums.size()));
  if (deviation > 0) best.height /= deviation;
  return best;
}

bool is_same(const Pose& a, const Pose& b) {
  return std::abs(a.dx - b.dx) <= 1 && std::abs(a.dy - b.dy) <= 1 &&
         std::abs(static_cast<int>(a.scale) - static_cast<int>(b.scale)) <= kMinScaleSteps;
}

/// The best of the poses that count as aligned.
Pose aligned_pose(const PooledAgreement& pooled) {
  Pose best;
  for (int dy = kShiftReach - 1; dy <= kShiftReach + 1; ++dy)
    for (int dx = kShiftReach - 1; dx <= kShiftReach + 1; ++dx)
      if (const Pose pose{kScaleReach, dx, dy}; pooled.at(pose) > pooled.at(best)) best = pose;
  return best;
}

/// Difference of the mean agreement over the frames between `pose` and `other`, in standard errors.
double certainty(const std::vector<const EdgeAgreement*>& frames, const Pose& pose, const Pose& other) {
  double sum = 0, squares = 0;
  for (const EdgeAgreement* frame : frames) {
    const auto mean_at = [&](const Pose& at) {
      return static_cast<double>(frame->sums[at.scale * kNumShifts + at.index()]) / frame->num_edges[at.scale];
    };
    const double gain = mean_at(pose) - mean_at(other);
    sum += gain;
    squares += gain * gain;
  }
  const auto count = static_cast<double>(frames.size());
  const double variance = std::max(0.0, squares - sum * sum / count) / (count - 1);
  return sum / std::sqrt(count * variance + 1e-9);
}

/// Subcell position of the peak, by a parabola through it and its neighbours. @return  (-0.5, 0.5)
double beside_peak(std::uint64_t before, std::uint64_t peak, std::uint64_t after) {
  const auto l = static_cast<double>(before), m = static_cast<double>(peak), r = static_cast<double>(after);
  const double bend = 2 * m - l - r;
  return bend > 0 ? (r - l) / (2 * bend) : 0;
}

/// Shift of the peak in cells; it must not lie at the border. @param step  Distance between successive shifts of this
/// direction in the array.
double shift_cells(const PooledAgreement& pooled, const Pose& pose, int place, std::size_t step) {
  const std::uint64_t* const peak = pooled.sums.data() + pose.scale * kNumShifts + pose.index();
  return place - kShiftReach + beside_peak(*(peak - step), *peak, *(peak + step));
}

}  // namespace

std::optional<Misalignment> find_misalignment(std::span<const EdgeAgreement> frames) {
  std::vector<const EdgeAgreement*>
      telling;  // with the cell size of the first one, and enough edges at every magnification
  for (const EdgeAgreement& frame : frames)
    if (frame.cell_px > 0 && std::ranges::min(frame.num_edges) >= kMinEdges &&
        (telling.empty() || frame.cell_px == telling.front()->cell_px))
      telling.push_back(&frame);
  if (telling.size() < kMinFrames) return std::nullopt;
  PooledAgreement all, halves[2];
  for (std::size_t i = 0; i < telling.size(); ++i) {
    all.add(*telling[i]);
    halves[i % 2].add(*telling[i]);
  }
  const Pose found = best_pose(all);
  // If agreement still increases at the border of the search, it is not a peak.
  const auto is_end = [](int place) { return place <= 1 || place >= kShiftSide - 2; };
  if (found.height < kMinHeight || is_end(found.dx) || is_end(found.dy)) return std::nullopt;
  for (const PooledAgreement& half : halves)
    if (const Pose pose = best_pose(half); pose.height < kMinHalfHeight || !is_same(pose, found)) return std::nullopt;
  if (certainty(telling, found, aligned_pose(all)) < kMinCertainty) return std::nullopt;
  const double right = -shift_cells(all, found, found.dx, 1), down = -shift_cells(all, found, found.dy, kShiftSide);
  const bool is_magnified = std::abs(static_cast<int>(found.scale) - kScaleReach) >= kMinScaleSteps;
  if (!is_magnified && right * right + down * down < kMinShiftCells * kMinShiftCells) return std::nullopt;
  const auto cell_px = static_cast<double>(telling.front()->cell_px);
  return Misalignment{cell_px * right, cell_px * down,
                      is_magnified ? static_cast<double>(kScaleOne) / static_cast<double>(scale_at(found.scale)) : 1,
                      telling.size()};
}

std::string to_string(const Misalignment& found) {
  const auto pixels = [](double count, const char* positive, const char* negative) {
    const int whole = static_cast<int>(std::lround(std::abs(count)));
    return whole == 0 ? std::vector<std::string>{}
                      : std::vector{std::to_string(whole) + (whole == 1 ? " pixel " : " pixels ") +
                                    (count > 0 ? positive : negative)};
  };
  std::vector<std::string> shifts = pixels(found.right_px, "right of", "left of");
  for (std::string& shift : pixels(found.down_px, "below", "above")) shifts.push_back(std::move(shift));
  std::string text = "depth seems to ";
  if (found.magnification != 1)
    text += format_text("show everything %.2f times as large as colour", found.magnification) +
            (shifts.empty() ? "" : " and in the middle to ");
  if (!shifts.empty()) text += "lie " + join(shifts, " and ") + " colour";
  return text + " (by the edges in " + std::to_string(found.num_frames) + " frames)";
}

}  // namespace fernwood::dataset
