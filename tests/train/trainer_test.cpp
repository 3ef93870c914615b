// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "devices.h"
#include "test_folder.h"
#include "train/grow/grow_tree.h"
#include "train/grow_forest.h"
#include "train/training_data.h"

namespace fernwood::train {
namespace {

/// Lists the classes in dataset.toml, so that they do not depend on the frames present.
void name_classes(const TrainingData& data) {
  std::ofstream file(data.folder() / "dataset.toml");
  for (const image::ClassInfo& c : generate::synthetic_classes().classes)
    file << "[[classes]]\nname = \"" << c.name << "\"\ncolor = [" << int{c.color.r} << ", " << int{c.color.g} << ", "
         << int{c.color.b} << "]\n";
}

/// Grows forests one after another on frames that stay loaded.
class TrainerOn : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    add_scenes(data_, 4);
    name_classes(data_);
    TrainOptions common = small_training();
    common.channels = {"lab", "depth", "height"};
    common.cascade = 2;
    resources_.device = to_string(GetParam());
    trainer_.emplace(data_.dataset(), common, resources_, hooks_);
  }

  forest::Forest grow(const TrainOptions& options, const std::vector<std::uint32_t>& frames) {
    TrainReport report;
    return trainer_->finished(grow_forest(*trainer_, options, frames, hooks_, report));
  }

  TrainingData data_;
  TrainResources resources_;
  TrainHooks hooks_;
  std::optional<Trainer> trainer_;
};
INSTANTIATE_TEST_SUITE_P(EveryDevice, TrainerOn, testing::ValuesIn(cpu_and_gpus()), name_of_device);

TEST_P(TrainerOn, GivesTheForestsOfTrainingsOfTheirOwn) {
  TrainOptions options = small_training();
  options.channels = {"lab", "depth", "height"};
  const auto expect_same = [&] {
    EXPECT_EQ(grow(options, {0, 1, 2, 3}), train_forest(data_.dataset(), options, resources_)) << to_json(options);
  };
  expect_same();
  options.channels = {"depth", "height"};
  options.features = 90;
  options.class_weights = "sqrt";
  expect_same();
  options.cascade = 2;
  options.folds = 2;
  expect_same();
  options.channels = {"lab", "depth"};
  options.cascade = 1;
  options.min_samples = 3;
  options.max_depth = 9;
  expect_same();
}

TEST_P(TrainerOn, LearnsFromSomeOfTheFramesAlone) {
  TrainingData fewer;
  add_scenes(fewer, 2);
  name_classes(fewer);
  TrainOptions options = small_training();
  options.channels = {"lab", "depth"};
  for (const int stages : {1, 2}) {
    options.cascade = stages;
    options.folds = 2;
    forest::Forest grown = grow(options, {0, 1});
    const forest::Forest expected = train_forest(fewer.dataset(), options, resources_);
    EXPECT_EQ(grown.stages, expected.stages) << stages;
    EXPECT_EQ(grown.class_pixels, expected.class_pixels);
  }
}

TEST_P(TrainerOn, ATreeCutBackIsTheOneThatWouldHaveGrown) {
  TrainOptions deep = small_training();
  deep.channels = {"lab", "depth"};
  deep.max_depth = 9;
  deep.min_samples = 3;
  const std::vector<forest::Tree> whole = grow(deep, {0, 1, 2, 3}).labelling_trees();
  for (const int max_depth : {1, 4, 9})
    for (const int min_samples : {3, 20, 100000}) {
      TrainOptions cut = deep;
      cut.max_depth = max_depth;
      cut.min_samples = min_samples;
      const std::vector<forest::Tree> grown = grow(cut, {0, 1, 2, 3}).labelling_trees();
      for (std::size_t t = 0; t < whole.size(); ++t) {
        const PrunedTree pruned = prune_tree(whole[t], cut);
        EXPECT_EQ(pruned.tree, grown[t]) << max_depth << " " << min_samples;
        Array2<std::uint32_t> moved(pruned.tree.num_leaves(), pruned.tree.leaf_counts.cols());
        for (std::size_t leaf = 0; leaf < whole[t].num_leaves(); ++leaf)
          for (std::size_t c = 0; c < moved.cols(); ++c)
            moved(pruned.leaf_of[leaf], c) += whole[t].leaf_counts(leaf, c);
        EXPECT_EQ(moved, pruned.tree.leaf_counts);
      }
    }
}

TEST_P(TrainerOn, ChannelsThatTheFramesLackAreAUsageError) {
  TrainOptions options = small_training();
  for (const std::vector<std::string>& channels :
       {std::vector<std::string>{"lab", "depth", "facing"}, {"depth", "lab"}, {"lab"}}) {
    options.channels = channels;
    EXPECT_EQ(testdata::error_of([&] { grow(options, {0, 1}); }).value().kind(), ErrorKind::kUsage);
  }
}

TEST(Prunable, AreForestsOfOneStage) {
  TrainOptions options = defaults_of(forest::ForestKind::kForest);
  EXPECT_TRUE(is_prunable(options));
  options.cascade = 2;
  EXPECT_FALSE(is_prunable(options));
  options = defaults_of(forest::ForestKind::kForest);
  options.algorithm = forest::ForestKind::kFerns;
  EXPECT_FALSE(is_prunable(options));
}

}  // namespace
}  // namespace fernwood::train
