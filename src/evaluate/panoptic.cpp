// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "evaluate/panoptic.h"

#include <cmath>
#include <map>
#include <utility>

#include "core/messages.h"
#include "fernwood/core/confusion.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/objects/measures.h"
#include "image/geometry.h"

namespace fernwood::evaluate {

namespace {

std::vector<bool> things_of(const image::ClassMap& classes, const std::vector<std::string>& stated) {
  std::vector<image::ClassInfo> infos = classes.classes;
  if (!stated.empty()) image::state_things(stated, infos);
  std::vector<bool> is_thing;
  for (const image::ClassInfo& info : infos) is_thing.push_back(info.is_thing());
  return is_thing;
}

/// Pixels of an object are of its class, whatever their label is.
Segments segments_of_objects(image::LabelImage labels, const objects::FrameObjects& found,
                             const std::vector<bool>& is_thing) {
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (const std::uint16_t number = found.numbers.data()[i]; number != image::kNoInstance)
      labels.data()[i] = found.objects[number - std::size_t{1}].label;
  return segments_of(labels, found.numbers, is_thing);
}

/// [segment] Mean of the visible points, in metres; empty without a known depth.
std::vector<std::optional<image::Vector3>> visible_centers(const Segments& segments, const image::Frame& frame) {
  struct PointSum {
    std::int64_t x = 0, y = 0, z = 0, count = 0;  // mm
  };
  const image::Camera camera =
      scaled(frame.camera.value_or(image::assumed_camera(frame.cols(), frame.rows())), frame.cols(), frame.rows());
  std::vector<PointSum> sums(segments.infos.size());
  for (std::size_t y = 0; y < frame.rows(); ++y)
    for (std::size_t x = 0; x < frame.cols(); ++x) {
      const std::uint32_t segment = segments.of_pixel(y, x);
      const std::uint16_t depth_mm = frame.depth_mm(y, x);
      if (segment == kNoSegment || !image::is_known_depth(depth_mm)) continue;
      PointSum& sum = sums[segment];
      sum.x += std::lround(depth_mm * image::ray(static_cast<float>(x), camera.cx, camera.fx));
      sum.y += std::lround(depth_mm * image::ray(static_cast<float>(y), camera.cy, camera.fy));
      sum.z += depth_mm;
      ++sum.count;
    }
  std::vector<std::optional<image::Vector3>> centers(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].count == 0) continue;
    const auto mean_m = [&](std::int64_t sum_mm) {
      return static_cast<float>(static_cast<double>(sum_mm) / (1000.0 * static_cast<double>(sums[i].count)));
    };
    centers[i] = {mean_m(sums[i].x), mean_m(sums[i].y), mean_m(sums[i].z)};
  }
  return centers;
}

/// @param centers  [true segment]
void add_center_errors(const std::vector<std::optional<image::Vector3>>& centers, const Segments& found,
                       const std::vector<objects::Object>& objects, const std::vector<SegmentMatch>& matches,
                       std::vector<SegmentCounts>& counts) {
  for (const SegmentMatch& match : matches) {
    const Segments::Info& info = found.infos[match.found];
    const std::optional<image::Vector3>& center = centers[match.truth];
    if (info.number == image::kNoInstance || !center) continue;
    const objects::Object& object = objects[info.number - std::size_t{1}];
    if (object.distance_m == 0) continue;  // all its depth is unknown
    const image::Vector3 error = {center->x - object.place.x, center->y - object.place.y, center->z - object.place.z};
    SegmentCounts& of_class = counts[info.label];
    ++of_class.num_centers;
    of_class.center_error_um += static_cast<std::uint64_t>(std::llround(1e6f * std::sqrt(dot(error, error))));
  }
}

/// Adds the measures of a frame. @param in_truth  Objects in the true labels.
void add_measures(const objects::FrameObjects& in_truth, const objects::FrameObjects& found,
                  std::vector<MeasureSums>& sums) {
  struct Pair {
    objects::ClassMeasures truth, found;
  };
  std::map<std::uint16_t, Pair> of_class;
  for (const objects::ClassMeasures& measures : objects::measure_classes(in_truth))
    of_class[measures.label].truth = measures;
  for (const objects::ClassMeasures& measures : objects::measure_classes(found))
    of_class[measures.label].found = measures;
  for (const auto& [label, pair] : of_class) {
    MeasureSums& of_label = sums[label];
    const auto cm2 = [](double m2) { return std::llround(1e4 * m2); };
    const std::int64_t true_cm2 = cm2(pair.truth.area_m2), found_cm2 = cm2(pair.found.area_m2);
    of_label.true_area_cm2 += static_cast<std::uint64_t>(true_cm2);
    of_label.found_area_cm2 += static_cast<std::uint64_t>(found_cm2);
    of_label.area_error_cm2 += static_cast<std::uint64_t>(std::abs(true_cm2 - found_cm2));
    if (!pair.truth.distance_m || !pair.found.distance_m) continue;
    ++of_label.num_distances;
    of_label.distance_error_mm +=
        static_cast<std::uint64_t>(std::llround(1e3 * std::abs(*pair.truth.distance_m - *pair.found.distance_m)));
  }
}

template <typename Counts>
void add_lists(const std::vector<Counts>& from, std::vector<Counts>& to) {
  for (std::size_t c = 0; c < to.size(); ++c) to[c].add(from[c]);
}

}  // namespace

void SegmentCounts::add(const SegmentCounts& other) {
  num_true += other.num_true;
  num_found += other.num_found;
  num_matched += other.num_matched;
  iou += other.iou;
  num_centers += other.num_centers;
  center_error_um += other.center_error_um;
}

void MeasureSums::add(const MeasureSums& other) {
  true_area_cm2 += other.true_area_cm2;
  found_area_cm2 += other.found_area_cm2;
  area_error_cm2 += other.area_error_cm2;
  num_distances += other.num_distances;
  distance_error_mm += other.distance_error_mm;
}

double MeasureSums::mean_distance_error_m() const { return ratio(distance_error_mm, num_distances) / 1e3; }

PanopticQuality SegmentCounts::quality() const {
  const DefaultFloats floats;
  if (num_true + num_found == 0) return {};
  const auto matched = static_cast<double>(num_matched);
  const double sum = static_cast<double>(iou) / static_cast<double>(kIouUnits);
  const double segments = 0.5 * static_cast<double>(num_true + num_found);
  return {sum / segments, num_matched == 0 ? 0.0 : sum / matched, matched / segments};
}

double SegmentCounts::mean_center_error_m() const { return ratio(center_error_um, num_centers) / 1e6; }

void PanopticReport::add(const PanopticReport& other) {
  num_frames += other.num_frames;
  add_lists(other.found, found);
  add_lists(other.connected, connected);
  add_lists(other.true_labels, true_labels);
  add_lists(other.measures, measures);
}

SegmentCounts PanopticReport::sum(const std::vector<SegmentCounts>& counts, ClassKind kind) const {
  SegmentCounts sum;
  for (std::size_t c = 0; c < counts.size(); ++c)
    if (is_of(kind, c)) sum.add(counts[c]);
  return sum;
}

PanopticQuality PanopticReport::mean(const std::vector<SegmentCounts>& counts, ClassKind kind) const {
  const DefaultFloats floats;
  std::vector<double> pq, sq, rq;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (!is_of(kind, c)) continue;
    const PanopticQuality of_class = counts[c].quality();
    pq.push_back(of_class.pq);
    sq.push_back(of_class.sq);
    rq.push_back(of_class.rq);
  }
  return {mean_of_known(pq), mean_of_known(sq), mean_of_known(rq)};
}

Segments segments_of(const image::LabelImage& labels, const image::InstanceImage& numbers,
                     const std::vector<bool>& is_thing) {
  Segments segments{Array2<std::uint32_t>(labels.rows(), labels.cols(), kNoSegment), {}};
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint32_t> known;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::uint16_t label = labels.data()[i];
    if (label >= is_thing.size()) continue;
    const std::uint16_t number = is_thing[label] ? numbers.data()[i] : image::kNoInstance;
    if (is_thing[label] && number == image::kNoInstance) continue;
    if (i > 0 && segments.of_pixel.data()[i - 1] != kNoSegment) {  // mostly, the same as on the left
      const std::uint32_t last = segments.of_pixel.data()[i - 1];
      if (segments.infos[last].label == label && segments.infos[last].number == number) {
        segments.of_pixel.data()[i] = last;
        continue;
      }
    }
    const auto [at, is_new] = known.try_emplace({label, number}, static_cast<std::uint32_t>(segments.infos.size()));
    if (is_new) segments.infos.push_back({label, number});
    segments.of_pixel.data()[i] = at->second;
  }
  return segments;
}

Segments connected_segments(const image::LabelImage& labels, const std::vector<bool>& is_thing) {
  const std::size_t cols = labels.cols(), size = labels.size();
  Segments segments{Array2<std::uint32_t>(labels.rows(), cols, kNoSegment), {}};
  std::uint32_t* const of_pixel = segments.of_pixel.data();
  std::vector<std::size_t> open;
  for (std::size_t first = 0; first < size; ++first) {
    const std::uint16_t label = labels.data()[first];
    if (of_pixel[first] != kNoSegment || label >= is_thing.size() || !is_thing[label]) continue;
    const auto segment = static_cast<std::uint32_t>(segments.infos.size());
    segments.infos.push_back({label, image::kNoInstance});
    const auto visit = [&](std::size_t i) {
      if (of_pixel[i] != kNoSegment || labels.data()[i] != label) return;
      of_pixel[i] = segment;
      open.push_back(i);
    };
    visit(first);
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      if (i % cols > 0) visit(i - 1);
      if (i % cols + 1 < cols) visit(i + 1);
      if (i >= cols) visit(i - cols);
      if (i + cols < size) visit(i + cols);
    }
  }
  return segments;
}

std::vector<SegmentMatch> count_segments(const Segments& truth, const Segments& found,
                                         std::vector<SegmentCounts>& counts) {
  std::vector<std::uint64_t> true_pixels(truth.infos.size()), pixels(found.infos.size()), voids(found.infos.size());
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> shared;
  const std::uint32_t *const of_truth = truth.of_pixel.data(), *const of_found = found.of_pixel.data();
  for (std::size_t end = 0; end < truth.of_pixel.size();) {
    const std::size_t begin = end++;
    const std::uint32_t t = of_truth[begin], f = of_found[begin];
    while (end < truth.of_pixel.size() && of_truth[end] == t && of_found[end] == f) ++end;
    const std::uint64_t length = end - begin;
    if (t != kNoSegment) true_pixels[t] += length;
    if (f != kNoSegment) (t == kNoSegment ? voids : pixels)[f] += length;
    if (t != kNoSegment && f != kNoSegment) shared[{t, f}] += length;
  }
  std::vector<SegmentMatch> matches;
  std::vector<bool> is_matched(found.infos.size());
  for (const auto& [pair, intersection] : shared) {
    const auto [t, f] = pair;
    const std::uint64_t all = true_pixels[t] + pixels[f] - intersection;
    if (truth.infos[t].label != found.infos[f].label || 2 * intersection <= all) continue;
    SegmentCounts& of_class = counts[found.infos[f].label];
    ++of_class.num_matched;
    of_class.iou += (intersection * SegmentCounts::kIouUnits + all / 2) / all;
    is_matched[f] = true;
    matches.push_back({t, f});
  }
  for (const Segments::Info& info : truth.infos) ++counts[info.label].num_true;
  for (std::size_t f = 0; f < found.infos.size(); ++f)
    if (is_matched[f] || voids[f] <= pixels[f]) ++counts[found.infos[f].label].num_found;
  return matches;
}

PanopticEvaluation::PanopticEvaluation(const image::ClassMap& classes, const objects::ObjectOptions& options,
                                       ThreadPool& pool)
    : pool_(pool), is_thing_(things_of(classes, options.things)), finder_(classes, options) {
  for (int i = 0; i < pool.num_threads(); ++i) workers_.emplace_back(classes, options, is_thing_);
}

void PanopticEvaluation::count(const dataset::LabelledFrame& truth, const predict::Prediction& found, int worker) {
  auto& [finder, counts] = workers_[static_cast<std::size_t>(worker)];
  const Segments true_segments = segments_of(truth.labels, truth.instances, is_thing_);
  const Segments segments = segments_of_objects(found.labels, found.objects, is_thing_);
  const std::vector<SegmentMatch> matches = count_segments(true_segments, segments, counts.found);
  add_center_errors(visible_centers(true_segments, truth.frame), segments, found.objects.objects, matches,
                    counts.found);

  count_segments(true_segments, connected_segments(found.labels, is_thing_), counts.connected);
  const objects::FrameObjects in_truth = finder.find(truth.frame, truth.labels, {}, pool_);
  count_segments(true_segments, segments_of_objects(truth.labels, in_truth, is_thing_), counts.true_labels);
  add_measures(in_truth, found.objects, counts.measures);
  ++counts.num_frames;
}

PanopticReport PanopticEvaluation::report(Communicator* ranks) const {
  PanopticReport mine(is_thing_);
  for (const Worker& worker : workers_) mine.add(worker.counts);
  if (!ranks) return mine;
  PanopticReport all(is_thing_);
  for (const std::vector<std::uint64_t>& of_rank : gather_equal(std::vector{mine.num_frames}, *ranks))
    all.num_frames += of_rank[0];
  for (const auto list : {&PanopticReport::found, &PanopticReport::connected, &PanopticReport::true_labels})
    for (const std::vector<SegmentCounts>& of_rank : gather_equal(mine.*list, *ranks)) add_lists(of_rank, all.*list);
  for (const std::vector<MeasureSums>& of_rank : gather_equal(mine.measures, *ranks)) add_lists(of_rank, all.measures);
  return all;
}

}  // namespace fernwood::evaluate
