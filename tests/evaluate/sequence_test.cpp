// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/evaluate/sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

#include "core/draw.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "sentences.h"

namespace fernwood::evaluate {
namespace {

constexpr std::uint16_t kBehind = 0, kBefore = 1;
constexpr std::size_t kShotRows = 48, kShotCols = 96;
constexpr image::Camera kShotCamera{96, 48, 100, 100, 47.5f, 23.5f};

image::ClassMap two_classes() {
  image::ClassMap classes;
  classes.classes = {{"wall", {255, 0, 0}}, {"thing", {0, 255, 0}}};
  return classes;
}

/// A frame of a recording in memory, with its ground truth.
struct Shot {
  image::Frame frame;
  image::LabelImage truth;
  std::optional<image::RigidMotion> pose = image::RigidMotion{};
};

/// A wall at 3 m and, in front of it at 2 m, an object over columns first ... end.
Shot shot_of_thing(std::size_t first, std::size_t end) {
  Shot shot{{Array2<image::Rgb>(kShotRows, kShotCols), Array2<std::uint16_t>(kShotRows, kShotCols, 3000), kShotCamera},
            image::LabelImage(kShotRows, kShotCols, kBehind)};
  for (std::size_t row = 0; row < kShotRows; ++row)
    for (std::size_t col = first; col < end; ++col) {
      shot.frame.depth_mm(row, col) = 2000;
      shot.truth(row, col) = kBefore;
    }
  return shot;
}

/// A static camera sees an object that moves 24 columns to the right once, after five frames.
std::vector<Shot> moved_thing(std::size_t num_frames = 20) {
  std::vector<Shot> shots;
  for (std::size_t i = 0; i < num_frames; ++i) shots.push_back(i < 5 ? shot_of_thing(20, 44) : shot_of_thing(44, 68));
  return shots;
}

std::string name_of(std::size_t index) { return format_text("frame%04zu", index); }

class ShotSource : public recordings::FrameSource {
 public:
  explicit ShotSource(const std::vector<Shot>& shots) : shots_(shots) {}
  std::optional<recordings::CapturedFrame> next() override {
    if (next_ == shots_.size()) return std::nullopt;
    const Shot& shot = shots_[next_];
    return recordings::CapturedFrame{std::make_shared<const image::Frame>(shot.frame), static_cast<double>(next_) / 10,
                                     name_of(next_++), shot.pose};
  }
  bool has_color() const override { return true; }
  bool has_depth() const override { return shots_.empty() || !shots_.front().frame.depth_mm.empty(); }
  bool has_poses() const override {
    return shots_.empty() || std::ranges::any_of(shots_, [](const Shot& shot) { return shot.pose.has_value(); });
  }
  bool is_live() const override { return false; }
  std::string name() const override { return "shots"; }

 private:
  const std::vector<Shot>& shots_;
  std::size_t next_ = 0;
};

FindTruth truth_in(const std::vector<Shot>& shots) {
  std::map<std::string, const image::LabelImage*> truths;
  for (std::size_t i = 0; i < shots.size(); ++i) truths[name_of(i)] = &shots[i].truth;
  return [truths](const std::string& name) { return *truths.at(name); };
}

SequenceLabeller constant() {
  return {"constant", [](const recordings::CapturedFrame& captured) {
            return image::LabelImage(captured.frame->rows(), captured.frame->cols(), kBehind);
          }};
}

/// Labels each pixel of each frame with a random class.
SequenceLabeller random_labels(std::uint32_t num_classes) {
  auto frame = std::make_shared<std::uint32_t>(0);
  return {"random", [=](const recordings::CapturedFrame& captured) {
            image::LabelImage labels(captured.frame->rows(), captured.frame->cols());
            std::uint32_t pixel = 0;
            for (std::uint16_t& label : labels)
              label =
                  static_cast<std::uint16_t>(draw(1, RngStream::kScene, 9, 0, pixel++, *frame).below(0, num_classes));
            ++*frame;
            return labels;
          }};
}

/// Returns the ground truth `delay` frames ago, or that of the first frame.
SequenceLabeller delayed_truth(const std::vector<Shot>& shots, std::size_t delay) {
  auto frame = std::make_shared<std::size_t>(0);
  return {"delayed", [=, &shots](const recordings::CapturedFrame&) {
            const std::size_t now = (*frame)++;
            return shots[now < delay ? 0 : now - delay].truth;
          }};
}

SequenceReport evaluate_shots(const std::vector<Shot>& shots, const std::vector<SequenceLabeller>& labellers,
                              const SequenceOptions& options = {}, bool has_truth = true) {
  ShotSource source(shots);
  return evaluate_sequence(source, two_classes(), has_truth ? truth_in(shots) : FindTruth{}, labellers, options);
}

void expect_refused(const std::vector<Shot>& shots) {
  fernwood::testdata::expect_refused(ErrorKind::kData, [&] { evaluate_shots(shots, {constant()}); });
}

TEST(EvaluateSequence, TruthIsSteadyQuickAndRight) {
  const std::vector<Shot> shots = moved_thing();
  const SequenceReport report = evaluate_shots(shots, {delayed_truth(shots, 0)});
  const SequenceScore& score = report.scores[0];
  EXPECT_EQ(score.flicker.some, 0u);
  EXPECT_EQ(score.metrics.without_void.pixel, 1);
  EXPECT_EQ(score.lag.mean(), 0);
  EXPECT_EQ(score.lag.worst(), 0);
  EXPECT_EQ(score.lag.lost, 0u);
  for (const PixelCount& shadow : score.shadow) EXPECT_EQ(shadow.share(), 0);
  // Every fourth column of the object's old and new places, in 12 of the 48 rows: 6 columns each.
  EXPECT_EQ(report.changed_places, 2u * 6 * 12);
  EXPECT_EQ(report.num_pairs, 19u);
  EXPECT_EQ(report.num_with_truth, 20u);
  // In 18 pairs all pixels are seen twice; in one, those that the object has neither left nor reached.
  EXPECT_EQ(report.seen_twice.all, 19u * 12 * 24);
  EXPECT_EQ(report.seen_twice.some, 19u * 12 * 24 - 2 * 6 * 12);
}

TEST(EvaluateSequence, DelayedTruthLagsByItsDelayAndLeavesAShadowUntilThen) {
  const std::vector<Shot> shots = moved_thing();
  for (const std::size_t delay : {1, 3, 7}) {
    const SequenceScore score = evaluate_shots(shots, {delayed_truth(shots, delay)}).scores[0];
    EXPECT_EQ(score.lag.mean(), static_cast<double>(delay));
    EXPECT_EQ(score.lag.median(), static_cast<double>(delay));
    EXPECT_EQ(score.lag.worst(), static_cast<double>(delay));
    EXPECT_EQ(score.lag.lost, 0u);
    for (std::size_t k = 1; k <= kShadowFrames; ++k) {
      EXPECT_EQ(score.shadow[k - 1].share(), k < delay ? 1 : 0) << k << " frames after it left";
      EXPECT_EQ(score.shadow[k - 1].all, 6u * 12);
    }
    // The labels of the old and new places change together, `delay` frames late, in one of 19 pairs.
    EXPECT_EQ(score.flicker.some, 2u * 6 * 12);
  }
}

TEST(EvaluateSequence, AConstantNeverFlickersAndNeverFollows) {
  const SequenceScore score = evaluate_shots(moved_thing(), {constant()}).scores[0];
  EXPECT_EQ(score.flicker.some, 0u);
  EXPECT_GT(score.flicker.all, 0u);
  EXPECT_EQ(score.lag.num_right(), 6u * 12) << "the wall at the thing's old place";
  EXPECT_EQ(score.lag.lost, 6u * 12) << "the thing at its new place";
  EXPECT_DOUBLE_EQ(score.metrics.without_void.pixel, 0.75);
}

TEST(EvaluateSequence, RandomLabelsOfKClassesFlickerAtAllButOneInK) {
  std::vector<Shot> shots(12, shot_of_thing(20, 44));
  for (const std::uint32_t num_classes : {2u, 5u}) {
    ShotSource source(shots);
    image::ClassMap classes = two_classes();
    while (classes.size() < num_classes)
      classes.classes.push_back({"more", {0, 0, static_cast<std::uint8_t>(classes.size())}});
    const SequenceReport report = evaluate_sequence(source, classes, {}, {random_labels(num_classes)});
    EXPECT_NEAR(report.scores[0].flicker.share(), (num_classes - 1.0) / num_classes, 0.03);
    EXPECT_TRUE(std::isnan(report.scores[0].metrics.without_void.pixel)) << "no truth";
    EXPECT_EQ(report.num_with_truth, 0u);
    EXPECT_EQ(report.changed_places, 0u);
  }
}

/// A wall whose class changes at x = 0, seen by a camera `aside_m` to the right.
Shot shot_from_aside(float aside_m) {
  Shot shot = shot_of_thing(0, 0);
  for (std::size_t row = 0; row < kShotRows; ++row)
    for (std::size_t col = 0; col < kShotCols; ++col)
      shot.truth(row, col) = (static_cast<float>(col) - kShotCamera.cx) * 0.03f + aside_m > 0 ? kBefore : kBehind;
  shot.pose->translation = {aside_m, 0, 0};
  return shot;
}

TEST(EvaluateSequence, LabelsThatStayOnTheirPlacesDoNotFlickerWhereTheCameraMoves) {
  std::vector<Shot> shots;
  for (int i = 0; i < 10; ++i) shots.push_back(shot_from_aside(0.12f * static_cast<float>(i)));  // 4 pixels per frame
  const SequenceReport report = evaluate_shots(shots, {delayed_truth(shots, 0), delayed_truth(shots, 100)});
  EXPECT_EQ(report.scores[0].flicker.some, 0u);
  EXPECT_EQ(report.changed_places, 0u) << "what comes into sight or moves with the camera has not changed";
  EXPECT_GT(report.scores[1].flicker.share(), 0.03) << "labels that stay in the image do flicker";
  for (Shot& shot : shots) shot.pose = image::RigidMotion{};
  EXPECT_GT(evaluate_shots(shots, {delayed_truth(shots, 0)}).scores[0].flicker.share(), 0.03) << "by wrong poses";
}

TEST(EvaluateSequence, WhatComesIntoSightBehindAThingHasNotChanged) {
  // The camera moves right: the object at 2 m moves by 6 pixels in the image, the wall at 3 m by 4 pixels.
  std::vector<Shot> shots;
  for (std::size_t i = 0; i < 6; ++i) {
    shots.push_back(shot_of_thing(60 - 6 * i, 80 - 6 * i));
    shots.back().pose->translation = {0.12f * static_cast<float>(i), 0, 0};
  }
  const SequenceReport report = evaluate_shots(shots, {delayed_truth(shots, 0)});
  EXPECT_EQ(report.changed_places, 0u);
  EXPECT_EQ(report.scores[0].flicker.some, 0u);
}

TEST(EvaluateSequence, FramesGoToEveryLabellerInTheirOrderWithTheirPoses) {
  const std::vector<Shot> shots = [] {
    std::vector<Shot> some;
    for (int i = 0; i < 7; ++i) some.push_back(shot_from_aside(0.03f * static_cast<float>(i)));
    return some;
  }();
  std::vector<std::string> names;
  std::vector<float> aside;
  SequenceLabeller listening = constant();
  listening.label = [&, label = listening.label](const recordings::CapturedFrame& captured) {
    names.push_back(captured.name);
    aside.push_back(captured.pose->translation.x);
    return label(captured);
  };
  const SequenceReport report = evaluate_shots(shots, {listening, constant()}, {.every = 2});
  EXPECT_EQ(names, (std::vector<std::string>{"frame0000", "frame0002", "frame0004", "frame0006"}));
  EXPECT_EQ(aside, (std::vector<float>{0, 0.03f * 2, 0.03f * 4, 0.03f * 6}));
  EXPECT_EQ(report.frames, names);
  EXPECT_EQ(report.scores.size(), 2u);
  EXPECT_TRUE(std::isnan(report.scores[0].frame_flicker[0])) << "nothing is before the first";
  EXPECT_EQ(report.scores[0].frame_flicker[1], 0);
}

TEST(EvaluateSequence, PosesThatDoNotFitDepthAreLeftOutAndTold) {
  std::vector<Shot> shots = moved_thing();
  shots[12].pose->translation = {0, 0, 1.5f};  // the wall would be 1.5 m off, before and after this frame
  const SequenceReport report = evaluate_shots(shots, {random_labels(2)});
  EXPECT_EQ(report.num_pairs, 17u);
  fernwood::testdata::expect_sentence(join(report.warnings, "\n"));
  EXPECT_TRUE(std::isnan(report.scores[0].frame_flicker[12]));
  EXPECT_FALSE(std::isnan(report.scores[0].frame_flicker[14]));
}

TEST(EvaluateSequence, FramesWithoutAPoseAreLabelledButNotCompared) {
  std::vector<Shot> shots = moved_thing();
  shots[10].pose.reset();
  const SequenceReport report = evaluate_shots(shots, {delayed_truth(shots, 0)});
  EXPECT_EQ(report.num_pairs, 17u);
  EXPECT_EQ(report.frames.size(), 20u);
  EXPECT_TRUE(report.warnings.empty());
  EXPECT_EQ(report.scores[0].metrics.without_void.pixel, 1);
}

TEST(EvaluateSequence, BadRecordingsAreRefused) {
  expect_refused(moved_thing(1));
  std::vector<Shot> shots = moved_thing(4);
  for (Shot& shot : shots) shot.pose.reset();
  expect_refused(shots);
  shots = moved_thing(4);
  shots[1].pose->translation = {0, 0, 50};
  shots[3].pose->translation = {0, 0, -50};
  expect_refused(shots);
  shots = moved_thing(4);
  for (Shot& shot : shots) shot.frame.depth_mm = {};
  expect_refused(shots);
  shots = moved_thing(4);
  EXPECT_THROW(evaluate_shots(shots, {constant()}, {.every = 0}), Error);
  SequenceLabeller small = constant();
  small.label = [](const recordings::CapturedFrame&) { return image::LabelImage(1, 1); };
  EXPECT_THROW(evaluate_shots(shots, {small}), Error);
}

TEST(EvaluateSequence, RecordingsAddUp) {
  const std::vector<Shot> shots = moved_thing();
  SequenceReport both = evaluate_shots(shots, {delayed_truth(shots, 1)});
  append(both, evaluate_shots(shots, {delayed_truth(shots, 5)}));
  EXPECT_EQ(both.num_recordings, 2u);
  EXPECT_EQ(both.frames.size(), 40u);
  EXPECT_EQ(both.num_pairs, 38u);
  EXPECT_EQ(both.scores[0].lag.mean(), 3);
  EXPECT_EQ(both.scores[0].lag.median(), 1);
  EXPECT_EQ(both.scores[0].lag.worst(), 5);
  EXPECT_EQ(both.scores[0].shadow[1].share(), 0.5);
  EXPECT_EQ(both.scores[0].frame_accuracy.size(), 40u);
}

}  // namespace
}  // namespace fernwood::evaluate
