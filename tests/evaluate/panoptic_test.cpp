// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "evaluate/panoptic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace fernwood::evaluate {
namespace {

using testing::DoubleEq;
using testing::IsNan;

constexpr std::uint16_t kFloorLabel = 0, kChairLabel = 1, kBoxLabel = 2;
const std::vector<bool> kIsThing = {false, true, true};

/// f: floor, c: chair, b: box, anything else: void.
image::LabelImage labels_of(const std::vector<std::string>& rows) {
  image::LabelImage labels(rows.size(), rows[0].size());
  for (std::size_t y = 0; y < labels.rows(); ++y)
    for (std::size_t x = 0; x < labels.cols(); ++x) {
      const std::size_t at = std::string_view("fcb").find(rows[y][x]);
      labels(y, x) = at == std::string_view::npos ? image::kVoid : static_cast<std::uint16_t>(at);
    }
  return labels;
}

image::InstanceImage numbers_of(const std::vector<std::string>& rows) {
  image::InstanceImage numbers(rows.size(), rows[0].size());
  for (std::size_t y = 0; y < numbers.rows(); ++y)
    for (std::size_t x = 0; x < numbers.cols(); ++x)
      numbers(y, x) = rows[y][x] == '.' ? image::kNoInstance : static_cast<std::uint16_t>(rows[y][x] - '0');
  return numbers;
}

Segments row_of(const std::string& labels, const std::string& numbers) {
  return segments_of(labels_of({labels}), numbers_of({numbers}), kIsThing);
}

std::vector<SegmentCounts> counts_of(const Segments& truth, const Segments& found) {
  std::vector<SegmentCounts> counts(kIsThing.size());
  count_segments(truth, found, counts);
  return counts;
}

void expect_counts(const SegmentCounts& counts, std::uint64_t num_true, std::uint64_t num_found,
                   std::uint64_t num_matched) {
  EXPECT_EQ(counts.num_true, num_true);
  EXPECT_EQ(counts.num_found, num_found);
  EXPECT_EQ(counts.num_matched, num_matched);
}

TEST(PanopticQuality, IsOneWhereAllSegmentsAgree) {
  const Segments truth = row_of("ffcccbbcc", "..1113322");
  const std::vector<SegmentCounts> counts = counts_of(truth, row_of("ffcccbbcc", "..5551199"));
  expect_counts(counts[kFloorLabel], 1, 1, 1);
  expect_counts(counts[kChairLabel], 2, 2, 2);
  expect_counts(counts[kBoxLabel], 1, 1, 1);
  for (const SegmentCounts& of_class : counts) {
    EXPECT_EQ(of_class.quality().pq, 1);
    EXPECT_EQ(of_class.quality().sq, 1);
    EXPECT_EQ(of_class.quality().rq, 1);
  }
}

TEST(PanopticQuality, OfASplitObjectIsThatOfItsLargerPart) {
  const Segments truth = row_of("cccccccccc", "1111111111");
  const SegmentCounts counts = counts_of(truth, row_of("cccccccccc", "1111112222"))[kChairLabel];
  expect_counts(counts, 1, 2, 1);
  EXPECT_NEAR(counts.quality().pq, 0.6 / 1.5, 1e-9);
  EXPECT_NEAR(counts.quality().sq, 0.6, 1e-9);
  EXPECT_NEAR(counts.quality().rq, 1 / 1.5, 1e-9);
  const SegmentCounts halves = counts_of(truth, row_of("cccccccccc", "1111122222"))[kChairLabel];
  expect_counts(halves, 1, 2, 0);  // an intersection over union of one half is not above it
  EXPECT_EQ(halves.quality().pq, 0);
  EXPECT_EQ(halves.quality().sq, 0);
}

TEST(PanopticQuality, OfMergedObjectsIsThatOfTheLarger) {
  const SegmentCounts counts =
      counts_of(row_of("cccccccccc", "1111112222"), row_of("cccccccccc", "1111111111"))[kChairLabel];
  expect_counts(counts, 2, 1, 1);
  EXPECT_NEAR(counts.quality().pq, 0.6 / 1.5, 1e-9);
}

TEST(PanopticQuality, VoidIsNotPartOfUnions) {
  const SegmentCounts counts = counts_of(row_of("ccc.....", "111....."), row_of("cccccccc", "11111111"))[kChairLabel];
  expect_counts(counts, 1, 1, 1);
  EXPECT_EQ(counts.quality().pq, 1);
}

TEST(PanopticQuality, AnUnmatchedSegmentThatIsMostlyVoidIsNotCounted) {
  expect_counts(counts_of(row_of("f...", "...."), row_of("bbbb", "1111"))[kBoxLabel], 0, 0, 0);
  expect_counts(counts_of(row_of("ff..", "...."), row_of("bbbb", "1111"))[kBoxLabel], 0, 1, 0);
}

TEST(PanopticQuality, ThingsWithoutAnInstanceAreVoid) {
  const std::vector<SegmentCounts> counts = counts_of(row_of("ffccc", "....."), row_of("ffccc", "..111"));
  expect_counts(counts[kChairLabel], 0, 0, 0);
  EXPECT_THAT(counts[kChairLabel].quality().pq, IsNan());
  expect_counts(counts[kFloorLabel], 1, 1, 1);
}

TEST(PanopticQuality, AWrongClassIsMissedAndWronglyFound) {
  const std::vector<SegmentCounts> counts = counts_of(row_of("cccc", "1111"), row_of("bbbb", "1111"));
  expect_counts(counts[kChairLabel], 1, 0, 0);
  expect_counts(counts[kBoxLabel], 0, 1, 0);
}

TEST(PanopticQuality, StuffIsOneSegmentInAFrame) {
  const std::vector<SegmentCounts> counts = counts_of(row_of("fccff", "111.."), row_of("ffcff", "..1.."));
  expect_counts(counts[kFloorLabel], 1, 1, 1);
  EXPECT_NEAR(counts[kFloorLabel].quality().pq, 0.75, 1e-9);
}

TEST(PanopticQuality, TheClassOfAnInstanceIsThatAtItsPixels) {
  const Segments segments = row_of("ccbb", "1111");
  ASSERT_EQ(segments.infos.size(), 2u);
  EXPECT_EQ(segments.infos[0].label, kChairLabel);
  EXPECT_EQ(segments.infos[1].label, kBoxLabel);
}

TEST(ConnectedSegments, AreRegionsOfAThingWithFourNeighbours) {
  const Segments segments = connected_segments(labels_of({"ccfb",  //
                                                          "ffcb", "bfcb"}),
                                               kIsThing);
  ASSERT_EQ(segments.infos.size(), 4u);
  EXPECT_EQ(segments.of_pixel(0, 0), segments.of_pixel(0, 1));
  EXPECT_NE(segments.of_pixel(0, 1), segments.of_pixel(1, 2)) << "they touch only at a corner";
  EXPECT_EQ(segments.of_pixel(1, 2), segments.of_pixel(2, 2));
  EXPECT_NE(segments.of_pixel(2, 0), segments.of_pixel(0, 3));
  EXPECT_EQ(segments.of_pixel(0, 2), kNoSegment) << "floor is stuff";
}

TEST(PanopticReport, MeansAreOverClassesWithSegments) {
  PanopticReport report({false, true, true, true});
  constexpr std::uint64_t kOne = SegmentCounts::kIouUnits;
  report.found[0] = {1, 1, 1, kOne, 0, 0};
  report.found[1] = {2, 2, 1, kOne / 2, 1, 20'000};
  report.found[2] = {1, 0, 0, 0, 0, 0};
  EXPECT_THAT(report.mean(report.found, ClassKind::kThings).pq, DoubleEq((0.25 + 0) / 2));
  EXPECT_THAT(report.mean(report.found, ClassKind::kStuff).pq, DoubleEq(1));
  EXPECT_THAT(report.mean(report.found, ClassKind::kAll).pq, DoubleEq(1.25 / 3));
  const SegmentCounts things = report.sum(report.found, ClassKind::kThings);
  expect_counts(things, 3, 2, 1);
  EXPECT_THAT(things.mean_center_error_m(), DoubleEq(0.02));
  EXPECT_THAT(report.found[0].mean_center_error_m(), IsNan());

  PanopticReport twice = report;
  twice.add(report);
  EXPECT_EQ(twice.found[1].num_true, 4u);
  EXPECT_EQ(twice.mean(twice.found, ClassKind::kAll).pq, report.mean(report.found, ClassKind::kAll).pq);
}

/// Two chairs, side by side in the image and half a metre apart in depth, in front of a floor.
dataset::LabelledFrame two_chairs() {
  constexpr std::size_t kRows = 48, kCols = 64;
  dataset::LabelledFrame made;
  made.frame.depth_mm = Array2<std::uint16_t>(kRows, kCols, std::uint16_t{3000});
  made.frame.camera = image::Camera{kCols, kRows, 60, 60, 31.5, 23.5};
  made.labels = image::LabelImage(kRows, kCols, kFloorLabel);
  made.instances = image::InstanceImage(kRows, kCols, image::kNoInstance);
  for (std::size_t y = 16; y < 32; ++y)
    for (std::size_t x = 16; x < 48; ++x) {
      made.frame.depth_mm(y, x) = x < 32 ? 1000 : 1500;
      made.labels(y, x) = kChairLabel;
      made.instances(y, x) = x < 32 ? 7 : 9;
    }
  return made;
}

/// A prediction that is right everywhere.
predict::Prediction right_prediction(const dataset::LabelledFrame& truth, objects::ObjectFinder& finder,
                                     ThreadPool& pool) {
  predict::Prediction prediction;
  prediction.labels = truth.labels;
  prediction.objects = finder.find(truth.frame, truth.labels, {}, pool);
  return prediction;
}

image::ClassMap classes_of_room() {
  image::ClassMap classes;
  classes.classes = {{"floor", {}}, {"chair", {}}, {"box", {}}};
  return classes;
}

TEST(PanopticEvaluation, FindsObjectsByDepthThatConnectedPixelsMerge) {
  const dataset::LabelledFrame truth = two_chairs();
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    PanopticEvaluation evaluation(classes_of_room(), {}, pool);
    const predict::Prediction found = right_prediction(truth, evaluation.finder(), pool);
    constexpr std::size_t kFrames = 5;
    pool.for_each(kFrames, [&](std::size_t, int worker) { evaluation.count(truth, found, worker); });
    const PanopticReport report = evaluation.report(nullptr);
    EXPECT_EQ(report.num_frames, kFrames);
    expect_counts(report.found[kChairLabel], 2 * kFrames, 2 * kFrames, 2 * kFrames);
    EXPECT_EQ(report.found[kChairLabel].num_centers, 2 * kFrames);
    EXPECT_LT(report.found[kChairLabel].mean_center_error_m(), 0.001);
    expect_counts(report.found[kFloorLabel], kFrames, kFrames, kFrames);
    EXPECT_EQ(report.true_labels[kChairLabel].quality().pq, 1);
    expect_counts(report.connected[kChairLabel], 2 * kFrames, kFrames, 0);
  }
}

TEST(PanopticEvaluation, MeasuresOfClassesAreComparedWithThoseOfTrueLabels) {
  const dataset::LabelledFrame truth = two_chairs();
  ThreadPool pool(1);
  PanopticEvaluation evaluation(classes_of_room(), {}, pool);
  evaluation.count(truth, right_prediction(truth, evaluation.finder(), pool), 0);
  dataset::LabelledFrame without_near = truth;  // the nearer chair is labelled as floor
  for (std::size_t y = 16; y < 32; ++y)
    for (std::size_t x = 16; x < 32; ++x) without_near.labels(y, x) = kFloorLabel;
  evaluation.count(truth, right_prediction(without_near, evaluation.finder(), pool), 0);
  const MeasureSums chairs = evaluation.report(nullptr).measures[kChairLabel];
  // 16 x 16 pixels of a plane at 1 m, and as many at 1.5 m, with a focal length of 60 pixels.
  EXPECT_NEAR(static_cast<double>(chairs.true_area_cm2), 2 * (711 + 1600), 50);
  EXPECT_EQ(chairs.area_error_cm2, chairs.true_area_cm2 - chairs.found_area_cm2);
  EXPECT_NEAR(static_cast<double>(chairs.area_error_cm2), 711, 30);
  EXPECT_EQ(chairs.num_distances, 2u);
  EXPECT_NEAR(static_cast<double>(chairs.distance_error_mm), 500, 30);
}

TEST(PanopticEvaluation, ThingsMayBeStated) {
  const dataset::LabelledFrame truth = two_chairs();
  ThreadPool pool(1);
  objects::ObjectOptions options;
  options.things = {"box"};
  PanopticEvaluation evaluation(classes_of_room(), options, pool);
  evaluation.count(truth, right_prediction(truth, evaluation.finder(), pool), 0);
  const PanopticReport report = evaluation.report(nullptr);
  EXPECT_EQ(report.is_thing, (std::vector<bool>{false, false, true}));
  expect_counts(report.found[kChairLabel], 1, 1, 1);
}

}  // namespace
}  // namespace fernwood::evaluate
