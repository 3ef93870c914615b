// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Properties of train_forest that hold for all options.

#include <gtest/gtest.h>

#include "train/accuracy.h"
#include "train/training_data.h"

namespace fernwood::train {
namespace {

struct Variant {
  std::string name;
  void (*change)(TrainOptions& options);
};
const std::vector<Variant> kVariants = {
    {"default", [](TrainOptions&) {}},
    {"information_gain", [](TrainOptions& o) { o.score = ScoreKind::kInformationGain; }},
    {"flip", [](TrainOptions& o) { o.mirror_augmentation = true; }},
    {"classes", [](TrainOptions& o) { o.sampling = Sampling::kClasses; }},
    {"some_frames", [](TrainOptions& o) { o.frames_per_tree = 2; }},
    {"color_only", [](TrainOptions& o) { o.channels = {"lab"}; }},
    {"depth_only", [](TrainOptions& o) { o.channels = {"depth"}; }},
    {"gradient",
     [](TrainOptions& o) {
       o.channels = {"lab", "gradient", "depth"};
     }},
    {"geometry",
     [](TrainOptions& o) {
       o.channels = {"height", "upright", "facing"};
     }},
    {"stages",
     [](TrainOptions& o) {
       o.cascade = 2;
       o.folds = 2;
       o.trees = 4;
     }},
    {"filled", [](TrainOptions& o) { o.depth_filling = image::DepthFilling::kSimple; }},
    {"extremely_randomised",
     [](TrainOptions& o) {
       o.features = o.thresholds = 1;
       o.max_depth = 12;
       o.trees = 8;
       o.max_offset = 8;
       o.channels = {"lab", "depth"};
     }},
    {"ferns",
     [](TrainOptions& o) {
       o.algorithm = forest::ForestKind::kFerns;
       o.max_depth = 12;
     }},
    {"boosted",
     [](TrainOptions& o) {
       o.algorithm = forest::ForestKind::kBoosted;
       o.max_depth = 3;
       o.trees = 8;
       o.learning_rate = 0.3f;
     }},
    {"boosted_stages",
     [](TrainOptions& o) {
       o.algorithm = forest::ForestKind::kBoosted;
       o.max_depth = 3;
       o.trees = 5;
       o.learning_rate = 0.4f;
       o.cascade = 2;
       o.folds = 2;
     }},
    {"most_thresholds", [](TrainOptions& o) { o.thresholds = 255; }},
};

class TrainForestWith : public testing::TestWithParam<Variant> {
 protected:
  TrainForestWith() {
    add_scenes(data_, 3);
    GetParam().change(options_);
  }
  TrainingData data_;
  TrainOptions options_ = small_training();
};
INSTANTIATE_TEST_SUITE_P(Each, TrainForestWith, testing::ValuesIn(kVariants),
                         [](const auto& info) { return info.param.name; });

TEST_P(TrainForestWith, GivesTheSameFileOnAnyNumberOfThreads) {
  TrainReport report;
  const dataset::Bytes one = train_bytes(data_.dataset(), options_, {.threads = 1}, {}, &report);
  EXPECT_EQ(report.threads, 1);
  EXPECT_EQ(one, train_bytes(data_.dataset(), options_, {.threads = 2}, {}, &report));
  EXPECT_EQ(report.threads, 2);
}

TEST_P(TrainForestWith, LearnsMoreThanTheMajority) {
  const forest::Forest forest = train_forest(data_.dataset(), options_);
  EXPECT_GT(accuracy_on(forest, data_.dataset()), majority_share(forest) + 0.1);
}

TEST_P(TrainForestWith, GivesTheSameFileWhenFramesAreStreamed) {
  TrainReport rich, poor;
  const dataset::Bytes kept = train_bytes(data_.dataset(), options_, {.threads = 2}, {}, &rich);
  // A raw frame, as a GPU stores it, has 48 * 64 * (3 + 2 + 2) bytes; a prepared frame, as the CPU stores it, has more.
  const dataset::Bytes streamed =
      train_bytes(data_.dataset(), options_, {.threads = 2, .memory_budget_bytes = 20000}, {}, &poor);
  EXPECT_EQ(kept, streamed);
  EXPECT_EQ(rich.frames, 3u);
  EXPECT_EQ(rich.frames_kept, 3u);
  EXPECT_EQ(rich.frames_decoded, 3u);
  EXPECT_LT(poor.frames_kept, 3u);
  EXPECT_GT(poor.frames_decoded, 3u);
  EXPECT_LE(poor.frame_bytes, 20000u);
}

TEST_P(TrainForestWith, GivesTheSameFileHoweverLevelsAreBatched) {
  const dataset::Bytes kept = train_bytes(data_.dataset(), options_, {.threads = 2});
  for (const std::size_t budget : {60000u, 130000u, 380000u})
    EXPECT_EQ(kept, train_bytes(data_.dataset(), options_, {.threads = 2, .memory_budget_bytes = budget})) << budget;
}

}  // namespace
}  // namespace fernwood::train
