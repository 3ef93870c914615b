// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/checkpoint.h"

#include <gtest/gtest.h>

#include "fernwood/forest/model_file.h"
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

  /// Trains until `levels` levels are done, then asks to stop. Whether it was interrupted.
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
  EXPECT_FALSE(train_levels(num_levels, options_, false));  // after the last level nothing is left to stop
}

TEST_F(CheckpointTest, InterruptedAtEachLevelAgainAndAgainTheForestIsTheSame) {
  options_.candidates = CandidateScope::kNode;
  options_.flip = true;
  const dataset::Bytes whole = train_bytes(data_.dataset(), options_);
  int interruptions = 0;
  while (train_levels(1, options_, true)) ASSERT_LT(++interruptions, 50);
  EXPECT_GE(interruptions, 4);
  EXPECT_EQ(resume(options_), whole);
}

TEST_F(CheckpointTest, InterruptedInAnyStageTheForestIsTheSame) {
  options_.stages = 2;
  options_.folds = 2;
  options_.trees = 1;
  const dataset::Bytes whole = train_bytes(data_.dataset(), options_);
  int interruptions = 0;
  while (train_levels(3, options_, true)) ASSERT_LT(++interruptions, 50);
  EXPECT_GE(interruptions, 6);
  EXPECT_EQ(resume(options_), whole);
}

TEST_F(CheckpointTest, InterruptedBetweenTreesTheForestIsTheSame) {
  const dataset::Bytes whole = train_bytes(data_.dataset(), options_);
  GrowingForest first{train_forest(data_.dataset(), options_), plan_trees(options_), {}};
  first.trees = {first.model.labelling_trees()[0]};
  first.model.stages = {{}};
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
  for (const int levels : {2, 8, 15}) {  // within the first, the second, the third tree
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
  options_.stop_when_flat = 1;
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
  EXPECT_FALSE(there[0]);  // told of the level before it is written down
  EXPECT_TRUE(there[1]);
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
  options_.features = 41;
  dataset::expect_error([&] { resume(options_); }, ErrorKind::kUsage, {"features was 40, is 41", "--resume"});
  options_ = small_training();
  options_.trees = 3;
  dataset::expect_error([&] { resume(options_); }, ErrorKind::kUsage, {"trees was 2, is 3"});
  options_ = small_training();
  options_.channels = {"lab"};
  dataset::expect_error([&] { resume(options_); }, ErrorKind::kUsage, {"channels"});
  options_ = small_training();
  options_.leaves.histogram_bias = 0.1f;
  dataset::expect_error([&] { resume(options_); }, ErrorKind::kUsage, {"leaf"});
  options_ = small_training();
  options_.depth_filling = image::DepthFilling::kSimple;
  dataset::expect_error([&] { resume(options_); }, ErrorKind::kUsage, {"other"});
}

TEST_F(CheckpointTest, OtherDataAreAUsageError) {
  ASSERT_TRUE(train_levels(2, options_, false));
  add_scenes(data_, 3);
  const dataset::Dataset other = dataset::Dataset::open(data_.folder().path());
  dataset::expect_error([&] { train_forest(other, options_, {}, hooks(true)); }, ErrorKind::kUsage,
                        {"data", "frames was 2, is 3"});
}

TEST_F(CheckpointTest, DamagedFileIsAModelError) {
  ASSERT_TRUE(train_levels(2, options_, false));
  dataset::Bytes bytes = read_file(path());
  for (const std::size_t at : {bytes.size() - 3, bytes.size() / 2, std::size_t{5}}) {
    dataset::Bytes damaged = bytes;
    damaged[at] ^= 1;
    data_.folder().write("checkpoint.fernwood", damaged);
    dataset::expect_error([&] { resume(options_); }, ErrorKind::kModel, {"checkpoint.fernwood"});
  }
  data_.folder().write("checkpoint.fernwood", dataset::Bytes(bytes.begin(), bytes.begin() + 1000));
  dataset::expect_error([&] { resume(options_); }, ErrorKind::kModel, {"checkpoint.fernwood"});
  data_.folder().write("checkpoint.fernwood", dataset::Bytes{});
  dataset::expect_error([&] { resume(options_); }, ErrorKind::kModel, {"checkpoint.fernwood"});
}

TEST_F(CheckpointTest, DamagedStateIsAModelError) {
  forest::Forest forest = train_forest(data_.dataset(), options_);
  const std::string options = forest.options_json;
  for (const char* state : {R"("yes")", R"({})", R"({"growing":true})", R"({"growing":true,"level":"x","open":0})",
                            R"({"growing":true,"level":1,"open":100000})"}) {
    forest.options_json = R"({"checkpoint":)" + std::string(state) + "," + options.substr(1);
    forest::save_forest(forest, path());
    dataset::expect_error([&] { resume(options_); }, ErrorKind::kModel, {"checkpoint.fernwood"});
  }
}

TEST_F(CheckpointTest, FinishedModelIsNoCheckpoint) {
  forest::save_forest(train_forest(data_.dataset(), options_), path());
  dataset::expect_error([&] { resume(options_); }, ErrorKind::kModel, {"not a checkpoint"});
}

}  // namespace
}  // namespace fernwood::train
