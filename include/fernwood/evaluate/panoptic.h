// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Panoptic quality (Kirillov et al., CVPR 2019). A segment is the pixels of one class in a frame that are of one object
// or, for stuff, all of them. A true and a found segment of a class match if their intersection over union is above
// 0.5; no segment can match two others then. Pixels whose true class is void, or a thing without an instance, are void:
// they are not part of any union, and an unmatched segment is not counted if more than half of it is void.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace fernwood::evaluate {

/// Of a class, or the mean over classes; in [0, 1], NaN without segments.
struct PanopticQuality {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  double pq = kUnknown;  ///< Panoptic quality: sq * rq.
  double sq = kUnknown;  ///< Segmentation quality: mean IoU of the matches; 0 without any.
  double rq = kUnknown;  ///< Recognition quality: matches / mean of the numbers of true and found segments.
};

/// Segments of a class over all frames, in whole numbers, so that the order of frames does not matter.
struct SegmentCounts {
  static constexpr std::uint64_t kIouUnits = std::uint64_t{1} << 30;

  std::uint64_t num_true = 0, num_found = 0, num_matched = 0;
  std::uint64_t iou = 0;  ///< Sum over matches, in 1 / kIouUnits.
  /// Matches with known depth, and the sum of the distances between their centres, the means of the visible points of
  /// the true and of the found object, in micrometres.
  std::uint64_t num_centers = 0, center_error_um = 0;

  void add(const SegmentCounts& other);
  PanopticQuality quality() const;
  double mean_center_error_m() const;  ///< NaN without centres.
  bool operator==(const SegmentCounts&) const = default;
};

/// Measures of a class (objects::ClassMeasures) in the true and in the evaluated labels, summed over frames.
struct MeasureSums {
  std::uint64_t true_area_cm2 = 0, found_area_cm2 = 0;  ///< Of the visible surface.
  std::uint64_t area_error_cm2 = 0;                     ///< Sum of the differences of frames.
  /// Frames that show the class in both, and the sum of the differences of the distances to its nearest point, in mm.
  std::uint64_t num_distances = 0, distance_error_mm = 0;

  void add(const MeasureSums& other);
  double mean_distance_error_m() const;  ///< NaN without distances.
  bool operator==(const MeasureSums&) const = default;
};

enum class ClassKind { kAll, kThings, kStuff };

/// Segments of the frames with instance truth.
struct PanopticReport {
  std::uint64_t num_frames = 0;
  std::vector<bool> is_thing;        ///< [class]
  std::vector<SegmentCounts> found;  ///< [class] Objects by objects::ObjectFinder in the evaluated labels, and stuff.
  /// [class] Only of things, for comparison: objects are the connected pixels (4 neighbours) of a class.
  std::vector<SegmentCounts> connected;
  /// [class] Only of things, an upper bound: objects by objects::ObjectFinder in the true labels.
  std::vector<SegmentCounts> true_labels;
  std::vector<MeasureSums> measures;  ///< [class]

  PanopticReport() = default;
  explicit PanopticReport(std::vector<bool> class_is_thing)
      : is_thing(std::move(class_is_thing)),
        found(is_thing.size()),
        connected(is_thing.size()),
        true_labels(is_thing.size()),
        measures(is_thing.size()) {}
  void add(const PanopticReport& other);
  bool is_of(ClassKind kind, std::size_t label) const {
    return kind == ClassKind::kAll || is_thing[label] == (kind == ClassKind::kThings);
  }
  /// @param counts  One of the lists above.
  SegmentCounts sum(const std::vector<SegmentCounts>& counts, ClassKind kind) const;
  /// The mean over the classes that have a segment.
  PanopticQuality mean(const std::vector<SegmentCounts>& counts, ClassKind kind) const;
};

}  // namespace fernwood::evaluate
