// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/checkpoint.h"

#include <gtest/gtest.h>

#include <new>
#include <nlohmann/json.hpp>

#include "fernwood/forest/forest.h"
#include "sentences.h"
#include "train/options/describe_training.h"
#include "train/training_data.h"

namespace fernwood::train {
namespace {

namespace fs = std::filesystem;

class CheckpointTest : public testing::Test {
 protected:
  CheckpointTest() { add_scenes(data_, 2); }
  fs::path path() const { return data_.folder() / "checkpoint.fernwood"; }

  TrainHooks hooks(bool resume) const {
    TrainHooks out;
    out.checkpoint = path();
    out.resume = resume;
    return out;
  }

  /// Trains until `levels` levels are grown, and then requests a stop. Returns whether training was interrupted.
  bool train_levels(int levels, const TrainOptions& options, bool resume) {
    std::stop_source stop;
    TrainHooks watched = hooks(resume);
    watched.stop = stop.get_token();
    watched.level_done = [&, done = 0](const LevelReport&) mutable {
      if (++done == levels) stop.request_stop();
    };
    const std::optional<Error> error = dataset::error_of([&] { train_forest(data_.dataset(), options, {}, watched); });
    EXPECT_TRUE(!error || error->kind() == ErrorKind::kInterrupted) << (error ? error->what() : "");
    return error.has_value();
  }
  dataset::Bytes resume(const TrainOptions& options) { return train_bytes(data_.dataset(), options, {}, hooks(true)); }

  TrainingData data_;
  TrainOptions options_ = small_training();
};

TEST_F(CheckpointTest, InterruptedAfterAnyLevelTheForestIsTheSame) {
  TrainReport report;
  const dataset::Bytes whole = train_bytes(data_.dataset(), options_, {}, {}, &report);
  const int num_levels = static_cast<int>(report.levels.size());
  ASSERT_GE(num_levels, 6);
  for (int levels = 1; levels < num_levels; ++levels) {
    ASSERT_TRUE(train_levels(levels, options_, false)) << levels;
    EXPECT_EQ(resume(options_), whole) << levels << " levels";
  }
  EXPECT_FALSE(train_levels(num_levels, options_, false));  // after the last level, training ends normally
}

TEST_F(CheckpointTest, OfATrainingThatGoesOnIsNotTakenByAnother) {
  {
    const OutputLock other(path());
    for (const bool resumed : {false, true}) {
      const auto error = dataset::error_of([&] { train_bytes(data_.dataset(), options_, {}, hooks(resumed)); });
      ASSERT_TRUE(error.has_value());
      EXPECT_EQ(error->kind(), ErrorKind::kRuntime) << error->what();
    }
  }
  EXPECT_NO_THROW(train_bytes(data_.dataset(), options_, {}, hooks(false)));
}

TEST_F(CheckpointTest, InterruptedAtEachLevelAgainAndAgainTheForestIsTheSame) {
  options_.mirror_augmentation = true;
  const dataset::Bytes whole = train_bytes(data_.dataset(), options_);
  int interruptions = 0;
  while (train_levels(1, options_, true)) ASSERT_LT(++interruptions, 50);
  EXPECT_GE(interruptions, 4);
  EXPECT_EQ(resume(options_), whole);
}

TEST_F(CheckpointTest, InterruptedInAnyStageTheForestIsTheSame) {
  options_.cascade = 2;
  options_.folds = 2;
  options_.trees = 1;
  const dataset::Bytes whole = train_bytes(data_.dataset(), options_);
  int interruptions = 0;
  while (train_levels(3, options_, true)) ASSERT_LT(++interruptions, 50);
  EXPECT_GE(interruptions, 6);
  EXPECT_EQ(resume(options_), whole);
}

TEST_F(CheckpointTest, InterruptedWhileBoostedTheForestIsTheSame) {
  options_.algorithm = forest::ForestKind::kBoosted;
  options_.trees = 8;
  options_.max_depth = 3;
  options_.cascade = 2;
  options_.folds = 2;
  const dataset::Bytes whole = train_bytes(data_.dataset(), options_);
  int interruptions = 0;
  while (train_levels(4, options_, true)) ASSERT_LT(++interruptions, 50);  // one tree, and one level of the next
  EXPECT_GE(interruptions, 8);
  EXPECT_EQ(resume(options_), whole);
}

/// The labels of its samples would not match its counts.
TEST_F(CheckpointTest, AGrowingTreeOfABoostedForestIsAModelError) {
  options_.algorithm = forest::ForestKind::kBoosted;
  GrowingForest whole{train_forest(data_.dataset(), options_), plan_trees(options_, options_.folds), {}};
  whole.trees = whole.model.labelling_trees();
  nlohmann::json options = nlohmann::json::parse(whole.model.options_json);
  options["checkpoint"] = {{"growing", true},
                           {"level", 0},
                           {"open", 0},
                           {"reading", nlohmann::json::parse(describe_reading(data_.dataset().config(), {}))}};
  whole.model.options_json = options.dump();
  forest::save_forest(whole.model, path());
  testdata::expect_refused(ErrorKind::kModel, [&] { resume(options_); });
}

TEST_F(CheckpointTest, InterruptedBetweenTreesTheForestIsTheSame) {
  const dataset::Bytes whole = train_bytes(data_.dataset(), options_);
  GrowingForest first{train_forest(data_.dataset(), options_), plan_trees(options_, options_.folds), {}};
  first.trees = {first.model.labelling_trees()[0]};
  first.model.stages = {{}};
  first.reading_json = describe_reading(data_.dataset().config(), {});
  save_checkpoint(first, nullptr, path());
  EXPECT_EQ(resume(options_), whole);
}

TEST_F(CheckpointTest, OfAFinishedTrainingGivesTheForestAtOnce) {
  const dataset::Bytes whole = train_bytes(data_.dataset(), options_, {}, hooks(false));
  TrainReport report;
  EXPECT_EQ(train_bytes(data_.dataset(), options_, {}, hooks(true), &report), whole);
  EXPECT_TRUE(report.levels.empty());
}

TEST_F(CheckpointTest, ResumedTheFiguresOutOfBagAreTheSame) {
  options_.trees = 4;
  options_.frames_per_tree = 1;
  TrainReport whole;
  train_bytes(data_.dataset(), options_, {}, {}, &whole);
  ASSERT_EQ(whole.out_of_bag.size(), 4u);
  EXPECT_NE(whole.out_of_bag[1], whole.out_of_bag[2]);
  for (const int levels : {2, 8, 15}) {  // during the first, the second and the third tree
    TrainReport resumed;
    ASSERT_TRUE(train_levels(levels, options_, false));
    train_bytes(data_.dataset(), options_, {}, hooks(true), &resumed);
    EXPECT_EQ(resumed.out_of_bag, whole.out_of_bag) << levels << " levels";
  }
}

TEST_F(CheckpointTest, OfATrainingThatStoppedWhenFlatGivesTheForestAtOnce) {
  add_scenes(data_, 4);
  options_.trees = 40;
  options_.frames_per_tree = 2;
  options_.early_stopping_rounds = 1;
  TrainReport whole, resumed;
  const dataset::Bytes bytes = train_bytes(data_.dataset(), options_, {}, hooks(false), &whole);
  ASSERT_LT(whole.out_of_bag.size(), 40u);
  EXPECT_EQ(train_bytes(data_.dataset(), options_, {}, hooks(true), &resumed), bytes);
  EXPECT_EQ(resumed.out_of_bag, whole.out_of_bag);
  EXPECT_TRUE(resumed.levels.empty());
}

TEST_F(CheckpointTest, IsWrittenAfterTheFirstLevel) {
  std::vector<bool> there;
  TrainHooks watched = hooks(false);
  watched.level_done = [&](const LevelReport&) { there.push_back(fs::exists(path())); };
  train_forest(data_.dataset(), options_, {}, watched);
  ASSERT_GE(there.size(), 4u);
  EXPECT_FALSE(there[0]);  // the hook runs before the level is written
  EXPECT_TRUE(there[1]);
}

TEST_F(CheckpointTest, IsWrittenAfterEveryLevelWhenAskedTo) {
  std::vector<int> depths;
  TrainHooks watched = hooks(false);
  watched.checkpoint_every_s = 0;
  watched.level_done = [&](const LevelReport& level) {
    if (level.tree == 0 && level.level > 0) depths.push_back(forest::load_forest(path()).labelling_trees()[0].depth());
  };
  train_forest(data_.dataset(), options_, {}, watched);
  ASSERT_GE(depths.size(), 3u);
  for (std::size_t i = 0; i < depths.size(); ++i) EXPECT_EQ(depths[i], static_cast<int>(i) + 1);  // levels written
}

TEST_F(CheckpointTest, HoldsAllThatWasGrownWhenTrainingEndsEarly) {
  for (const int levels : {1, 3, 5}) {
    ASSERT_TRUE(train_levels(levels, options_, false));
    const forest::Forest kept = forest::load_forest(path());
    ASSERT_EQ(kept.labelling_trees().size(), 1u);
    EXPECT_EQ(kept.labelling_trees()[0].depth(), levels);
    fs::remove(path());
  }
}

TEST_F(CheckpointTest, MissingFileStartsFromTheBeginning) {
  EXPECT_EQ(resume(options_), train_bytes(data_.dataset(), options_));
}

TEST_F(CheckpointTest, IsLeftAloneUnlessResumed) {
  const dataset::Bytes whole = train_bytes(data_.dataset(), options_);
  train_levels(3, options_, false);
  options_.seed = 1;
  const dataset::Bytes other = train_bytes(data_.dataset(), options_, {}, hooks(false));
  EXPECT_NE(other, whole);
}

TEST_F(CheckpointTest, OtherOptionsAreAUsageErrorThatNamesThem) {
  ASSERT_TRUE(train_levels(2, options_, false));
  void (*const changes[])(TrainOptions&) = {
      [](TrainOptions& o) { o.features = 41; }, [](TrainOptions& o) { o.trees = 3; },
      [](TrainOptions& o) { o.channels = {"lab"}; }, [](TrainOptions& o) { o.leaves.reweight = false; },
      [](TrainOptions& o) { o.depth_filling = image::DepthFilling::kSimple; }};
  for (const auto& change : changes) {
    TrainOptions options = options_;
    change(options);
    testdata::expect_refused(ErrorKind::kUsage, [&] { resume(options); });
  }
}

TEST_F(CheckpointTest, OtherDataAreAUsageError) {
  ASSERT_TRUE(train_levels(2, options_, false));
  add_scenes(data_, 3);
  const dataset::Dataset other = dataset::Dataset::open(data_.folder().path());
  testdata::expect_refused(ErrorKind::kUsage, [&] { train_forest(other, options_, {}, hooks(true)); });
}

TEST_F(CheckpointTest, DamagedFileIsAModelError) {
  ASSERT_TRUE(train_levels(2, options_, false));
  // What is said depends on the length of the header, which names the version.
  const auto expect_damaged = [&] {
    EXPECT_EQ(dataset::error_of([&] { resume(options_); }).value().kind(), ErrorKind::kModel);
  };
  dataset::Bytes bytes = read_file(path());
  for (const std::size_t at : {bytes.size() - 3, bytes.size() / 2, std::size_t{5}}) {
    dataset::Bytes damaged = bytes;
    damaged[at] ^= 1;
    data_.folder().write("checkpoint.fernwood", damaged);
    expect_damaged();
  }
  data_.folder().write("checkpoint.fernwood", dataset::Bytes(bytes.begin(), bytes.begin() + 1000));
  expect_damaged();
  data_.folder().write("checkpoint.fernwood", dataset::Bytes{});
  expect_damaged();
  // A file that cannot be recognised as a checkpoint is not replaced, hence the remedy.
  data_.folder().write("checkpoint.fernwood", dataset::Bytes(bytes.begin(), bytes.begin() + 100));
  expect_damaged();
  testdata::expect_refused(ErrorKind::kUsage, [&] { check_checkpoint_path(path(), false); });
  std::filesystem::remove(path());
  EXPECT_NO_THROW(check_checkpoint_path(path(), false));
  EXPECT_TRUE(train_levels(2, options_, false));
}

TEST_F(CheckpointTest, OtherWaysOfReadingTheDataAreAUsageError) {
  ASSERT_TRUE(train_levels(2, options_, false));
  for (const std::string scale : {"0.2", "0.5", "2", "5"}) {
    data_.folder().write("dataset.toml", "depth_scale = " + scale + "\n");
    const dataset::Dataset other = dataset::Dataset::open(data_.folder().path());
    testdata::expect_refused(ErrorKind::kUsage, [&] { train_forest(other, options_, {}, hooks(true)); });
  }
  data_.folder().write("dataset.toml", "sensor = \"kinect2\"\n");
  const dataset::Dataset other = dataset::Dataset::open(data_.folder().path());
  testdata::expect_refused(ErrorKind::kUsage, [&] { train_forest(other, options_, {}, hooks(true)); });
}

TEST_F(CheckpointTest, OtherGroupsOfFramesAreAUsageError) {
  options_.cascade = 2;
  options_.folds = 2;
  add_scenes(data_, 4);
  ASSERT_TRUE(train_levels(2, options_, false));
  data_.folder().write("groups.txt", "scene0 a\nscene1 a\nscene2 a\nscene3 b\n");
  testdata::expect_refused(ErrorKind::kUsage, [&] { resume(options_); });
}

TEST_F(CheckpointTest, StateThatDoesNotFitIsAModelError) {
  ASSERT_TRUE(train_levels(2, options_, false));
  forest::Forest forest = forest::load_forest(path());
  const nlohmann::json options = nlohmann::json::parse(forest.options_json);
  const auto expect_refused = [&](const auto& damage) {
    nlohmann::json damaged = options;
    damage(damaged["checkpoint"]);
    forest.options_json = damaged.dump();
    forest::save_forest(forest, path());
    testdata::expect_refused(ErrorKind::kModel, [&] { resume(options_); });
  };
  using State = nlohmann::json;
  expect_refused([](State& state) { state = "yes"; });
  expect_refused([](State& state) { state = State::object(); });
  for (const char* key : {"growing", "level", "open", "reading"}) {
    expect_refused([&](State& state) { state.erase(key); });
    expect_refused([&](State& state) { state[key] = "x"; });
  }
  for (const std::int64_t level : {std::int64_t{-1000}, std::int64_t{0}, std::int64_t{3}, std::int64_t{INT32_MAX}})
    expect_refused([&](State& state) { state["level"] = level; });
  expect_refused([](State& state) { state["open"] = 100000; });
  expect_refused([](State& state) { state["open"] = state["open"].get<int>() + 1; });
}

TEST_F(CheckpointTest, LeafCountsThatTheSamplesDoNotHaveAreAModelError) {
  ASSERT_TRUE(train_levels(3, options_, false));
  const forest::Forest whole = forest::load_forest(path());
  const auto expect_refused = [&](auto change) {
    forest::Forest damaged = whole;
    for (std::uint32_t& count : damaged.stages[0].back().leaf_counts) change(count);
    forest::save_forest(damaged, path());
    testdata::expect_refused(ErrorKind::kModel, [&] { resume(options_); });
  };
  expect_refused([](std::uint32_t& count) { count *= 1000; });
  expect_refused([](std::uint32_t& count) { count /= 2; });
  expect_refused([at = 0](std::uint32_t& count) mutable { count = at++ % 2 ? count : 0; });
}

TEST_F(CheckpointTest, MoreTreesThanAreToBeGrownAreAModelError) {
  forest::Forest forest = train_forest(data_.dataset(), options_, {}, hooks(false));
  forest = forest::load_forest(path());
  forest.stages[0].push_back(forest.stages[0].back());
  forest::save_forest(forest, path());
  testdata::expect_refused(ErrorKind::kModel, [&] { resume(options_); });
}

TEST_F(CheckpointTest, ReplacesNoFileOfAnotherKind) {
  const std::string text = "FERNWOOD is the name of this text";
  const dataset::Bytes model = train_bytes(data_.dataset(), options_);
  for (const dataset::Bytes& content : {dataset::Bytes(text.begin(), text.end()), model}) {
    data_.folder().write("checkpoint.fernwood", content);
    testdata::expect_refused(ErrorKind::kUsage, [&] { train_bytes(data_.dataset(), options_, {}, hooks(false)); });
    testdata::expect_refused(ErrorKind::kModel, [&] { resume(options_); });
    EXPECT_TRUE(read_file(path()) == content);
  }
}

TEST_F(CheckpointTest, InAMissingFolderIsRefusedBeforeTraining) {
  TrainHooks elsewhere = hooks(false);
  elsewhere.checkpoint = data_.folder() / "missing" / "checkpoint";
  elsewhere.level_done = [](const LevelReport&) { ADD_FAILURE() << "the training began"; };
  testdata::expect_refused(ErrorKind::kRuntime, [&] { train_bytes(data_.dataset(), options_, {}, elsewhere); });
}

TEST_F(CheckpointTest, ThatCannotBeWrittenEndsNoTraining) {
  const dataset::Bytes whole = train_bytes(data_.dataset(), options_);
  TrainReport report;
  TrainHooks hindered = hooks(false);
  hindered.level_done = [&](const LevelReport&) {
    fs::remove(path());
    fs::create_directory(path());  // a file cannot be renamed onto a folder
  };
  EXPECT_EQ(train_bytes(data_.dataset(), options_, {}, hindered, &report), whole);
  EXPECT_NE(report.checkpoint_failure.find("checkpoint.fernwood"), std::string::npos) << report.checkpoint_failure;
  EXPECT_FALSE(report.has_checkpoint);
}

TEST_F(CheckpointTest, IsWrittenWhenAnythingEndsTraining) {
  TrainHooks failing = hooks(false);
  failing.level_done = [done = 0](const LevelReport&) mutable {
    if (++done == 3) throw std::bad_alloc();
  };
  TrainReport report;
  EXPECT_THROW(train_forest(data_.dataset(), options_, {}, failing, &report), std::bad_alloc);
  EXPECT_TRUE(report.has_checkpoint);
  EXPECT_EQ(forest::load_forest(path()).labelling_trees()[0].depth(), 3);
}

TEST_F(CheckpointTest, OfAnEarlierTrainingIsNotReportedAsThisOnes) {
  ASSERT_TRUE(train_levels(3, options_, false));
  std::stop_source stop;
  stop.request_stop();
  TrainHooks stopped = hooks(false);
  stopped.stop = stop.get_token();
  TrainReport report;
  EXPECT_THROW(train_forest(data_.dataset(), options_, {}, stopped, &report), Error);
  EXPECT_FALSE(report.has_checkpoint);
  stopped.resume = true;
  EXPECT_THROW(train_forest(data_.dataset(), options_, {}, stopped, &report), Error);
  EXPECT_TRUE(report.has_checkpoint);
}

TEST_F(CheckpointTest, FinishedModelIsNoCheckpoint) {
  forest::save_forest(train_forest(data_.dataset(), options_), path());
  testdata::expect_refused(ErrorKind::kModel, [&] { resume(options_); });
}

}  // namespace
}  // namespace fernwood::train
