// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fernwood/core/error.h"
#include "records/evaluate/strategy.h"
#include "records/record_models.h"

namespace fernwood::records {
namespace {

const RecordForest& forest() {
  static const RecordForest forest = random_forest({.trees = 20, .depth = 6, .classes = 3, .seed = 31});
  return forest;
}
const std::vector<float>& values() {
  static const std::vector<float> values = tricky_records(forest(), 5000, 9);
  return values;
}
RecordView records(std::size_t count) { return records_by_rows(values().data(), count, forest().attributes.size()); }

TuningReport tune(std::size_t num_records, double budget_s) {
  const StrategyRequest request = {make_evaluation_model(forest()), "", Values::kFloat, Device{}, 1};
  return tune_model(request, keep_records(Device{}, records(num_records)), budget_s);
}

TEST(Tuner, NamesTheFastestOfTheWaysItTimedAndWhyOthersWereLeftOut) {
  const TuningReport report = tune(5000, 0.2);
  ASSERT_FALSE(report.ways.empty());
  EXPECT_EQ(report.ways.front().strategy, report.strategy);
  EXPECT_EQ(report.ways.front().values, report.values);
  double last = 0;
  std::size_t timed = 0;
  for (const TimedStrategy& way : report.ways) {
    EXPECT_EQ(way.left_out.empty(), way.ns_per_record > 0) << way.strategy;
    if (!way.left_out.empty()) continue;
    EXPECT_GE(way.ns_per_record, last);
    last = way.ns_per_record;
    ++timed;
  }
  EXPECT_GE(timed, 1u);
  EXPECT_THAT(tuning_table(report), testing::HasSubstr("strategy: " + report.strategy));
}

TEST(Tuner, EndsWhenItsTimeIsOver) {
  const TuningReport report = tune(5000, 0.0);
  EXPECT_EQ(report.strategy, "serial");
}

TEST(Tuner, WantsARecord) { EXPECT_THROW(tune(0, 0.2), Error); }

TEST(Tuner, BatchesOfLikeSizeShareAChoice) {
  EXPECT_EQ(batch_class(1000), batch_class(600));
  EXPECT_NE(batch_class(1000), batch_class(100));
  EXPECT_NE(batch_class(1000), batch_class(100000));
}

class ChoiceMemory : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("fernwood_choices_" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    setenv("FERNWOOD_CACHE", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("FERNWOOD_CACHE");
    std::filesystem::remove_all(folder_);
  }
  /// Explanation of the strategy "auto" after an evaluation, the classes of which are checked.
  std::string explained(bool remember = true) const {
    const auto evaluator = make_record_evaluator(forest(), {.device = "cpu", .threads = 1, .remember = remember});
    std::vector<std::int32_t> classes(800), expected(800);
    evaluator->classify(records(800), classes.data());
    make_record_evaluator(forest(), {.strategy = "serial", .device = "cpu"})->classify(records(800), expected.data());
    EXPECT_EQ(classes, expected);
    return evaluator->explain();
  }
  bool is_remembered(bool remember = true) const { return explained(remember).find("remembered") != std::string::npos; }
  std::filesystem::path file() const { return folder_ / "choices.json"; }

  std::filesystem::path folder_;
};

TEST_F(ChoiceMemory, AChoiceIsTunedOnceAndThenRemembered) {
  EXPECT_FALSE(is_remembered());
  EXPECT_TRUE(std::filesystem::exists(file()));
  EXPECT_TRUE(is_remembered());
  EXPECT_FALSE(is_remembered(false));
}

TEST_F(ChoiceMemory, OneRecordIsEvaluatedWithoutTuning) {
  const auto evaluator = make_record_evaluator(forest(), {.device = "cpu", .threads = 1});
  for (std::size_t i = 0; i < 50; ++i) {
    std::int32_t found = -7;
    evaluator->classify(records(50).part(i, 1), &found);
    EXPECT_EQ(found, classify_record(forest(), &records(50).at(i, 0)));
  }
  EXPECT_FALSE(std::filesystem::exists(file()));
  EXPECT_TRUE(evaluator->explain().starts_with("single records:\n"));
}

TEST_F(ChoiceMemory, EachSizeOfBatchesIsExplained) {
  const auto evaluator = make_record_evaluator(forest(), {.device = "cpu", .threads = 1});
  std::vector<std::int32_t> classes(800);
  evaluator->classify(records(800), classes.data());
  const std::string one_size = evaluator->explain();
  EXPECT_TRUE(one_size.starts_with("strategy: "));
  evaluator->classify(records(2), classes.data());
  EXPECT_TRUE(evaluator->explain().starts_with("batches of 2 to 7 records:\nstrategy: "));
  EXPECT_TRUE(evaluator->explain().ends_with("\n\nbatches of 512 to 2047 records:\n" + one_size));
}

TEST_F(ChoiceMemory, ADamagedMemoryIsAsGoodAsNone) {
  const std::string kDeep(300000, '[');
  explained();
  for (const char* text : {"{", "[1]", "{\"a\": 3}", "", kDeep.c_str()}) {
    std::ofstream(file()) << text;
    EXPECT_FALSE(is_remembered()) << text;
  }
}

TEST_F(ChoiceMemory, AChoiceThatThisVersionDoesNotKnowIsMadeAnew) {
  const std::string tuned = explained();
  std::ostringstream text;
  text << std::ifstream(file()).rdbuf();
  const std::string kept = text.str(),
                    chosen = tuned.substr(tuned.find(' ') + 1, tuned.find(',') - tuned.find(' ') - 1);
  for (const std::string name : {"gather", "packed", "nothing"}) {
    std::string foreign = kept;
    foreign.replace(foreign.find('"' + chosen + '"'), chosen.size() + 2, '"' + name + '"');
    std::ofstream(file()) << foreign;
    EXPECT_FALSE(is_remembered()) << name;
    EXPECT_TRUE(is_remembered()) << name;
  }
}

TEST_F(ChoiceMemory, AFolderThatCannotBeLookedIntoCostsTheMemoryAlone) {
  const std::string too_long = "/" + std::string(300, 'x');  // not even root can query a path with this name
  setenv("FERNWOOD_CACHE", too_long.c_str(), 1);
  EXPECT_FALSE(is_remembered());
}

}  // namespace
}  // namespace fernwood::records
