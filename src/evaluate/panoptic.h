// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/core/communicator.h"
#include "fernwood/core/parallel.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/evaluate/panoptic.h"
#include "fernwood/image/labels.h"
#include "fernwood/objects/objects.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::evaluate {

inline constexpr std::uint32_t kNoSegment = 0xffffffff;

/// The segments of a frame.
struct Segments {
  struct Info {
    std::uint16_t label, number;  ///< Class, and number of the object; of stuff image::kNoInstance.
  };
  Array2<std::uint32_t> of_pixel;  ///< [rows][cols] Index into `infos`, or kNoSegment; in truth, that is void.
  std::vector<Info> infos;
};

/// A segment for each pair of a thing and a number, and for each class of stuff. Pixels of things without a number are
/// in no segment. @param is_thing  [class]
Segments segments_of(const image::LabelImage& labels, const image::InstanceImage& numbers,
                     const std::vector<bool>& is_thing);
/// A segment for each connected region (4 neighbours) of a thing. Segments have no numbers.
Segments connected_segments(const image::LabelImage& labels, const std::vector<bool>& is_thing);

struct SegmentMatch {
  std::uint32_t truth, found;
};
/// Matches the segments of a frame, and adds them to the counts. @param counts  [class]
std::vector<SegmentMatch> count_segments(const Segments& truth, const Segments& found,
                                         std::vector<SegmentCounts>& counts);

/// Compares objects with instance truth.
class PanopticEvaluation {
 public:
  PanopticEvaluation(const image::ClassMap& classes, const objects::ObjectOptions& options, ThreadPool& pool);

  /// Finds the objects of predictions, for predict::PredictRequest.
  objects::ObjectFinder& finder() { return finder_; }
  /// Counts the segments of a frame. May be called from the loops of the pool.
  /// @param truth  With instances. @param found  With objects.
  void count(const dataset::LabelledFrame& truth, const predict::Prediction& found, int worker);
  /// The counts of all frames, of all ranks.
  PanopticReport report(Communicator* ranks) const;

 private:
  struct Worker {
    Worker(const image::ClassMap& classes, const objects::ObjectOptions& options, const std::vector<bool>& is_thing)
        : finder(classes, options), counts(is_thing) {}
    objects::ObjectFinder finder;  // in true labels
    PanopticReport counts;
  };

  ThreadPool& pool_;
  std::vector<bool> is_thing_;  // [class]
  objects::ObjectFinder finder_;
  std::deque<Worker> workers_;  // [thread]
};

}  // namespace fernwood::evaluate
