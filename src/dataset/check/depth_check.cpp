// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/dataset.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <type_traits>

#include "dataset/files/image_file.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace {

constexpr std::uint64_t kMinPixels = 64;  // minimum for a meaningful distribution
constexpr std::uint64_t kManyPixels = 1000;
constexpr std::size_t kManyValues = 32;

/// Plausible range of depth cameras in rooms. A table before the camera is at 0.4 m, a hall at 6 m.
constexpr double kNearestMedianMm = 350, kFarthestMedianMm = 7000, kFarthestMm = 10000;
/// Range of the median for a unit to be proposed in place of an implausible one.
constexpr double kMinUsualMm = 700, kMaxUsualMm = 6500;
/// Above this median, a common divisor of all values suggests a finer unit.
constexpr double kSuspiciousMedianMm = 4000;

constexpr double kLastValue = 65535;  // of 16 bits; many recordings use it for unknown depth
constexpr double kLastDisparity = 2047, kFarthestDisparity = 1100;  // of the first Kinect
constexpr double kLastByte = 255;

struct DepthUnit {
  double to_mm;
  const char* name;
  double divisor = 1;  ///< Common divisor of all values in this unit, where sensors measure whole millimetres.
};
/// In the order in which they are proposed.
constexpr std::array kDepthUnits = {DepthUnit{0.2, "1/5000 m, as TUM RGB-D", 5},
                                    DepthUnit{0.1, "0.1 mm", 10},
                                    DepthUnit{0.125, "1/8 mm, the rotated bits of SUN RGB-D", 8},
                                    DepthUnit{0.25, "1/4000 m, as Matterport3D", 4},
                                    DepthUnit{1000 / 6553.5, "1/6553.5 m, as Replica"},
                                    DepthUnit{1, "millimetres"},
                                    DepthUnit{10, "centimetres"},
                                    DepthUnit{1000, "metres"},
                                    DepthUnit{3.90625, "1/256 m, as KITTI"},
                                    DepthUnit{1.953125, "1/512 m, as 2D-3D-S"}};

using DepthCounts = std::vector<std::pair<double, std::uint64_t>>;  // (value, pixels), ascending

DepthCounts sorted_counts(DepthCounts counts) {
  std::ranges::sort(counts);
  DepthCounts merged;
  for (const auto& [value, num_pixels] : counts) {
    if (!merged.empty() && merged.back().first == value)
      merged.back().second += num_pixels;
    else
      merged.emplace_back(value, num_pixels);
  }
  return merged;
}

std::uint64_t num_pixels_in(const DepthCounts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0},
                         [](std::uint64_t so_far, const auto& count) { return so_far + count.second; });
}

/// The smallest value that at least this share of the pixels does not exceed.
double quantile(const DepthCounts& counts, double share) {
  const double wanted = share * static_cast<double>(num_pixels_in(counts));
  std::uint64_t num_below = 0;
  for (const auto& [value, num_pixels] : counts)
    if (static_cast<double>(num_below += num_pixels) >= wanted) return value;
  return counts.back().first;
}

double share_of(const DepthCounts& counts, double value) {
  const auto place = std::ranges::lower_bound(counts, value, {}, &DepthCounts::value_type::first);
  const bool is_there = place != counts.end() && place->first == value;
  return is_there ? static_cast<double>(place->second) / static_cast<double>(num_pixels_in(counts)) : 0;
}

/// Greatest common divisor of all values; 1 for few values, or fractions.
double divisor_of(const DepthCounts& counts) {
  std::uint64_t divisor = 0;
  for (const auto& [value, num_pixels] : counts) {
    if (value != std::floor(value) || value > 1e9) return 1;
    divisor = std::gcd(divisor, static_cast<std::uint64_t>(value));
  }
  return counts.size() < kManyValues ? 1 : static_cast<double>(divisor);
}

std::string meters_text(double depth_mm) { return format_text("%.3g m", depth_mm / 1000); }
std::string share_text(double share) { return format_text("%.1f %%", 100 * share); }

struct DepthRange {
  double median = 0, far = 0;  ///< The 50 and 95 % quantiles, in the unit of the values.
  double divisor = 1;
};

bool is_usual(const DepthRange& range, double to_mm) {
  return range.median * to_mm >= kMinUsualMm && range.median * to_mm <= kMaxUsualMm && range.far * to_mm <= kFarthestMm;
}

/// Millimetres if they are plausible, else at most two units: first those that are supported by a common divisor of all
/// values, larger divisors first, since a number divisible by 10 is also divisible by 5.
std::vector<DepthUnit> likely_units(const DepthRange& range, double to_mm) {
  std::vector<DepthUnit> likely;
  for (const DepthUnit& unit : kDepthUnits)
    if (unit.to_mm != to_mm && is_usual(range, unit.to_mm)) likely.push_back(unit);
  std::ranges::stable_sort(likely, std::greater<>(), [&](const DepthUnit& unit) {
    const bool divides = std::fmod(range.divisor, unit.divisor) == 0;
    return unit.to_mm == 1 ? 100 : divides ? unit.divisor : 1;
  });
  const std::size_t num_proposed = !likely.empty() && likely.front().to_mm == 1 ? 1 : 2;
  if (likely.size() > num_proposed)
    likely.erase(likely.begin() + static_cast<std::ptrdiff_t>(num_proposed), likely.end());
  return likely;
}

std::string scale_text(double value) { return format_text("%.6g", value); }

std::string unit_remedy(DepthOrigin origin, const DepthUnit& unit, double given_to_mm) {
  switch (origin) {
    case DepthOrigin::kFolder:
      return "set depth_scale = " + scale_text(unit.to_mm) + " in dataset.toml";
    case DepthOrigin::kFile:
      return "pass its folder as --data, with depth_scale = " + scale_text(unit.to_mm) + " in dataset.toml,";
    case DepthOrigin::kIntegers:
      return "multiply them by " + scale_text(unit.to_mm);
    case DepthOrigin::kFloats:
      return "multiply them by " + scale_text(unit.to_mm / given_to_mm);
    case DepthOrigin::kSource:
      return "multiply depth_scale in the recording's dataset.toml, which is 1 unless given, by " +
             scale_text(unit.to_mm / given_to_mm);
  }
  return "";
}

std::string unit_rule(DepthOrigin origin) {
  switch (origin) {
    case DepthOrigin::kFolder:
      return "depth images are in millimetres; set depth_scale in dataset.toml if yours are not";
    case DepthOrigin::kFile:
      return "depth is in millimetres; use the folder as --data, with depth_scale in its dataset.toml, if yours is "
             "not";
    case DepthOrigin::kIntegers:
      return "depth in integers is in millimetres; convert yours, or pass float32 in metres";
    case DepthOrigin::kFloats:
      return "depth in floating point is in metres; convert yours, or use uint16 in millimetres";
    case DepthOrigin::kSource:
      return "depth is in millimetres; check the camera's unit, or depth_scale in the recording's dataset.toml";
  }
  return "";
}

std::string units_text(DepthOrigin origin, const std::vector<DepthUnit>& likely, double median, double to_mm) {
  if (likely.empty()) return unit_rule(origin);
  std::string text;
  for (const DepthUnit& unit : likely) {
    const bool is_named = unit.to_mm == 1 || unit.to_mm == 10 || unit.to_mm == 1000;
    text += (text.empty() ? "" : ", or ") + unit_remedy(origin, unit, to_mm) + " if they are in " +
            (is_named ? "" : "steps of ") + unit.name + " (a median of " + meters_text(median * unit.to_mm) + ")";
  }
  return text;
}

/// A sentence about values that are not distances, or that mark unknown depth; else empty.
std::string special_values(DepthOrigin origin, const DepthCounts& counts, double to_mm) {
  if (origin == DepthOrigin::kFloats) {
    if (counts.back().first == 1 && quantile(counts, 0.5) < 1)
      return "the values end at exactly 1, as of depth that was normalised; pass depth in metres, or uint16 in "
             "millimetres";
    return "";
  }
  const double last = counts.back().first, last_share = share_of(counts, last);
  if (last == kLastDisparity && last_share >= 0.02 && counts.size() > 1 &&
      (counts.end() - 2)->first <= kFarthestDisparity)
    return "the values end at 2047, which " + share_text(last_share) +
           " of the pixels have, as raw disparities of a Kinect, which are not distances; convert them to millimetres, "
           "0 where 2047 is";
  if (last == kLastValue && last_share >= 0.01)
    return share_text(last_share) + " of the depths are 65535, taken for " + meters_text(last * to_mm) +
           "; that value mostly means unknown: " +
           (origin == DepthOrigin::kFolder ? "set depth_missing = 65535 in dataset.toml" : "use 0 there");
  if (counts.size() == 1 && num_pixels_in(counts) >= kManyPixels)
    return "all depths are the same, " + meters_text(last * to_mm) +
           ", so features of depth distinguish nothing; pass measured depth, or leave depth out";
  return "";
}

std::string range_note(DepthOrigin origin, const DepthCounts& counts, double to_mm) {
  const DepthRange range{quantile(counts, 0.5), quantile(counts, 0.95), divisor_of(counts)};
  const double median_mm = range.median * to_mm, far_mm = range.far * to_mm;
  const std::vector<DepthUnit> likely = likely_units(range, to_mm);
  const bool is_finer = median_mm > kSuspiciousMedianMm && far_mm > kFarthestMedianMm && !likely.empty() &&
                        likely.front().divisor > 1 && std::fmod(range.divisor, likely.front().divisor) == 0;
  const bool is_near = median_mm<kNearestMedianMm, is_far = median_mm> kFarthestMedianMm || far_mm > kFarthestMm;
  if (!is_near && !is_far && !is_finer) return "";
  std::string what = "the median depth is " + meters_text(median_mm);
  if (is_far) what += ", 5 % are beyond " + meters_text(far_mm);
  if (is_finer) what += ", all values are multiples of " + scale_text(likely.front().divisor);
  if (is_near && counts.back().first == kLastByte && origin != DepthOrigin::kFloats)
    what += ", the values end at 255, as of an image of depth, whose distances are lost";
  return what + ", which is not as depth cameras measure in rooms, 0.35 to 10 m; " +
         units_text(origin, likely, range.median, to_mm);
}

}  // namespace

DepthHistogram::DepthHistogram(DepthOrigin origin, double to_mm, int missing)
    : origin_(origin), to_mm_(origin == DepthOrigin::kFloats ? 1000 : to_mm), missing_(missing) {}

void DepthHistogram::add(double value, std::uint64_t num_pixels) {
  // The last value counts as unknown if it lies beyond the depth limit.
  const bool marks_unknown = value == missing_ || (value == kLastValue && kLastValue * to_mm_ > image::kMaxDepthMm);
  if (!(value > 0) || !std::isfinite(value) || (origin_ != DepthOrigin::kFloats && marks_unknown))
    num_unknown_ += num_pixels;
  else
    given_.emplace_back(value, num_pixels);
}

void DepthHistogram::add_some(const image::FrameImages& frame) {
  const auto add_values = [&](const auto* values) {
    const std::size_t pitch =
        frame.depth_pitch_bytes > 0 ? frame.depth_pitch_bytes : frame.depth_cols() * sizeof(*values);
    const auto* const bytes = reinterpret_cast<const std::byte*>(values);
    add_some(frame.depth_rows(), frame.depth_cols(), frame.depth_m != nullptr, [&](std::size_t row, std::size_t col) {
      auto value = std::decay_t<decltype(*values)>{};  // rows supplied by a caller need not be aligned
      std::memcpy(&value, bytes + row * pitch + col * sizeof(value), sizeof(value));
      return value;
    });
  };
  if (frame.depth_mm != nullptr)
    add_values(frame.depth_mm);
  else if (frame.depth_m != nullptr)
    add_values(frame.depth_m);
}

void DepthHistogram::add_counts(std::span<const std::uint64_t> counts) {
  for (std::size_t value = 0; value < counts.size(); ++value)
    if (counts[value] > 0) add(static_cast<double>(value), counts[value]);
}

std::string DepthHistogram::note(const std::string& place) const {
  const DepthCounts counts = sorted_counts(given_);
  const std::uint64_t num_given = num_pixels_in(counts);
  if (num_given + num_unknown_ < kMinPixels) return "";
  if (num_given == 0)
    return place + ": every depth is unknown, so features of depth see nothing; " +
           (origin_ == DepthOrigin::kFolder ? "check depth_missing in dataset.toml, or record the frames again"
                                            : "pass measured depth, or leave depth out");
  const std::string special = special_values(origin_, counts, to_mm_);
  const std::string found = special.empty() ? range_note(origin_, counts, to_mm_) : special;
  return found.empty() ? "" : place + ": " + found;
}

std::string depth_file_note(const std::filesystem::path& path) {
  DepthHistogram depths(DepthOrigin::kFile);
  for (const std::uint16_t value : read_stored_depth(path, {}).steps) depths.add(value);
  return depths.note(path.string());
}

}  // namespace fernwood::dataset
