// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/report/records.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "records/record_bytes_of.h"
#include "sentences.h"

namespace fernwood::report {
namespace {

using Json = nlohmann::json;

TEST(RecordTraining, TellsSizeTimeAndAccuracyOutOfBag) {
  const records::RecordForest forest = records::mixed_records();  // 3 leaves at depth 2, one at depth 0
  testdata::expect_sentence(record_training_table(forest, 12345, {1.5, 0.75}));
  const Json json = Json::parse(record_training_json(forest, 12345, {1.5, {}}, "m.fernwood"));
  EXPECT_EQ(json.at("model"), "m.fernwood");
  EXPECT_EQ(json.at("mean_depth"), 1.0);
  EXPECT_EQ(json.at("out_of_bag_accuracy"), nullptr);
}

using RecordClasses = std::vector<std::int32_t>;

/// Three records of class a, one of which is predicted as b; one of b; none of c.
RecordEvaluation small_evaluation() {
  RecordEvaluation evaluation{.classes = {"a", "b", "c"}, .confusion = Confusion(3)};
  evaluation.confusion.add(RecordClasses{0, 0, 0, 1}, RecordClasses{0, 0, 1, 1});
  evaluation.classify_s = 0.002;
  evaluation.total_s = 12;
  return evaluation;
}

TEST(RecordEvaluation, ShowsClassesAndTheMatrix) {
  testdata::expect_sentence(record_evaluation_table(small_evaluation()));
  const Json json = Json::parse(record_evaluation_json(small_evaluation()));
  EXPECT_EQ(json.at("accuracy"), 0.75);
  EXPECT_EQ(json.at("class_accuracy").at(2), nullptr);
  EXPECT_EQ(json.at("confusion"), (Json{{2, 1, 0}, {0, 1, 0}, {0, 0, 0}}));
  EXPECT_FALSE(json.contains("strategy"));
}

TEST(RecordEvaluation, OfManyClassesShowsTheMistakes) {
  RecordEvaluation evaluation{.classes = {}, .confusion = Confusion(13)};
  for (int c = 0; c < 13; ++c) evaluation.classes.push_back("class " + std::to_string(c));
  evaluation.confusion.add(RecordClasses(2, 3), RecordClasses(2, 5));
  evaluation.confusion.add(RecordClasses(7, 5), RecordClasses(7, 12));
  evaluation.strategy = "serial";
  testdata::expect_sentence(record_evaluation_table(evaluation));
}

TEST(StreamTraining, TellsWhatOneProcessHasAndMany) {
  const records::RecordForest tree = records::mixed_records();
  StreamTraining training{.report = {.times = {.update_s = 0.5, .total_s = 2},
                                     .records = 1000,
                                     .updates = 3000000,
                                     .rounds = 3,
                                     .leaves = 4,
                                     .leaves_before_pruning = 6,
                                     .depth = 2},
                          .processes = 1,
                          .checkpoints = false};
  testdata::expect_sentence(stream_training_table(tree, training));
  training.processes = 4;
  training.checkpoints = true;
  testdata::expect_sentence(stream_training_table(tree, training));
  const Json json = Json::parse(stream_training_json(tree, training, "t.fernwood"));
  EXPECT_EQ(json.at("processes"), 4);
  EXPECT_EQ(json.at("seconds").at("update"), 0.5);
  EXPECT_EQ(json.at("leaves_before_pruning"), 6);
  EXPECT_TRUE(json.at("prequential").is_null());
}

TEST(StreamTraining, TellsWhatWasRightBeforeItWasLearntAndWhatWasReplaced) {
  const records::RecordForest tree = records::mixed_records();
  StreamTraining training;
  training.report.prequential = {
      .records = 8000, .right = 6000, .recent_records = 1000, .recent_right = 900, .no_change = 0.5};
  training.report.drift = {.warnings = 3, .replaced = 2, .dropped = 1};
  testdata::expect_sentence(stream_training_table(tree, training));
  const Json json = Json::parse(stream_training_json(tree, training, "t.fernwood"));
  EXPECT_EQ(json.at("prequential"), (Json{{"records", 8000},
                                          {"accuracy", 0.75},
                                          {"recent_records", 1000},
                                          {"recent_accuracy", 0.9},
                                          {"no_change_accuracy", 0.5}}));
  EXPECT_EQ(json.at("drift"), (Json{{"warnings", 3}, {"replaced", 2}, {"dropped", 1}}));
}

TEST(RecordTraining, OfValuesTellsTargetAndR2OutOfBag) {
  records::RecordForest forest = records::mixed_records();
  forest.classes.clear();
  forest.targets = {"price"};
  testdata::expect_sentence(record_training_table(forest, 12345, {1.5, 0.75}));
  const Json json = Json::parse(record_training_json(forest, 12345, {1.5, 0.75}, "m.fernwood"));
  EXPECT_EQ(json.at("targets"), Json({"price"}));
  EXPECT_EQ(json.at("out_of_bag_r2"), 0.75);
  EXPECT_FALSE(json.contains("classes"));
}

TEST(ValueEvaluation, TellsErrorsAndHowManyRecordsHaveNoValue) {
  ValueEvaluation evaluation{.target = "price", .errors = {}, .predict_s = 0.5, .total_s = 1};
  evaluation.errors.add(1, 1), evaluation.errors.add(2, 3), evaluation.errors.add(3, 3);
  evaluation.errors.add(std::numeric_limits<double>::quiet_NaN(), 4);
  testdata::expect_sentence(value_evaluation_table(evaluation));
  const Json json = Json::parse(value_evaluation_json(evaluation));
  EXPECT_EQ(json.at("rmse"), std::sqrt(1.0 / 3));
  EXPECT_EQ(json.at("mae"), 1.0 / 3);
  EXPECT_EQ(json.at("r2"), 0.5);
  EXPECT_EQ(json.at("records"), 3);
  EXPECT_EQ(json.at("unlabelled"), 1);
  ValueEvaluation equal;
  equal.errors.add(1, 2);
  EXPECT_EQ(Json::parse(value_evaluation_json(equal)).at("r2"), nullptr);
}

TEST(RecordModel, TellsTreesLeavesAndWhatIsAsked) {
  const records::RecordForest forest = records::mixed_records();
  const records::RecordSummary summary = records::summarize(forest);
  const Json json = Json::parse(model_json(forest, summary, "0123"));
  EXPECT_EQ(json["kind"], "records");
  EXPECT_EQ(json["checksum"], "0123");
  EXPECT_EQ(json["trees"][0], (Json{{"nodes", 5}, {"leaves", 3}, {"depth", 2}}));
  EXPECT_EQ(json["attribute_use"][0], (Json{{"name", "size"}, {"splits", 1}}));
  testdata::expect_sentence(model_table(forest, summary, "0123"));
}

}  // namespace
}  // namespace fernwood::report
