// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Labels fused over the frames of a video.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "backbone/small_network.h"
#include "devices.h"
#include "fernwood/predict/predictor.h"
#include "forest/noise.h"
#include "image/seen_box.h"
#include "predict/plain_prediction.h"
#include "predict/steady_formula.h"

namespace fernwood::predict {
namespace {

constexpr PredictRequest kAllShares{.probabilities = true};

/// Simulates a depth camera: noise of a few millimetres that differs between frames, and holes.
image::Frame measured(image::Frame frame, std::uint32_t frame_number) {
  std::uint32_t state = 2654435761u * (frame_number + 1);
  for (std::uint16_t& depth : frame.depth_mm) {
    state = state * 1664525u + 1013904223u;
    const std::uint32_t noise = state >> 16;
    depth = noise % 50 == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(depth + noise % 9 - 4);
  }
  return frame;
}

/// Pose of a camera that moves past the box.
image::RigidMotion pose_of(std::uint32_t frame_number) {
  const auto step = static_cast<float>(frame_number);
  return then(image::motion_of({0, 0.01f * step, 0}, {0.02f * step, 0, 0.01f * step}), image::looking_down());
}

std::vector<image::Frame> walk(std::uint32_t num_frames, bool moves = true) {
  std::vector<image::Frame> frames;
  for (std::uint32_t i = 0; i < num_frames; ++i)
    frames.push_back(measured(image::see_box_room(moves ? pose_of(i) : image::looking_down()).frame, i));
  return frames;
}

forest::Forest some_forest() { return forest::noise_forest(4, 6, {"depth"}, 3); }

/// As some_forest(), with a backbone, whose labels come from every second frame.
forest::Forest forest_with_backbone() {
  forest::Forest forest = some_forest();
  forest.preparation.maps = backbone::noise_backbone(3, 2);
  return forest;
}

/// Frames as walk(), with a colour for the backbone.
std::vector<image::Frame> colored_walk(std::uint32_t num_frames) {
  std::vector<image::Frame> frames = walk(num_frames);
  for (image::Frame& frame : frames) frame.color = Array2<image::Rgb>(frame.rows(), frame.cols(), {200, 90, 10});
  return frames;
}

PredictOptions steady_on(const Device& device, int smooth = 0) {
  PredictOptions options;
  options.device = to_string(device);
  options.steady = true;
  options.smoothing.extent_px = smooth;
  return options;
}

/// Predictions of consecutive frames.
std::vector<Prediction> predict_all(const std::vector<image::Frame>& frames, const PredictOptions& options,
                                    const forest::Forest& forest = some_forest()) {
  const auto predictor = make_predictor(forest, options);
  std::vector<Prediction> all;
  for (const image::Frame& frame : frames) all.push_back(predictor->predict(frame, kAllShares));
  return all;
}

void expect_same(const std::vector<Prediction>& a, const std::vector<Prediction>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].labels, b[i].labels) << "frame " << i;
    EXPECT_EQ(a[i].probabilities, b[i].probabilities) << "frame " << i;
  }
}

/// Share of pixels whose label differs in the next frame, for a camera that does not move.
double flicker(const std::vector<Prediction>& all) {
  std::size_t changes = 0, pixels = 0;
  for (std::size_t i = 1; i < all.size(); ++i)
    for (std::size_t p = 0; p < all[i].labels.size(); ++p, ++pixels)
      changes += all[i].labels.data()[p] != all[i - 1].labels.data()[p];
  return static_cast<double>(changes) / static_cast<double>(pixels);
}

image::FrameImages with_pose(const image::Frame& frame, const image::RigidMotion& pose) {
  image::FrameImages images(frame);
  images.pose = pose;
  return images;
}

class SteadyOn : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(EveryDevice, SteadyOn, testing::ValuesIn(cpu_and_gpus()), name_of_device);

TEST_P(SteadyOn, LabelsAreThoseOfOneThread) {
  const std::vector<image::Frame> frames = walk(5);
  for (const int smooth : {0, 12}) {
    PredictOptions one = steady_on({}, smooth);
    one.threads = 1;
    one.layout = "baseline";
    PredictOptions here = steady_on(GetParam(), smooth);
    here.threads = 3;
    expect_same(predict_all(frames, here), predict_all(frames, one));
  }
}

TEST_P(SteadyOn, LabelsAreSmoothedUnlessItIsSaidHowFar) {
  const std::vector<image::Frame> frames = walk(2);
  PredictOptions usual = steady_on(GetParam());
  usual.smoothing.extent_px.reset();
  const std::vector<Prediction> smoothed = predict_all(frames, usual);
  expect_same(smoothed, predict_all(frames, steady_on(GetParam(), kVideoSmoothingPx)));
  EXPECT_NE(smoothed[1].probabilities, predict_all(frames, steady_on(GetParam(), 0))[1].probabilities);
  EXPECT_THAT(find_option(Smoothing::table(), "smooth")->shown_default,
              testing::HasSubstr(" map " + std::to_string(kVideoSmoothingPx)));
  usual.steady = false;
  PredictOptions single = steady_on(GetParam(), 0);
  single.steady = false;
  expect_same(predict_all(frames, usual), predict_all(frames, single));
}

TEST_P(SteadyOn, KeyFramesAreThoseOfOneThread) {
  std::vector<image::Frame> frames = colored_walk(9);
  frames[5].depth_mm(0, 0) = 0;
  for (std::size_t row = 30; row < 90; ++row)  // an object appears where labels are only transferred
    for (std::size_t col = 20; col < 60; ++col) frames[5].depth_mm(row, col) = 900;
  for (const int smooth : {0, 12}) {
    PredictOptions one = steady_on({}, smooth), here = one;
    one.threads = 1;
    one.layout = "baseline";
    here.device = to_string(GetParam());
    here.threads = 3;
    expect_same(predict_all(frames, here, forest_with_backbone()), predict_all(frames, one, forest_with_backbone()));
  }
}

TEST_P(SteadyOn, OnlyKeyFramesAreEvaluated) {
  const auto predictor = make_predictor(forest_with_backbone(), steady_on(GetParam()));
  const std::vector<image::Frame> frames = colored_walk(7);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Prediction found = predictor->predict(frames[i]);
    EXPECT_EQ(predictor->last_steady()->evaluated > 0, i % 2 == 0) << i;
    EXPECT_EQ(std::ranges::count(found.labels, image::kVoid), 0) << "what was not seen before has a label, too";
  }
}

TEST_P(SteadyOn, FramesThatStandAloneAreKeyFrames) {
  const auto predictor = make_predictor(forest_with_backbone(), steady_on(GetParam()));
  const auto alone = make_predictor(forest_with_backbone(), steady_on(GetParam()));
  const std::vector<image::Frame> frames = colored_walk(4);
  const image::RigidMotion jumped = then(image::motion_of({0, 2, 0}, {3, 0, 2}), pose_of(2));
  predictor->predict(with_pose(frames[0], pose_of(0)));
  predictor->predict(with_pose(frames[1], pose_of(1)));
  EXPECT_EQ(predictor->last_steady()->evaluated, 0);
  EXPECT_EQ(predictor->predict(with_pose(frames[2], jumped)).labels, alone->predict(frames[2]).labels);
  EXPECT_EQ(predictor->last_steady()->evaluated, 1);
  predictor->predict(with_pose(frames[3], then(image::motion_of({0, 0.35f, 0}, {}), jumped)));
  EXPECT_GT(predictor->last_steady()->evaluated, 0.2) << "more than a fifth was not seen before";
}

TEST_P(SteadyOn, AVideoBeginsAnewAfterAnother) {
  const std::vector<image::Frame> frames = colored_walk(5);
  for (const forest::Forest& forest : {some_forest(), forest_with_backbone()}) {
    const auto used = make_predictor(forest, steady_on(GetParam())),
               fresh = make_predictor(forest, steady_on(GetParam()));
    for (std::uint32_t i = 0; i < 4; ++i) used->predict(with_pose(frames[i], pose_of(i)));
    for (std::uint32_t i = 0; i < 5; ++i) {
      image::FrameImages images = with_pose(frames[i], pose_of(i));
      images.begins_video = i == 0;
      EXPECT_EQ(used->predict(images).labels, fresh->predict(images).labels) << "frame " << i;
      EXPECT_EQ(used->last_steady()->motion.has_value(), i > 0);
    }
  }
}

TEST_P(SteadyOn, StreamsGiveTheSame) {
  const std::vector<image::Frame> frames = walk(5);
  const std::vector<Prediction> all = predict_all(frames, steady_on(GetParam()));
  const auto stream = make_label_stream(some_forest(), steady_on(GetParam()), 2);
  std::vector<image::LabelImage> labels;
  for (const image::Frame& frame : frames) {
    if (stream->is_full()) labels.push_back(stream->pop());
    stream->push(frame);
  }
  while (stream->num_in_flight() > 0) labels.push_back(stream->pop());
  for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_EQ(labels[i], all[i].labels) << "frame " << i;
}

TEST_P(SteadyOn, TellsHowAFrameFollowed) {
  const auto predictor = make_predictor(some_forest(), steady_on(GetParam()));
  const std::vector<image::Frame> frames = walk(3);
  predictor->predict(frames[0]);
  ASSERT_TRUE(predictor->last_steady());
  EXPECT_FALSE(predictor->last_steady()->motion) << "nothing came before";
  EXPECT_EQ(predictor->last_steady()->evaluated, 1);
  predictor->predict(frames[1]);
  ASSERT_TRUE(predictor->last_steady()->motion) << predictor->last_steady()->why_not;
  EXPECT_GT(predictor->last_steady()->followed, 0.9);
  const image::RigidMotion true_motion = then(pose_of(1), inverse(pose_of(0)));
  const image::Vector3 place = {0.2f, 0.3f, 2}, there = (*predictor->last_steady()->motion)(place);
  const image::Vector3 right = true_motion(place);
  EXPECT_LT(std::hypot(there.x - right.x, there.y - right.y, there.z - right.z), 0.03f);
  EXPECT_FALSE(make_predictor(some_forest(), {.device = to_string(GetParam())})->last_steady());
}

/// A video in which colour, or depth, is missing for a frame, or the image size changes, and then returns.
TEST_P(SteadyOn, WhatFramesLackIsNotTakenFromOthers) {
  std::vector<image::Frame> frames = walk(3);
  for (image::Frame& frame : frames) frame.color = Array2<image::Rgb>(frame.rows(), frame.cols(), {200, 90, 10});
  image::Frame turned;
  turned.color = Array2<image::Rgb>(frames[0].cols(), frames[0].rows(), {10, 90, 200});
  turned.depth_mm = Array2<std::uint16_t>(frames[0].cols(), frames[0].rows(), 1500);
  image::Frame blind = frames[1], dark = frames[1];
  blind.depth_mm = {};
  dark.color = {};
  const forest::Forest of_color = forest::noise_forest(3, 4, {"lab"}, 5), of_depth = some_forest();
  for (const int smooth : {0, 12})
    for (const auto& [forest, lacking] : {std::pair{&of_color, &blind}, {&of_depth, &dark}}) {
      const auto here = make_predictor(*forest, steady_on(GetParam(), smooth));
      PredictOptions one = steady_on({}, smooth);
      one.threads = 1;
      const auto alone = make_predictor(*forest, one);
      for (const image::Frame* frame : {&frames[0], &turned, &frames[1], lacking, &frames[2], &frames[1]})
        EXPECT_EQ(here->predict(*frame).labels, alone->predict(*frame).labels);
      here->predict(*lacking);
      here->predict(frames[2]);
      EXPECT_EQ(here->last_steady()->motion.has_value(), lacking == &dark) << "places are followed by depth alone";
    }
}

TEST(Steady, TheFirstFrameStandsAlone) {
  const std::vector<image::Frame> frames = walk(1);
  expect_same(predict_all(frames, steady_on({}))[0], plain_interpolated(some_forest(), frames[0], false));
}

TEST(Steady, LabelsOfAStillCameraFlickerLess) {
  const std::vector<image::Frame> frames = walk(12, false);
  PredictOptions alone;
  alone.interpolate = true;
  const double single = flicker(predict_all(frames, alone)), fused = flicker(predict_all(frames, steady_on({})));
  EXPECT_GT(single, 0.05) << "the frames are too easy to tell";
  EXPECT_LT(fused, single / 3);
}

TEST(Steady, WhatIsCertainIsEvaluatedInTurns) {
  const forest::Forest sure = forest::noise_forest(2, 1, {"depth"}, 3);  // one tree leaves few cells uncertain
  const auto predictor = make_predictor(sure, steady_on({}));
  double evaluated = 0;
  for (const image::Frame& frame : walk(12, false)) {
    predictor->predict(frame);
    evaluated = predictor->last_steady()->evaluated;
  }
  EXPECT_GE(evaluated, 1.0 / 5 - 0.01);
  EXPECT_LT(evaluated, 1.0 / 5 + 0.35);
}

TEST(Steady, LabelsAreCarriedAsTheyAreToAStillCamera) {
  const image::Frame frame = colored_walk(1)[0];
  const auto predictor = make_predictor(forest_with_backbone(), steady_on({}));
  const Prediction first = predictor->predict(with_pose(frame, {}), kAllShares);
  const Prediction next = predictor->predict(with_pose(frame, {}), kAllShares);
  EXPECT_EQ(next.labels, first.labels);
  EXPECT_EQ(next.probabilities, first.probabilities);
  predictor->predict(with_pose(frame, {}));
  EXPECT_GT(predictor->last_steady()->evaluated, 0);
}

TEST(Steady, CarriedFramesNeedWhatOthersNeed) {
  const std::vector<image::Frame> frames = walk(1);
  const image::Frame colored = colored_walk(1)[0];
  forest::Forest forest = forest::noise_forest(3, 4, {"lab"}, 5);
  forest.preparation.maps = backbone::noise_backbone(3, 2);
  const auto predictor = make_predictor(forest, steady_on({}));
  predictor->predict(with_pose(colored, {}));
  EXPECT_THROW(predictor->predict(with_pose(frames[0], {})), Error) << "colour is missing";
  predictor->predict(with_pose(colored, {}));
  EXPECT_EQ(predictor->last_steady()->evaluated, 0);
}

/// Counts the frames for which maps are computed.
class CountingMaps : public image::MapSource {
 public:
  std::string name() const override { return maps_->name(); }
  std::string checksum() const override { return maps_->checksum(); }
  int num_maps() const override { return maps_->num_maps(); }
  int reduction() const override { return maps_->reduction(); }
  const std::vector<std::uint8_t>& bytes() const override { return maps_->bytes(); }
  std::string map_name(int map) const override { return maps_->map_name(map); }
  image::FeatureMaps find_maps(const image::FrameImages& frame, ThreadPool* pool) const override {
    ++num_frames;
    return maps_->find_maps(frame, pool);
  }
  std::shared_ptr<image::GpuMapFinder> on_gpu() const override { return maps_->on_gpu(); }

  mutable int num_frames = 0;

 private:
  std::shared_ptr<const image::MapSource> maps_ = backbone::noise_backbone(3, 2);
};

TEST(Steady, ABackboneIsAskedAboutEverySecondFrame) {
  const auto maps = std::make_shared<CountingMaps>();
  forest::Forest forest = some_forest();
  EXPECT_EQ(keyframe_interval(forest.preparation), 1) << "without one";
  forest.preparation.maps = maps;
  const image::Frame frame = colored_walk(1)[0];
  const auto predictor = make_predictor(forest, steady_on({}));
  maps->num_frames = 0;
  for (int i = 0; i < 7; ++i) predictor->predict(with_pose(frame, {}));
  EXPECT_EQ(maps->num_frames, 4);
}

TEST(KeyFrames, AreEveryNthAndThoseThatShowNewThings) {
  KeyFrames keys;
  EXPECT_TRUE(keys.count(false, 0, 100, 3));
  EXPECT_FALSE(keys.count(true, 80, 100, 3));
  EXPECT_FALSE(keys.count(true, 100, 100, 3));
  EXPECT_TRUE(keys.count(true, 100, 100, 3));
  EXPECT_FALSE(keys.count(true, 100, 100, 3));
  EXPECT_TRUE(keys.count(true, 79, 100, 3)) << "more than a fifth is new";
  EXPECT_FALSE(keys.count(true, 100, 100, 3)) << "and it counts from there";
  EXPECT_EQ(keys.num_keys, 3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(keys.count(true, 100, 100, 1));
}

TEST(KeyFrames, WhatWasNotSeenTakesTheNearestOfItsDepth) {
  constexpr std::int32_t kRows = 5, kCols = 6;
  std::vector<float> inverse(kRows * kCols, 0.5f);
  std::vector<std::uint8_t> evidence(kRows * kCols, 0);
  image::SurfaceView view;
  view.inverse = inverse.data();
  view.inverse_pitch = view.cols = kCols;
  view.rows = kRows;
  const auto nearest = [&] { return nearest_known(view, evidence.data(), 2, 2); };
  EXPECT_EQ(nearest(), -1) << "nothing is known";
  evidence[2 * kCols + 5] = 1;
  EXPECT_EQ(nearest(), 2 * kCols + 5) << "three to the right";
  evidence[0 * kCols + 2] = 1;
  EXPECT_EQ(nearest(), 0 * kCols + 2) << "two above";
  evidence[2 * kCols + 1] = 1;
  EXPECT_EQ(nearest(), 2 * kCols + 1) << "one to the left";
  inverse[2 * kCols + 1] = 0.7f;
  EXPECT_EQ(nearest(), 0 * kCols + 2) << "that on the left stands in front";
  inverse[0 * kCols + 2] = inverse[2 * kCols + 5] = 0.7f;
  EXPECT_EQ(nearest(), 2 * kCols + 1) << "all do";
}

TEST(Steady, PosesAreTakenAsTheyAre) {
  const auto predictor = make_predictor(some_forest(), steady_on({}));
  const std::vector<image::Frame> frames = walk(2);
  predictor->predict(with_pose(frames[0], pose_of(0)));
  predictor->predict(with_pose(frames[1], pose_of(1)));
  EXPECT_EQ(predictor->last_steady()->motion, then(pose_of(1), inverse(pose_of(0))));
}

TEST(Steady, FramesThatDoNotFitStandAlone) {
  const std::vector<image::Frame> frames = walk(3);
  const auto expect_alone = [&](Predictor& predictor, const image::FrameImages& frame) {
    const Prediction found = predictor.predict(frame);
    EXPECT_FALSE(predictor.last_steady()->motion);
    EXPECT_FALSE(predictor.last_steady()->why_not.empty());
    EXPECT_EQ(found.labels, make_predictor(some_forest(), steady_on({}))->predict(frame).labels);
  };
  const auto predictor = make_predictor(some_forest(), steady_on({}));
  predictor->predict(with_pose(frames[0], pose_of(0)));
  const image::RigidMotion jumped = then(image::motion_of({0, 2, 0}, {3, 0, 2}), pose_of(1));
  expect_alone(*predictor, with_pose(frames[1], jumped));  // the frame does not match the pose
  image::Frame wall = frames[1];
  for (std::uint16_t& depth : wall.depth_mm) depth = 2000;
  expect_alone(*predictor, wall);  // a single wall does not determine a motion
  expect_alone(*predictor, image::see_box_room(pose_of(2), 80, 60).frame);
  for (std::uint16_t& depth : wall.depth_mm) depth = 0;
  expect_alone(*predictor, wall);       // no depth from which to estimate motion
  expect_alone(*predictor, frames[2]);  // nor any in the previous frame
}

TEST(Steady, FramesWithoutDepthStandAlone) {
  image::Frame frame;
  frame.color = Array2<image::Rgb>(60, 80, {90, 120, 40});
  const forest::Forest forest = forest::noise_forest(3, 4, {"lab"}, 5);
  const auto predictor = make_predictor(forest, steady_on({}));
  predictor->predict(frame);
  predictor->predict(frame);
  EXPECT_FALSE(predictor->last_steady()->motion);
  EXPECT_NE(predictor->last_steady()->why_not.find("depth"), std::string::npos);
}

TEST(Steady, WhatMovedIsForgotten) {
  const std::vector<image::Frame> frames = walk(8, false);
  const auto predictor = make_predictor(some_forest(), steady_on({}));
  for (const image::Frame& frame : frames) predictor->predict(frame);
  // A flat object now covers a part of the room: labels on it are those of a single frame, except near its border.
  image::Frame after = frames.back();
  for (std::size_t row = 40; row < 100; ++row)
    for (std::size_t col = 20; col < 80; ++col) after.depth_mm(row, col) = 900;
  const image::LabelImage found = predictor->predict(after).labels,
                          single = make_predictor(some_forest(), steady_on({}))->predict(after).labels;
  ASSERT_TRUE(predictor->last_steady()->motion) << "the room is still there";
  for (std::size_t row = 48; row < 92; ++row)
    for (std::size_t col = 28; col < 72; ++col) ASSERT_EQ(found(row, col), single(row, col)) << row << ' ' << col;
}

TEST(Steady, AsksForWhatItNeeds) {
  PredictOptions options = steady_on({});
  options.interpolate = false;
  EXPECT_THROW(options.check(), Error);
  EXPECT_THROW(make_predictor(some_forest(), steady_on({}))->predict(walk(1)[0], {.per_tree = true}), Error);
}

}  // namespace
}  // namespace fernwood::predict
