// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/stage_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forest/noise.h"
#include "sentences.h"
#include "train/training_data.h"

namespace fernwood::train {
namespace {

using testing::ElementsAre;

TrainOptions staged(int stages, int folds, int trees) {
  TrainOptions options = defaults_of(forest::ForestKind::kForest);
  options.cascade = stages;
  options.folds = folds;
  options.trees = trees;
  return options;
}

TEST(StagePlan, OneStageIsItsTrees) {
  EXPECT_THAT(plan_trees(staged(1, 4, 2), 4), ElementsAre(PlannedTree{0, -1, 0}, PlannedTree{0, -1, 1}));
}

TEST(StagePlan, EachStageButTheLastHasAForestForEachFoldAndOneForAllFrames) {
  const std::vector<PlannedTree> plan = plan_trees(staged(2, 3, 1), 3);
  EXPECT_THAT(plan,
              ElementsAre(PlannedTree{0, 0}, PlannedTree{0, 1}, PlannedTree{0, 2}, PlannedTree{0}, PlannedTree{1}));
  const auto range = [&](int stage, int fold) {
    const TreeRange found = trees_of(plan, stage, fold);
    return std::pair(found.begin, found.end);
  };
  EXPECT_EQ(range(0, 1), std::pair(std::size_t{1}, std::size_t{2}));
  EXPECT_EQ(range(0, -1), std::pair(std::size_t{3}, std::size_t{4}));
  EXPECT_EQ(range(1, -1), std::pair(std::size_t{4}, std::size_t{5}));
}

TEST(StagePlan, FoldsAreRunsOfFrames) {
  EXPECT_THAT(fold_frames(5, 2), ElementsAre(0, 0, 0, 1, 1));
  EXPECT_THAT(frames_outside({0, 0, 0, 1, 1}, 0), ElementsAre(3, 4));
  EXPECT_THAT(frames_inside({0, 0, 0, 1, 1}, 0), ElementsAre(0, 1, 2));
  EXPECT_THAT(frames_outside({0, 1}, -1), ElementsAre(0, 1));
}

TEST(StagePlan, GroupsStayTogetherWhereTheirFirstFrameBelongs) {
  EXPECT_THAT(fold_frames(6, 2, {7, 7, 7, 7, 8, 8}), ElementsAre(0, 0, 0, 0, 1, 1));
  EXPECT_THAT(fold_frames(4, 2, {1, 2, 2, 1}), ElementsAre(0, 0, 0, 0));
}

TEST(StagePlan, FewFramesMakeFewerFolds) {
  EXPECT_EQ(num_folds_of(fold_frames(2, 3), staged(2, 3, 1)), 2);
  EXPECT_EQ(num_folds_of(fold_frames(6, 4, {1, 1, 1, 1, 2, 2}), staged(2, 4, 1)), 2) << "folds are numbered on";
  testdata::expect_refused(ErrorKind::kUsage, [] { num_folds_of(fold_frames(1, 3), staged(2, 3, 1)); });
  EXPECT_EQ(num_folds_of(fold_frames(1, 3), staged(1, 3, 1)), 1);
}

TEST(StagePlan, BoostedStagesBeforeTheLastAreSmall) {
  TrainOptions options;
  options.cascade = 2;
  const TrainOptions first = options_of_stage(options, 0), last = options_of_stage(options, 1);
  EXPECT_EQ(first.trees, options.trees / 4);
  EXPECT_LT(first.max_depth, options.max_depth);
  EXPECT_EQ(last.trees, options.trees);
  EXPECT_EQ(plan_trees(options, 3).size(), static_cast<std::size_t>(4 * first.trees + last.trees));
  EXPECT_EQ(options_of_stage(staged(2, 3, 8), 0).trees, 8) << "the trees of a random forest are few";
}

/// A growing forest with `num_trees` different trees at the first places of the plan.
GrowingForest grown(const TrainOptions& options, int num_trees) {
  forest::Forest model = forest::noise_forest(2, num_trees, {"lab"}, 3);
  std::vector<forest::Tree> trees = std::move(model.labelling_trees());
  return {std::move(model), plan_trees(options, options.folds), std::move(trees)};
}

TEST(StagePlan, AFinishedForestKeepsTheTreesGrownOnAllFrames) {
  const GrowingForest all = grown(staged(2, 2, 2), 8);
  const forest::Forest forest = finished_forest(all);
  ASSERT_EQ(forest.num_stages(), 2u);
  EXPECT_THAT(forest.stage(0), ElementsAre(all.trees[4], all.trees[5]));
  EXPECT_THAT(forest.labelling_trees(), ElementsAre(all.trees[6], all.trees[7]));
}

TEST(StagePlan, ALastStageThatEndsEarlyKeepsWhatThereIs) {
  EXPECT_EQ(finished_forest(grown(staged(1, 2, 3), 2)).labelling_trees().size(), 2u);
}

TrainOptions two_stages() {
  TrainOptions options = small_training();
  options.cascade = 2;
  options.folds = 2;
  return options;
}

TEST(Stages, GiveAForestWithContext) {
  TrainingData data;
  add_scenes(data, 4);
  const forest::Forest forest = train_forest(data.dataset(), two_stages());
  ASSERT_EQ(forest.num_stages(), 2u);
  EXPECT_EQ(forest.stage(0).size(), 2u);
  EXPECT_EQ(forest.labelling_trees().size(), 2u);
  EXPECT_EQ(forest.preparation.channels.num_context(), forest.num_classes());
  bool reads_context = false;
  for (const forest::Tree& tree : forest.labelling_trees())
    for (const forest::Node& node : tree.nodes)
      reads_context |= !node.is_leaf() && node.feature.channel_a >= forest.preparation.channels.context_channel();
  EXPECT_TRUE(reads_context);
}

/// Four scenes; if `changed`, the first two have the labels of other scenes.
void add_half_changed(const TrainingData& data, bool changed) {
  generate::GenerateOptions size;
  size.width = 64, size.height = 48;
  for (const std::uint32_t i : {0u, 1u, 2u, 3u}) {
    const generate::SyntheticFrame scene = generate::generate_frame(size, i);
    const image::LabelImage labels = changed && i < 2 ? generate::generate_frame(size, i + 10).labels : scene.labels;
    data.add("scene" + std::to_string(i), scene.frame, dataset::colorize_labels(labels, generate::synthetic_classes()));
  }
}

/// Number of open nodes in each level of the first stage's trees that leave out `fold`.
std::vector<std::size_t> nodes_of(const TrainReport& report, std::optional<int> fold) {
  std::vector<std::size_t> nodes;
  for (const LevelReport& level : report.levels)
    if (level.stage == 0 && level.fold == fold) nodes.push_back(level.nodes);
  return nodes;
}

TEST(Stages, TreesThatAreAskedAboutAFoldHaveNotSeenIt) {
  TrainOptions options = two_stages();
  options.trees = 1;
  TrainReport as_is, changed;
  for (TrainReport* report : {&as_is, &changed}) {
    TrainingData data;
    add_half_changed(data, report == &changed);
    train_forest(data.dataset(), options, {}, {}, report);
  }
  EXPECT_EQ(nodes_of(as_is, 0), nodes_of(changed, 0));  // fold 0 is the first two frames
  EXPECT_NE(nodes_of(as_is, 1), nodes_of(changed, 1));
  EXPECT_NE(nodes_of(as_is, std::nullopt), nodes_of(changed, std::nullopt));
}

TEST(Stages, ThreadsAndMemoryDoNotMatter) {
  TrainingData data;
  add_scenes(data, 4);
  const dataset::Bytes once = train_bytes(data.dataset(), two_stages(), {.device = "cpu", .threads = 1});
  EXPECT_EQ(train_bytes(data.dataset(), two_stages(), {.device = "cpu", .threads = 3}), once);
  EXPECT_EQ(train_bytes(data.dataset(), two_stages(), {.device = "cpu", .threads = 2, .memory_budget_bytes = 1 << 19}),
            once);
}

TEST(Stages, TooManyClassesForChannelsAreAUsageError) {
  TrainingData data;
  Array2<image::Rgb> truth(8, 16);
  for (std::size_t i = 0; i < truth.size(); ++i) truth.data()[i] = {static_cast<std::uint8_t>(i + 1), 0, 0};
  for (const char* name : {"a", "b"}) data.add(name, {Array2<image::Rgb>(8, 16), {}}, truth);
  testdata::expect_refused(ErrorKind::kUsage, [&] { train_forest(data.dataset(), two_stages()); });
}

}  // namespace
}  // namespace fernwood::train
