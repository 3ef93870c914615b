// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/teach/teaching.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "dataset/computed_frames.h"
#include "fernwood/core/error.h"
#include "fernwood/generate/generate.h"
#include "wait_for.h"

namespace fernwood::teach {
namespace {

using namespace std::chrono_literals;

/// Generated rooms, some of which are used for training.
class Rooms {
 public:
  Rooms() {
    generate::GenerateOptions size;
    size.width = 64;
    size.height = 48;
    for (std::uint32_t i = 0; i < 5; ++i) {
      const generate::SyntheticFrame room = generate::generate_frame(size, i);
      rooms_.push_back({room.frame, room.labels});
    }
  }

  TrainingRequest request(std::uint64_t version, std::size_t num_taught) const {
    TrainingRequest request;
    request.version = version;
    request.taught = dataset::supply_of({rooms_.begin(), rooms_.begin() + static_cast<std::ptrdiff_t>(num_taught)},
                                        generate::synthetic_classes().classes);
    for (std::size_t i = 0; i < num_taught; ++i) request.taught_frames.push_back(i);
    request.frames = {3, 0, 4};
    request.frame = [this](std::size_t frame) { return rooms_[frame].frame; };
    return request;
  }
  const image::Frame& frame(std::size_t index) const { return rooms_[index].frame; }

 private:
  std::vector<dataset::LabelledFrame> rooms_;
};

LearnerOptions small_learner() {
  LearnerOptions options;
  options.quick = train::defaults_of(forest::ForestKind::kBoosted);
  options.quick.trees = 3;
  options.quick.features = 40;
  options.quick.samples_per_frame = 100;
  options.thorough = options.quick;
  options.thorough->trees = 5;
  options.rest = 1ms;
  options.resources.device = options.predict.device = "cpu";
  return options;
}

/// Records the results of a learner in order.
class Notes {
 public:
  LearnerHooks hooks() {
    return {.labelled = [this](LearntLabels labels) { add(labels_, std::move(labels)); },
            .learnt =
                [this](const LearntForest& learnt) {
                  add(forests_, {learnt.version, learnt.forest});
                },
            .failed = [this](const std::string& sentence) { add(failures_, sentence); }};
  }
  /// Waits until a condition holds.
  bool wait(const std::function<bool(const Notes&)>& is_so, std::chrono::milliseconds most = 20s) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, most, [&] { return is_so(*this); });
  }

  std::vector<LearntLabels> labels_;
  std::vector<std::pair<std::uint64_t, std::shared_ptr<const forest::Forest>>> forests_;
  std::vector<std::string> failures_;

 private:
  template <typename T>
  void add(std::vector<T>& list, T item) {
    const std::lock_guard lock(mutex_);
    list.push_back(std::move(item));
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
};

TEST(Learner, LearnsQuicklyAndThenThoroughlyWhatTrainingGives) {
  const Rooms rooms;
  const LearnerOptions options = small_learner();
  Notes notes;
  {
    Learner learner(options, notes.hooks());
    learner.teach(rooms.request(7, 2));
    ASSERT_TRUE(notes.wait([](const Notes& n) { return n.labels_.size() == 6; }));
  }
  const dataset::Dataset data = dataset::Dataset::from_memory(rooms.request(7, 2).taught);
  for (std::size_t i = 0; i < 6; ++i) {
    const LearntLabels& labels = notes.labels_[i];
    EXPECT_EQ(labels.version, 7u);
    EXPECT_EQ(labels.is_thorough, i >= 3);
    EXPECT_EQ(labels.frame, (std::vector<std::size_t>{3, 0, 4})[i % 3]);
    const forest::Forest forest = train::train_forest(data, i >= 3 ? *options.thorough : options.quick);
    EXPECT_EQ(labels.labels,
              predict::make_predictor(forest, options.predict)->predict(rooms.frame(labels.frame)).labels);
  }
  EXPECT_EQ(notes.forests_.size(), 2u);
}

TEST(Learner, OneFrameHasNoCascade) {
  const Rooms rooms;
  LearnerOptions options = small_learner();
  options.thorough->cascade = 2;
  Notes notes;
  Learner learner(options, notes.hooks());
  learner.teach(rooms.request(7, 1));
  ASSERT_TRUE(notes.wait([](const Notes& n) { return n.forests_.size() == 2 || !n.failures_.empty(); }));
  EXPECT_THAT(notes.failures_, testing::IsEmpty());
  EXPECT_EQ(notes.forests_.back().second->num_stages(), 1u);
}

/// One map, the red of every fourth pixel.
class RedEncoder final : public encoder::Encoder {
 public:
  const encoder::EncoderInfo& info() const override { return info_; }

 protected:
  image::SuppliedMaps compute(const image::Frame& frame) const override {
    image::SuppliedMaps maps = {1, frame.rows() / 2, frame.cols() / 2, {}};
    for (std::size_t row = 0; row < maps.rows; ++row)
      for (std::size_t col = 0; col < maps.cols; ++col)
        maps.values.push_back(static_cast<float>(frame.color(2 * row, 2 * col).r));
    return maps;
  }

 private:
  encoder::EncoderInfo info_ = {"red", "44"};
};

TEST(Learner, TeachesAndLabelsWithTheMapsOfAnEncoder) {
  const Rooms rooms;
  LearnerOptions options = small_learner();
  options.thorough.reset();
  options.encoder = std::make_shared<RedEncoder>();
  Notes notes;
  Learner learner(options, notes.hooks());
  learner.teach(rooms.request(7, 2));
  ASSERT_TRUE(notes.wait([](const Notes& n) { return n.labels_.size() == 3; }));
  const forest::Forest& forest = *notes.forests_.at(0).second;
  EXPECT_EQ(forest.encoder, options.encoder->info());
  EXPECT_EQ(forest.preparation.num_supplied_maps(), 1);
  const auto predictor = predict::make_predictor(forest, options.predict);
  for (const LearntLabels& learnt : notes.labels_) {
    image::Frame frame = rooms.frame(learnt.frame);
    frame.maps = options.encoder->encode(frame);
    EXPECT_EQ(learnt.labels, predictor->predict(frame).labels);
  }
}

TEST(Learner, SmoothsAndLabelsAgainWithoutLearning) {
  const Rooms rooms;
  LearnerOptions options = small_learner();
  options.thorough.reset();
  Notes notes;
  Learner learner(options, notes.hooks());
  learner.set_smoothing({});  // has no labels to update yet
  learner.teach(rooms.request(7, 2));
  ASSERT_TRUE(notes.wait([](const Notes& n) { return n.labels_.size() == 3; }));
  const predict::Smoothing smoothing = {.extent_px = 20};
  learner.set_smoothing(smoothing);
  ASSERT_TRUE(notes.wait([](const Notes& n) { return n.labels_.size() == 6; }));
  learner.set_smoothing({});
  ASSERT_TRUE(notes.wait([](const Notes& n) { return n.labels_.size() == 9; }));
  EXPECT_EQ(notes.forests_.size(), 1u);
  options.predict.smoothing = smoothing;
  const auto smoother = predict::make_predictor(*notes.forests_[0].second, options.predict);
  for (std::size_t i = 0; i < 3; ++i) {
    const LearntLabels &plain = notes.labels_[i], &smooth = notes.labels_[i + 3];
    EXPECT_EQ(smooth.version, 7u);
    EXPECT_EQ(smooth.labels, smoother->predict(rooms.frame(smooth.frame)).labels);
    EXPECT_NE(smooth.labels, plain.labels);
    EXPECT_EQ(notes.labels_[i + 6].labels, plain.labels) << "off again";
  }
  EXPECT_THROW(learner.set_smoothing({.extent_px = -1}), Error);
}

TEST(Learner, WhatIsSmoothedWhileItRestsIsLearntThoroughlyAllTheSame) {
  const Rooms rooms;
  LearnerOptions options = small_learner();
  options.rest = 200ms;
  Notes notes;
  Learner learner(options, notes.hooks());
  learner.teach(rooms.request(7, 2));
  ASSERT_TRUE(notes.wait([](const Notes& n) { return n.labels_.size() == 3; }));
  learner.set_smoothing({.extent_px = 20});
  ASSERT_TRUE(notes.wait([](const Notes& n) { return n.labels_.size() >= 6 && n.labels_.back().is_thorough; }));
  EXPECT_EQ(notes.forests_.size(), 2u);
}

TEST(Learner, ANewRequestEndsTheOneBefore) {
  const Rooms rooms;
  LearnerOptions options = small_learner();
  options.quick.trees = 60;
  options.thorough.reset();
  Notes notes;
  Learner learner(options, notes.hooks());
  for (std::uint64_t version = 1; version <= 20; ++version) learner.teach(rooms.request(version, 3));
  ASSERT_TRUE(notes.wait([](const Notes& n) { return n.labels_.size() >= 3 && n.labels_.back().version == 20; }));
  ASSERT_TRUE(notes.wait([](const Notes& n) { return n.labels_.back().frame == 4; }));
  EXPECT_LT(notes.forests_.size(), 20u) << "most were ended before they had a forest";
  EXPECT_TRUE(notes.failures_.empty()) << "being ended is not a failure";
}

TEST(Learner, TheFrameThatIsLookedAtComesNextAndNothingIsLearntAgain) {
  const Rooms rooms;
  LearnerOptions options = small_learner();
  options.thorough.reset();
  Notes notes;
  Learner* looking = nullptr;
  LearnerHooks hooks = notes.hooks();
  hooks.labelled = [&, note = hooks.labelled](LearntLabels labels) {
    if (labels.frame == 3) looking->prioritize(4);
    note(std::move(labels));
  };
  Learner learner(options, hooks);
  looking = &learner;
  learner.teach(rooms.request(1, 2));
  ASSERT_TRUE(notes.wait([](const Notes& n) { return n.labels_.size() == 3; }));
  EXPECT_EQ(notes.labels_[1].frame, 4u);
  EXPECT_EQ(notes.labels_[2].frame, 0u);
  EXPECT_EQ(notes.forests_.size(), 1u);
}

TEST(Learner, WhenIdleFramesArePredictedByForestsThatHaveNotLearntThem) {
  const Rooms rooms;
  LearnerOptions options = small_learner();
  options.quick_samples = 250;  // 125 for each of two frames; 100 are requested
  Notes notes;
  std::vector<HeldOutPredictions> held_out_predictions;
  LearnerHooks hooks = notes.hooks();
  std::atomic<bool> is_judged = false;
  hooks.judged = [&](HeldOutPredictions held_out) {
    held_out_predictions.push_back(std::move(held_out));
    is_judged = true;
  };
  {
    Learner learner(options, hooks);
    learner.teach(rooms.request(5, 3));
    ASSERT_TRUE(notes.wait([](const Notes& n) { return n.labels_.size() == 6; }));
    ASSERT_TRUE(wait_for([&] { return is_judged.load(); }));
    learner.teach(rooms.request(6, 2));  // too few frames for training if one is held out
    ASSERT_TRUE(notes.wait([](const Notes& n) { return n.labels_.size() == 12; }));
  }
  ASSERT_EQ(held_out_predictions.size(), 1u);
  EXPECT_EQ(held_out_predictions[0].version, 5u);
  EXPECT_EQ(held_out_predictions[0].frames, (std::vector<std::size_t>{0, 1, 2}));
  const auto taught = rooms.request(5, 3).taught;
  const dataset::Dataset data = dataset::Dataset::from_memory(taught);
  for (const std::uint32_t judged : {0u, 1u, 2u}) {
    const std::uint32_t a = judged == 0 ? 1 : 0, b = judged == 2 ? 1 : 2;
    const forest::Forest forest = train::train_forest(data.with_frames({a, b}), options.quick);
    EXPECT_EQ(held_out_predictions[0].labels[judged],
              predict::make_predictor(forest, options.predict)->predict(rooms.frame(judged)).labels);
    const auto has = [&](std::uint32_t frame, std::size_t c) {
      return std::ranges::count(taught->labels(frame), static_cast<std::uint16_t>(c)) > 0;
    };
    for (std::size_t c = 0; c < taught->config.classes.size(); ++c)
      EXPECT_EQ(held_out_predictions[0].learnt[judged][c], has(a, c) && has(b, c)) << judged << ", class " << c;
  }
}

TEST(Learner, AFailureIsReportedAndTheNextRequestSucceeds) {
  const Rooms rooms;
  Notes notes;
  Learner learner(small_learner(), notes.hooks());
  TrainingRequest damaged = rooms.request(1, 2);
  damaged.frame = [](std::size_t) -> image::Frame { throw Error(ErrorKind::kData, "frame 3 is damaged"); };
  learner.teach(std::move(damaged));
  ASSERT_TRUE(notes.wait([](const Notes& n) { return !n.failures_.empty(); }));
  EXPECT_EQ(notes.failures_[0], "frame 3 is damaged");
  learner.teach(rooms.request(2, 2));
  EXPECT_TRUE(notes.wait([](const Notes& n) { return n.labels_.size() == 6; }));
}

TEST(Learner, AKnownForestLabelsUntilSomethingIsTaught) {
  const Rooms rooms;
  LearnerOptions options = small_learner();
  TrainingRequest nothing = rooms.request(1, 2);
  options.known = std::make_shared<const forest::Forest>(
      train::train_forest(dataset::Dataset::from_memory(nothing.taught), options.quick));
  nothing.classes = nothing.taught->config.classes;
  for (std::size_t c = 0; c < nothing.classes.size(); ++c)
    nothing.class_numbers.push_back(static_cast<std::uint16_t>(9 - c));
  nothing.taught = nullptr;
  Notes notes;
  Learner learner(options, notes.hooks());
  learner.teach(nothing);
  ASSERT_TRUE(notes.wait([](const Notes& n) { return n.labels_.size() == 3; }));
  EXPECT_EQ(notes.forests_[0].second, options.known);
  EXPECT_EQ(notes.labels_[0].labels,
            predict::make_predictor(*options.known, options.predict)->predict(rooms.frame(3)).labels);
  ASSERT_GE(notes.labels_[0].class_numbers.size(), 2u);
  EXPECT_EQ(notes.labels_[0].class_numbers, nothing.class_numbers) << "by name, though nothing is taught";
  learner.teach(rooms.request(2, 2));
  ASSERT_TRUE(notes.wait([](const Notes& n) { return n.labels_.size() == 9; }));
  EXPECT_NE(notes.forests_.back().second, options.known);
}

TEST(Learner, NothingIsLearntOfNothing) {
  Notes notes;
  Learner learner(small_learner(), notes.hooks());
  learner.teach({});
  EXPECT_FALSE(notes.wait([](const Notes& n) { return !n.failures_.empty() || !n.forests_.empty(); }, 200ms));
}

TEST(Learner, EndsInTheMidstOfATraining) {
  const Rooms rooms;
  LearnerOptions options = small_learner();
  options.quick.trees = 10000;
  Notes notes;
  const auto begin = std::chrono::steady_clock::now();
  {
    std::atomic<bool> trains = false;  // written by the learner's thread until that ends
    Learner learner(options, notes.hooks());
    TrainingRequest request = rooms.request(1, 3);
    const auto taught = std::make_shared<dataset::ComputedFrames>();
    taught->num_frames = request.taught->num_frames;
    taught->config = request.taught->config;
    taught->frame_of = request.frame;
    taught->labels_of = [&trains, given = request.taught](std::size_t frame) {
      trains = true;
      return given->labels(frame);
    };
    request.taught = taught;
    learner.teach(std::move(request));
    EXPECT_TRUE(wait_for([&] { return trains.load(); }));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  EXPECT_TRUE(notes.labels_.empty());
}

}  // namespace
}  // namespace fernwood::teach
