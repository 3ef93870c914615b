// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The CPU and a GPU train the same model file, byte for byte.

#include <gtest/gtest.h>

#include "backbone/small_network.h"
#include "core/failing_gpu.h"
#include "devices.h"
#include "forest/noise.h"
#include "test_folder.h"
#include "train/boost/boosted_samples.h"
#include "train/training_data.h"

namespace fernwood::train {
namespace {

class SameForest : public testing::Test {
 protected:
  void SetUp() override {
    if (is_missing(gpus().front())) GTEST_SKIP() << gpu_status().problem;
    add_scenes(data_, 6);
    options_.mirror_augmentation = true;
    options_.channels = {"lab", "depth"};
  }
  /// Adds four frames of different sizes with 90 classes.
  void add_many_classes() {
    forest::Noise noise(1);
    for (std::uint32_t i = 0; i < 4; ++i) {
      const image::Frame frame = forest::noise_frame(30 + 7 * i, 40 + 13 * i, i);
      Array2<image::Rgb> truth(frame.rows(), frame.cols());
      for (image::Rgb& color : truth) color = {static_cast<std::uint8_t>(noise.between(1, 90)), 7, 7};
      data_.add("noise" + std::to_string(i), frame, truth);
    }
  }
  /// @param gpu_frames  Capacity of the GPU's frame cache; 0: as many frames as fit.
  void expect_same(std::size_t gpu_frames = 0) {
    constexpr std::size_t kFrameBytes = 49 * 68 * 6 * sizeof(std::uint32_t);
    TrainReport report, cpu_report;
    const dataset::Bytes cpu = train_bytes(data_.dataset(), options_, {.device = "cpu"}, {}, &cpu_report);
    const dataset::Bytes gpu = train_bytes(
        data_.dataset(), options_, {.device = "cuda", .gpu_memory_bytes = gpu_frames * kFrameBytes}, {}, &report);
    EXPECT_EQ(cpu, gpu);
    EXPECT_EQ(cpu_report.out_of_bag, report.out_of_bag);
    EXPECT_EQ(report.out_of_bag.empty(), options_.frames_per_tree == 0);
    EXPECT_FALSE(report.gpu.name.empty());
    if (gpu_frames > 0) {
      EXPECT_EQ(report.gpu.frame_slots, gpu_frames);
      EXPECT_GT(report.gpu.hits, 0u);
      EXPECT_GT(report.gpu.misses, 6u);
    }
  }

  TrainingData data_;
  TrainOptions options_ = small_training();
};

TEST_F(SameForest, ByDefault) { expect_same(); }

TEST_F(SameForest, WithSimpleFillingAndClassSampling) {
  options_.depth_filling = image::DepthFilling::kSimple;
  options_.sampling = Sampling::kClasses;
  expect_same();
}

TEST_F(SameForest, WithEveryChannelSet) {
  options_.channels = {"depth", "gradient", "rgb", "lab", "facing", "upright", "height", "behind", "above"};
  expect_same();
  options_.channels = {"lab"};
  expect_same();
  options_.channels = {"depth"};
  expect_same();
}

TEST_F(SameForest, WithGeometryWhereDepthHasHoles) {
  options_.channels = {"height", "upright", "facing"};
  options_.unary_feature_fraction = 0.5f;
  expect_same();
}

TEST_F(SameForest, WithFeatureMaps) {
  options_.backbone = backbone::write_backbone(1, data_.folder().path());
  for (const int reduction : {1, 2}) {
    options_.backbone_reduction = reduction;
    expect_same();
  }
  const std::string file = options_.backbone;
  options_ = small_training();
  options_.backbone = file;
  options_.algorithm = forest::ForestKind::kFerns;
  expect_same();
  options_.algorithm = forest::ForestKind::kBoosted;
  options_.cascade = 2;
  options_.folds = 2;
  expect_same();
}

TEST_F(SameForest, WithStages) {
  options_.cascade = 3;
  options_.folds = 2;
  expect_same();
  options_.algorithm = forest::ForestKind::kFerns;
  expect_same();
}

TEST_F(SameForest, WithAllThresholdsAndFewSamplesToANode) {
  options_.thresholds = 255;
  options_.min_samples = 1;
  options_.max_depth = 12;
  expect_same();
}

TEST_F(SameForest, WithFerns) {
  options_.algorithm = forest::ForestKind::kFerns;
  expect_same();
  options_.score = ScoreKind::kInformationGain;
  options_.max_depth = 14;
  options_.min_samples = 2;
  expect_same(4);
}

TEST_F(SameForest, WhenBoosted) {
  options_.algorithm = forest::ForestKind::kBoosted;
  options_.trees = 6;
  options_.max_depth = 4;
  expect_same();
  options_.cascade = 2;
  options_.folds = 2;
  options_.learning_rate = 0.5f;
  expect_same();
}

TEST_F(SameForest, WithAnImageCacheOfTwoFrames) { expect_same(2); }

TEST_F(SameForest, WithAnImageCacheOfFourFramesAndFewFramesToATree) {
  options_.frames_per_tree = 5;
  expect_same(4);
}

TEST_F(SameForest, WithAnImageCacheOfTwoFramesWhenItStopsOnceFlat) {
  options_.frames_per_tree = 3;
  options_.trees = 12;
  options_.early_stopping_rounds = 2;
  expect_same(2);
}

TEST_F(SameForest, WithFramesOfManySizesAndManyClasses) {
  add_many_classes();
  options_.samples_per_frame = 900;
  options_.max_depth = 9;
  expect_same();
}

TEST_F(SameForest, WhenBoostedWithMoreLeavesThanAMultiprocessorHasRoomFor) {
  add_many_classes();
  options_.algorithm = forest::ForestKind::kBoosted;
  options_.samples_per_frame = 900;
  options_.max_depth = 10;
  options_.min_samples = 2;
  options_.trees = 3;
  const forest::Forest forest = train_forest(data_.dataset(), options_, {.device = "cpu"});
  const std::size_t num_sums = forest.stage(0)[0].num_leaves() * forest.classes.size() * kNumSums;
  EXPECT_GT(num_sums * sizeof(std::int32_t), std::size_t{256} << 10);
  expect_same();
}

TEST_F(SameForest, WhenResumedOnTheOtherDevice) {
  const auto checkpoint = data_.folder() / "resume.checkpoint";
  std::stop_source stop;
  TrainHooks hooks;
  hooks.checkpoint = checkpoint;
  hooks.stop = stop.get_token();
  hooks.level_done = [&](const LevelReport& level) {
    if (level.tree == 1 && level.level == 2) stop.request_stop();
  };
  EXPECT_EQ(
      testdata::error_of([&] { train_forest(data_.dataset(), options_, {.device = "cpu"}, hooks); }).value().kind(),
      ErrorKind::kInterrupted);
  TrainHooks resume;
  resume.checkpoint = checkpoint;
  resume.resume = true;
  EXPECT_EQ(train_bytes(data_.dataset(), options_, {.device = "cuda"}, resume),
            train_bytes(data_.dataset(), options_, {.device = "cpu"}));
}

TEST_F(SameForest, TooSmallAnImageCacheIsAResourceError) {
  EXPECT_EQ(
      testdata::error_of([&] { train_forest(data_.dataset(), options_, {.device = "cuda", .gpu_memory_bytes = 1000}); })
          .value()
          .kind(),
      ErrorKind::kResource);
}

TEST_F(SameForest, AfterTheGpusMemoryRanOutAtAnyAllocation) {
  options_.trees = 1;
  options_.cascade = 2;
  options_.folds = 2;
  const auto train = [&] { return train_bytes(data_.dataset(), options_, {.device = "cuda"}); };
  const dataset::Bytes whole = train_bytes(data_.dataset(), options_, {.device = "cpu"});
  expect_gpu_memory_errors([&] { EXPECT_EQ(train(), whole); });
  EXPECT_EQ(train(), whole);
}

}  // namespace
}  // namespace fernwood::train
